#include "sharding/links.h"

#include <algorithm>

namespace planc::sharding {

std::vector<Need> needs(const GraphIndex &index, ValueId value) {
    const OperationId end = index.graph.end_of_program();
    std::vector<Need> result;
    for (const Use &use : index.uses[value])
        result.push_back({use.operation, use.operand});
    if (index.is_output[value])
        result.push_back({end});
    if (index.stored_in[value])
        result.push_back({end, -1, index.stored_in[value]});
    if (index.is_sent[value])
        result.push_back({end, -1, {}, true});
    if (result.empty() && index.graph.values[value].kind == ValueKind::free)
        result.push_back({end});
    return result;
}

Pass pass_of(const GraphIndex &index, ValueId value, const Placement &home, const Placement &wanted,
             OperationId reader) {
    if (index.graph.values[value].kind != ValueKind::variable || reader >= index.graph.end_of_program())
        return Pass::forward;
    return home.stored.empty() || wanted == home ? Pass::forward : index.pass[reader];
}

Links::Links(const GraphIndex &index, ValueId value, Reshards &reshards)
    : index_(index), value_(value), reshards_(reshards), needs_(sharding::needs(index, value)) {}

std::span<const Link> Links::of(int origin, std::span<const int> wanted) {
    each_need_.clear();
    for (std::size_t n = 0; n < needs_.size(); ++n)
        each_need_.push_back({n, wanted[n]});
    return of(origin, std::span<const Wanted>(each_need_));
}

std::span<const Link> Links::of(int origin, std::span<const Wanted> wanted) {
    origin_ = origin;
    collect(origin, wanted);
    links_.clear();
    if (index_.graph.values[value_].kind == ValueKind::free)
        bring();
    else
        connect(origin);
    return links_;
}

int Links::read_by(std::size_t need, int wanted) const {
    const Pass in = pass(origin_, wanted, needs_[need].operation);
    const auto read = std::find_if(links_.begin(), links_.end(),
                                   [&](const Link &link) { return link.placement == wanted && link.pass == in; });
    return static_cast<int>(read - links_.begin());
}

Pass Links::pass(int origin, int wanted, OperationId reader) const {
    if (index_.graph.values[value_].kind != ValueKind::variable)
        return Pass::forward;
    return pass_of(index_, value_, reshards_.placement(origin), reshards_.placement(wanted), reader);
}

/// Collects each distinct placement that is needed, with the first need for it.
void Links::collect(int origin, std::span<const Wanted> wanted) {
    wanted_.clear();
    for (const Wanted &each : wanted) {
        const OperationId reader = needs_[each.need].operation;
        const Pass in = pass(origin, each.placement, reader);
        const bool known = std::any_of(wanted_.begin(), wanted_.end(), [&](const Link &other) {
            return other.placement == each.placement && other.pass == in;
        });
        if (!known)
            wanted_.push_back({each.placement, -1, reader, in});
    }
}

bool Links::possible(int origin, int wanted) const {
    const std::vector<int> &lies = reshards_.placement(origin).partial;
    const std::vector<int> &asked = reshards_.placement(wanted).partial;
    return std::all_of(asked.begin(), asked.end(),
                       [&](int axis) { return std::find(lies.begin(), lies.end(), axis) != lies.end(); });
}

/// A free value comes in every placement that is needed. It comes whole where a share is needed, which is cut from it.
void Links::bring() {
    for (const Link &need : wanted_)
        if (reshards_.placement(need.placement).stored.empty())
            links_.push_back(need);
    for (const Link &need : wanted_) {
        Placement whole = reshards_.placement(need.placement);
        if (whole.stored.empty())
            continue;
        whole.stored.clear();
        const int number = reshards_.number(whole);
        auto source =
            std::find_if(links_.begin(), links_.end(), [number](const Link &link) { return link.placement == number; });
        if (source == links_.end())
            source = links_.insert(links_.end(), {number, -1, need.first_use, need.pass});
        source->first_use = std::min(source->first_use, need.first_use);
        Link share = need;
        share.source = static_cast<int>(source - links_.begin());
        share.route = &reshards_.route(number, need.placement);
        links_.push_back(share);
    }
}

/// Makes the needed copies from existing ones, each time the one that moves least.
void Links::connect(int origin) {
    Link first{origin, -1, index_.graph.end_of_program()};
    std::erase_if(wanted_, [&](const Link &need) {
        const bool in_hand = need.placement == origin;
        if (in_hand)
            first.first_use = need.first_use;
        return in_hand;
    });
    links_.push_back(first);
    while (!wanted_.empty())
        make_cheapest();
    for (std::size_t c = links_.size(); c-- > 1;) {
        Link &source = links_[links_[c].source];
        source.first_use = std::min(source.first_use, links_[c].first_use);
    }
}

void Links::make_cheapest() {
    std::size_t chosen = wanted_.size();
    int from = 0;
    const Reshards::Route *best = nullptr;
    for (std::size_t w = 0; w < wanted_.size(); ++w)
        for (std::size_t source = 0; source < links_.size(); ++source) {
            if (source > 0 && links_[source].pass != wanted_[w].pass)
                continue;
            const Reshards::Route &route = reshards_.route(links_[source].placement, wanted_[w].placement);
            if (!route.possible ||
                (best != nullptr && (route.volume > best->volume ||
                                     (route.volume == best->volume && route.steps.size() >= best->steps.size()))))
                continue;
            chosen = w;
            from = static_cast<int>(source);
            best = &route;
        }
    Link &link = links_.emplace_back(wanted_[chosen]);
    link.source = from;
    link.route = best;
    wanted_.erase(wanted_.begin() + static_cast<std::ptrdiff_t>(chosen));
}

Copy copy_of(const Graph &graph, ValueId value, const Link &link, const Reshards &reshards) {
    const Value &v = graph.values[value];
    Copy copy;
    copy.placement = reshards.placement(link.placement);
    copy.source = link.source;
    if (link.route != nullptr)
        copy.steps = link.route->steps;
    copy.pass = link.pass;
    const bool reduces =
        std::any_of(copy.steps.begin(), copy.steps.end(), [](const Step &step) { return step.sums(); });
    copy.first_use = link.first_use < graph.end_of_program() ? link.first_use : OperationId();
    const bool to_consumer = !reduces && copy.first_use;
    copy.layer = v.layer;
    if (const OperationId operation = to_consumer ? copy.first_use : v.producer) {
        copy.layer = graph.operations[operation].layer;
        copy.phase = graph.operations[operation].phase;
    }
    return copy;
}

} // namespace planc::sharding

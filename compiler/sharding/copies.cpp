#include "sharding/copies.h"

#include "sharding/placement.h"

#include <algorithm>

namespace planc::sharding {

namespace {

void append(std::string &key, const std::vector<int> &axes) {
    for (int axis : axes)
        key += static_cast<char>('a' + axis);
    key += '/';
}

/// Equal for equal placements only.
void append(std::string &key, const Placement &placement) {
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        key += std::to_string(dimension.extent);
        append(key, dimension.axes);
    }
    key += '|';
    append(key, placement.partial);
    append(key, placement.stored);
    key += static_cast<char>('0' + static_cast<int>(placement.reduction));
}

} // namespace

const Reshards::Route &Reshards::of(const Placement &from, const Placement &to) {
    std::string key;
    append(key, from);
    append(key, to);
    const auto known = known_.find(key);
    if (known != known_.end())
        return known->second;
    Route route{reshard(from, to, mesh_), 0};
    route.volume = wire_volume(route.steps, mesh_);
    return known_.emplace(std::move(key), std::move(route)).first->second;
}

const Strategy &Copies::strategy(int operation) {
    const auto known = strategies_.find(operation);
    if (known != strategies_.end())
        return known->second;
    const Operation &o = graph_.operations[operation];
    Strategy strategy = o.parameter >= 0 ? follow_parameter(operation) : bind(layers_[o.layer], o.nest, mesh_);
    if (!depends_.contains(operation))
        depends_.emplace(operation, layers_of_placements(index_, operation));
    return strategies_.emplace(operation, std::move(strategy)).first->second;
}

void Copies::forget(int layer) {
    for (const auto &[operation, layers] : depends_)
        if (contains(layers, layer)) {
            strategies_.erase(operation);
            derived_.erase(operation);
        }
}

Strategy Copies::follow_parameter(int operation) {
    const Anchor &anchor = index_.operation_anchor[operation];
    const Operation &o = graph_.operations[operation];
    Strategy strategy;
    strategy.loop_of_axis.assign(mesh_.sizes.size(), -1);
    const Placement root = home(anchor.root);
    for (std::size_t loop = 0; loop < anchor.root_dimension.size(); ++loop) {
        if (anchor.root_dimension[loop] < 0)
            continue;
        for (int axis : root.dimensions[anchor.root_dimension[loop]].axes) {
            strategy.loop_of_axis[axis] = static_cast<int>(loop);
            strategy.order.push_back(axis);
        }
    }
    if (!o.nest.loops.empty() && is_flat(o.nest))
        strategy.stored = shares(o.accumulates ? storage_.gradients : storage_.optimizer, root);
    for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
        if (strategy.loop_of_axis[axis] < 0)
            strategy.order.push_back(axis);
    return strategy;
}

const Derived &Copies::derived(int operation) {
    const auto known = derived_.find(operation);
    if (known != derived_.end())
        return known->second;
    Derived derived = derive_with_partial_sums(operation);
    return derived_.emplace(operation, std::move(derived)).first->second;
}

Derived Copies::derive_with_partial_sums(int operation) {
    const Operation &o = graph_.operations[operation];
    const Strategy &own = strategy(operation);
    if (!index_.may_pass_partial[operation])
        return derive(o.nest, own, mesh_);

    std::vector<int> common;
    std::int64_t smallest_operand = INT64_MAX;
    for (std::size_t i = 0; i < o.operands.size(); ++i) {
        const Placement operand = origin(o.operands[i]);
        smallest_operand = std::min(smallest_operand, largest_volume(operand, mesh_));
        if (i == 0)
            common = operand.partial;
        std::erase_if(common, [&](int axis) {
            return !contains(operand.partial, axis) || operand.reduction != Reduction::sum ||
                   own.loop_of_axis[axis] >= 0 || contains(own.stored, axis);
        });
    }
    Derived result = derive(o.nest, own, mesh_, common);
    for (const Placement &placement : result.results)
        if (!common.empty() && largest_volume(placement, mesh_) > smallest_operand)
            return derive(o.nest, own, mesh_);
    return result;
}

Placement Copies::origin(int value) {
    const Value &v = graph_.values[value];
    if (v.kind == ValueKind::variable)
        return home(value);
    const std::vector<int> &results = graph_.operations[v.producer].results;
    return derived(v.producer).results[std::find(results.begin(), results.end(), value) - results.begin()];
}

Placement Copies::home(int variable) {
    if (graph_.values[variable].home)
        return *graph_.values[variable].home;
    const Anchor &anchor = index_.value_anchor[variable];
    Placement result = replicated(graph_.values[variable].extents);
    if (const Use &reader = index_.reader[variable]; reader.operation >= 0) {
        result = derived(reader.operation).operands[reader.operand];
    } else if (anchor.root >= 0) {
        const Placement root = home(anchor.root);
        for (std::size_t d = 0; d < result.dimensions.size(); ++d)
            if (anchor.root_dimension[d] >= 0)
                result.dimensions[d].axes = root.dimensions[anchor.root_dimension[d]].axes;
    }
    if (!result.dimensions.empty())
        result.stored = shares(anchor.root >= 0 ? storage_.optimizer : storage_.parameters, result);
    return result;
}

/// Those of the axes that hold replicas of the placement.
std::vector<int> Copies::shares(const std::vector<int> &axes, const Placement &placement) const {
    std::vector<int> result;
    for (int axis : axes)
        if (mesh_.sizes[axis] > 1 && !cuts(placement, axis))
            result.push_back(axis);
    return result;
}

/// Parameters in shares are gathered for each part of the step that wants them whole; all else is made once.
Pass Copies::pass(int value, const Placement &placement, int reader) {
    if (graph_.values[value].kind != ValueKind::variable || reader >= static_cast<int>(graph_.operations.size()))
        return Pass::forward;
    const Placement at_home = home(value);
    return at_home.stored.empty() || placement == at_home ? Pass::forward : index_.pass[reader];
}

std::vector<Copies::Wanted> Copies::wanted(int value) {
    std::vector<Wanted> result;
    const auto want = [&](const Placement &placement, int first_use) {
        const Pass in = pass(value, placement, first_use);
        const bool known = std::any_of(result.begin(), result.end(), [&](const Wanted &other) {
            return other.placement == placement && other.pass == in;
        });
        if (!known)
            result.push_back({placement, first_use, in});
    };
    for (const Use &use : index_.uses[value])
        want(derived(use.operation).operands[use.operand], use.operation);
    const int end = static_cast<int>(graph_.operations.size());
    if (index_.is_output[value])
        want(replicated(graph_.values[value].extents), end);
    if (index_.stored_in[value] >= 0)
        want(home(index_.stored_in[value]), end);
    return result;
}

int Copies::find(int value, const std::vector<Copy> &copies, const Placement &placement, int reader) {
    const Pass in = pass(value, placement, reader);
    const auto found = std::find_if(copies.begin(), copies.end(),
                                    [&](const Copy &copy) { return copy.placement == placement && copy.pass == in; });
    return static_cast<int>(found - copies.begin());
}

std::vector<Copy> Copies::of(int value) {
    std::vector<Wanted> needs = wanted(value);
    if (graph_.values[value].kind != ValueKind::free)
        return connect(value, std::move(needs));
    if (needs.empty())
        needs.push_back({replicated(graph_.values[value].extents), static_cast<int>(graph_.operations.size())});
    std::vector<Copy> copies;
    for (Wanted &need : needs) {
        Copy &copy = copies.emplace_back();
        copy.placement = std::move(need.placement);
        copy.first_use = need.first_use;
        book(value, copy);
    }
    return copies;
}

/// Makes what is wanted from what is in hand, each time the copy that moves least.
std::vector<Copy> Copies::connect(int value, std::vector<Wanted> wanted) {
    const int end = static_cast<int>(graph_.operations.size());
    std::vector<Copy> copies(1);
    copies[0].placement = origin(value);
    copies[0].first_use = end;
    std::erase_if(wanted, [&](const Wanted &need) {
        const bool in_hand = need.placement == copies[0].placement;
        if (in_hand)
            copies[0].first_use = need.first_use;
        return in_hand;
    });
    while (!wanted.empty()) {
        Copy best;
        double least = 0;
        std::size_t chosen = wanted.size();
        for (std::size_t w = 0; w < wanted.size(); ++w) {
            for (std::size_t source = 0; source < copies.size(); ++source) {
                const std::vector<int> &partial = copies[source].placement.partial;
                if (!std::includes(partial.begin(), partial.end(), wanted[w].placement.partial.begin(),
                                   wanted[w].placement.partial.end()) ||
                    (source > 0 && copies[source].pass != wanted[w].pass))
                    continue;
                const Reshards::Route &route = reshards_.of(copies[source].placement, wanted[w].placement);
                if (chosen < wanted.size() &&
                    (route.volume > least || (route.volume == least && route.steps.size() >= best.steps.size())))
                    continue;
                chosen = w;
                least = route.volume;
                best.source = static_cast<int>(source);
                best.steps = route.steps;
            }
        }
        best.placement = wanted[chosen].placement;
        best.first_use = wanted[chosen].first_use;
        best.pass = wanted[chosen].pass;
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(chosen));
        copies.push_back(std::move(best));
    }
    for (std::size_t c = copies.size(); c-- > 1;) {
        Copy &source = copies[copies[c].source];
        source.first_use = std::min(source.first_use, copies[c].first_use);
    }
    for (Copy &copy : copies)
        book(value, copy);
    return copies;
}

void Copies::book(int value, Copy &copy) const {
    const Value &v = graph_.values[value];
    const bool reduces = std::any_of(copy.steps.begin(), copy.steps.end(),
                                     [](const Step &step) { return step.from.partial != step.to.partial; });
    const int end = static_cast<int>(graph_.operations.size());
    const bool to_consumer = !reduces && copy.first_use < end;
    copy.layer = v.layer;
    copy.phase = Phase::forward;
    if (const int operation = to_consumer ? copy.first_use : v.producer; operation >= 0) {
        copy.layer = graph_.operations[operation].layer;
        copy.phase = graph_.operations[operation].phase;
    }
    if (copy.first_use == end)
        copy.first_use = -1;
}

} // namespace planc::sharding

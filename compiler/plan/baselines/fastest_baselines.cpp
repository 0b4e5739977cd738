#include "plan/baselines/fastest_baselines.h"

#include "plan/baselines/price_baseline.h"
#include "plan/numbers.h"
#include "support/parallel.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace planc::plan {

FastestBaselines::FastestBaselines(const Request &request, const sharding::GraphIndex &index,
                                   const cost::GraphFacts &facts, double limit, std::vector<OnMesh> meshes)
    : request_(request), index_(index), facts_(facts), limit_(limit), meshes_(std::move(meshes)) {
    if (!request.baselines)
        return;
    std::map<std::string, int> times;
    for (std::size_t mesh = 0; mesh < meshes_.size(); ++mesh)
        for (NamedStrategies &named : baselines(request.graph, request.batch, meshes_[mesh].shape->mesh))
            if (!is_known(named, mesh)) {
                ++times[named.name];
                wanted_.push_back({mesh, std::move(named)});
            }
    for (std::size_t i = 0; i < wanted_.size(); ++i)
        (times.at(wanted_[i].named.name) == 1 && each_counts(request) ? alone_ : others_).push_back(i);
}

/// Else only the fastest one counts.
bool FastestBaselines::each_counts(const Request &request) {
    return request.runner_ups || may_be_simulated(request.graph);
}

/// This needs rules that do not distinguish axes. A baseline that splits alike along all axes is then the same on each
/// mesh. One that splits along the first axis and along the others is the same as on a mesh of two axes.
bool FastestBaselines::is_known(const NamedStrategies &named, std::size_t mesh) const {
    if (!axes_of_rules(request_).empty() || (named.has_halos && !request_.mesh.automatic))
        return false;
    const std::vector<int> &sizes = meshes_[mesh].shape->mesh.sizes;
    return named.alike ? mesh > 0
                       : sizes.size() > 2 && std::any_of(meshes_.begin(), meshes_.end(), [&](const OnMesh &other) {
                             const std::vector<int> &of_other = other.shape->mesh.sizes;
                             return of_other.size() == 2 && of_other[0] == sizes[0];
                         });
}

void FastestBaselines::price(std::size_t wanted) {
    Wanted &one = wanted_[wanted];
    const OnMesh &on = meshes_[one.mesh];
    one.priced = price_baseline(request_, index_, facts_, *on.shape, *on.space, one.named, limit_);
}

void FastestBaselines::price_alone(std::size_t number) {
    Wanted &wanted = wanted_[alone_[number]];
    const Space &space = *meshes_[wanted.mesh].space;
    follow_orders(space, wanted.named.layers);
    if (request_.runner_ups || places(space, wanted.named.layers))
        price(alone_[number]);
}

void FastestBaselines::bound(std::size_t number, const AtLeast &at_least) {
    Wanted &wanted = wanted_[number];
    const Space &space = *meshes_[wanted.mesh].space;
    follow_orders(space, wanted.named.layers);
    if (const auto at = places(space, wanted.named.layers); !at)
        wanted.at_least = infinity; // excluded, so that any that may be the answer comes before it
    else if (at_least)
        wanted.at_least = at_least(wanted.mesh, *at);
}

std::size_t FastestBaselines::bound_others(const AtLeast &at_least) {
    support::in_parallel(others_.size(), [&](std::size_t i) { bound(others_[i], at_least); });
    std::map<std::string, std::vector<std::size_t>> by_name;
    for (const std::size_t i : others_)
        if (wanted_[i].at_least == infinity && !request_.runner_ups)
            continue; // neither the answer nor shown
        else if (at_least)
            by_name[each_counts(request_) ? wanted_[i].named.name : ""].push_back(i);
        else
            rivals_.push_back({i}); // nothing is known by which one might be left out
    for (auto &[name, rivals] : by_name) {
        std::stable_sort(rivals.begin(), rivals.end(),
                         [this](std::size_t a, std::size_t b) { return wanted_[a].at_least < wanted_[b].at_least; });
        rivals_.push_back(std::move(rivals));
    }
    return rivals_.size();
}

void FastestBaselines::price_rivals(std::size_t number) {
    double least = infinity; // seconds, of those that may be the answer
    for (const std::size_t rival : rivals_[number]) {
        const Wanted &wanted = wanted_[rival];
        if (wanted.at_least > least * (1 + rounding))
            return;
        price(rival);
        if (wanted.priced->excluded.empty())
            least = std::min(least, wanted.priced->seconds.value);
    }
}

double FastestBaselines::least() const {
    double least = infinity;
    for (const Wanted &wanted : wanted_)
        if (wanted.priced && wanted.priced->excluded.empty())
            least = std::min(least, wanted.priced->seconds.value);
    return least;
}

std::vector<Baseline> FastestBaselines::take() {
    std::vector<std::string> names; // in an order that does not depend on which were priced
    std::map<std::string, Baseline> fastest;
    for (Wanted &wanted : wanted_) {
        if (std::find(names.begin(), names.end(), wanted.named.name) == names.end())
            names.push_back(wanted.named.name);
        if (!wanted.priced)
            continue;
        Baseline &baseline = *wanted.priced;
        const auto [known, is_new] = fastest.try_emplace(wanted.named.name, std::move(baseline));
        if (!is_new && std::pair(!baseline.excluded.empty(), baseline.seconds) <
                           std::pair(!known->second.excluded.empty(), known->second.seconds))
            known->second = std::move(baseline);
    }
    std::vector<Baseline> result;
    for (const std::string &name : names)
        if (const auto priced = fastest.find(name); priced != fastest.end())
            result.push_back(std::move(priced->second));
    return result;
}

} // namespace planc::plan

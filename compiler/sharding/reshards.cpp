#include "sharding/reshards.h"

#include "sharding/placement.h"

#include <algorithm>

namespace planc::sharding {

int Reshards::number(const Placement &placement) {
    const auto known = std::find(placements_.begin(), placements_.end(), placement);
    const auto number = static_cast<int>(known - placements_.begin());
    if (known == placements_.end()) {
        placements_.push_back(placement);
        routes_.emplace_back();
    }
    return number;
}

const Reshards::Route &Reshards::route(int from, int to) {
    std::vector<std::unique_ptr<const Route>> &routes = routes_[from];
    if (routes.size() < placements_.size())
        routes.resize(placements_.size());
    std::unique_ptr<const Route> &known = routes[to];
    if (known)
        return *known;
    Route route;
    route.number = found_++;
    const std::vector<int> &has = placements_[from].partial;
    const std::vector<int> &wants = placements_[to].partial;
    route.possible = std::includes(has.begin(), has.end(), wants.begin(), wants.end()) &&
                     (!planrt::is_windowed(placements_[from]) || from == to);
    if (route.possible) {
        route.steps = reshard(placements_[from], placements_[to], mesh_);
        route.volume = wire_volume(route.steps, mesh_);
    }
    known = std::make_unique<const Route>(std::move(route));
    return *known;
}

} // namespace planc::sharding

#include "sharding/reshards.h"

#include "sharding/placement.h"

#include <algorithm>
#include <numeric>

namespace planc::sharding {

int Reshards::number(const Placement &placement) {
    const std::size_t at = hash(placement);
    const auto [first, last] = numbers_.equal_range(at);
    for (auto known = first; known != last; ++known)
        if (placements_[known->second] == placement)
            return known->second;
    const auto number = static_cast<int>(placements_.size());
    numbers_.emplace(at, number);
    placements_.push_back(placement);
    routes_.emplace_back();
    return number;
}

const Reshards::Route &Reshards::route(int from, int to) {
    if (const int known = routes_[from].at(to); known != unknown)
        return *found_[known];
    Route route;
    route.number = routes();
    found_.emplace_back(); // those on the way come behind it
    const std::vector<int> &has = placements_[from].partial;
    const std::vector<int> &wants = placements_[to].partial;
    route.possible = std::includes(has.begin(), has.end(), wants.begin(), wants.end()) &&
                     (!planrt::is_windowed(placements_[from]) || planrt::has_addends(placements_[from]) || from == to);
    if (route.possible) {
        // Copies: placements on the way may be new ones.
        route.steps = reshard(Placement(placements_[from]), Placement(placements_[to]), volumes_,
                              [this](const Placement &lies, const Placement &wanted) {
                                  const int start = number(lies);
                                  return this->route(start, number(wanted)).steps;
                              });
        route.volume = volumes_.of(route.steps);
    }
    routes_[from].at(to) = route.number;
    std::unique_ptr<const Route> &found = found_[route.number];
    found = std::make_unique<const Route>(std::move(route));
    return *found;
}

int MeshReshards::routes() const {
    return std::accumulate(shapes_.begin(), shapes_.end(), 0,
                           [](int sum, const auto &shape) { return sum + shape.second.routes(); });
}

} // namespace planc::sharding

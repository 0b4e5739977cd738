#include "plan/pipeline/sends.h"

#include <algorithm>
#include <cstdlib>

namespace planc::plan {

const Sent &Sends::of(const planrt::RolePlacement &from, int from_role, const planrt::RolePlacement &to, int to_role,
                      int element_bytes) {
    std::vector<double> roles{static_cast<double>(from_role), static_cast<double>(to_role)};
    if (mesh_.is_even()) {
        roles = prices_.links(from.role, to.role);
        roles.push_back(std::min(std::abs(from_role - to_role), 2));
    }
    const auto known = std::ranges::find_if(known_, [&](const Known &each) {
        return each.element_bytes == element_bytes && each.roles == roles && each.leaves == from.placement &&
               each.arrives == to.placement;
    });
    if (known != known_.end())
        return known->sent;
    known_.push_back({from.placement, to.placement, std::move(roles), element_bytes, found(from, to, element_bytes)});
    return known_.back().sent;
}

Sent Sends::found(const planrt::RolePlacement &from, const planrt::RolePlacement &to, int element_bytes) {
    Sent sent;
    const auto count = [&](int rank) {
        const cost::Price own = prices_(from, to, element_bytes, rank).price;
        sent.price = own.seconds() > sent.price.seconds() ? own : sent.price;
    };
    for (int rank = 0; rank < from.role.mesh(mesh_).ranks(); ++rank) {
        const int of_all = from.role.rank_of(mesh_, rank);
        sent.by_rank.push_back(planrt::traffic(from, to, mesh_, of_all));
        count(of_all);
    }
    for (int rank = 0; rank < to.role.mesh(mesh_).ranks(); ++rank)
        count(to.role.rank_of(mesh_, rank));
    return sent;
}

} // namespace planc::plan

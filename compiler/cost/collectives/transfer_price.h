// The prices of transfers from one role of a pipeline to another.
#pragma once

#include "cost/collectives/collectives.h"
#include "cost/machine.h"

#include <planrt/layout.h>

#include <map>
#include <vector>

namespace planc::cost {

struct TransferPrice {
    Price price{};
    bool stays_inside = false; ///< Group::stays_inside()
    bool leaves = false;
};

class TransferPrices {
  public:
    /// Both must outlive this.
    TransferPrices(const planrt::Mesh &mesh, const Machine &machine);

    /// The time for which the transfer uses the links of a rank of the whole mesh. Its messages run at the same time in
    /// both directions. They pass between neighbours if all of them do.
    [[nodiscard]] TransferPrice operator()(const planrt::RolePlacement &from, const planrt::RolePlacement &to,
                                           int element_bytes, int rank);

    /// Of an even mesh, for each level, how many messages share the links of a unit; negative: none crosses the level.
    /// Between roles for which this is equal, equal transfers have equal prices, except on a torus.
    [[nodiscard]] std::vector<double> links(const planrt::Role &from, const planrt::Role &to);

  private:
    [[nodiscard]] const Group &between(const planrt::Role &from, const planrt::Role &to, bool alike);
    /// Of all ranks that differ along these axes: within a role, and on an even mesh on a torus.
    [[nodiscard]] const Group &over(const std::vector<int> &axes);
    [[nodiscard]] bool has_groups_between(const planrt::Role &from, const planrt::Role &to) const;

    const planrt::Mesh &mesh_;
    const Machine &machine_;
    bool has_dimensions_;                       ///< of a torus
    std::map<std::vector<int>, Group> between_; ///< by the first ranks of both roles, and whether alike
    std::map<std::vector<int>, Group> over_;    ///< by axes
};

} // namespace planc::cost

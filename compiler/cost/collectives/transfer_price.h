// The prices of transfers from one role of a pipeline to another.
#pragma once

#include "cost/collectives/collectives.h"
#include "cost/machine.h"

#include <planrt/layout.h>

#include <map>
#include <vector>

namespace planc::cost {

class TransferPrices {
  public:
    /// Both must outlive this.
    TransferPrices(const planrt::Mesh &mesh, const Machine &machine) : mesh_(mesh), machine_(machine) {}

    /// The time for which the transfer uses the links of a rank of the whole mesh. Its messages run at the same time in
    /// both directions. They pass between neighbours if all of them do.
    [[nodiscard]] Price operator()(const planrt::RolePlacement &from, const planrt::RolePlacement &to,
                                   int element_bytes, int rank);

  private:
    /// Of all ranks that differ along these axes; in an uneven mesh, of both roles.
    const Group &between(const std::vector<int> &axes, const planrt::Role &from, const planrt::Role &to);

    const planrt::Mesh &mesh_;
    const Machine &machine_;
    std::map<std::vector<int>, Group> groups_; ///< by axes, or first ranks of both roles
};

} // namespace planc::cost

// The price of a transfer from one role of a pipeline to another.
#pragma once

#include "cost/collectives/collectives.h"
#include "cost/machine.h"

#include <planrt/layout.h>

namespace planc::cost {

/// The time for which the transfer uses the links of a rank of the whole mesh. Its messages run at the same time in
/// both directions. They pass between neighbours if all of them do.
[[nodiscard]] Price transfer_price(const planrt::RolePlacement &from, const planrt::RolePlacement &to,
                                   int element_bytes, const planrt::Mesh &mesh, int rank, const Machine &machine);

} // namespace planc::cost

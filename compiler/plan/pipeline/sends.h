// What stages of a pipeline send each other, and how long that takes. It is the same between any two stages with the
// same placements and the same links between them, so it is found once.
#pragma once

#include "cost/collectives/transfer_price.h"
#include "plan/plan.h"

#include <deque>
#include <vector>

namespace planc::plan {

/// A value that goes from one stage to another.
struct Sent {
    std::vector<planrt::Traffic> by_rank; ///< of the sender, within its role; elements
    cost::Price price;                    ///< of the rank that takes longest
};

class Sends {
  public:
    /// Both must outlive this.
    Sends(const planrt::Mesh &mesh, const Machine &machine) : mesh_(mesh), prices_(mesh, machine) {}

    /// The roles are those at the positions `from_role` and `to_role` along the pipeline's axis.
    [[nodiscard]] const Sent &of(const planrt::RolePlacement &from, int from_role, const planrt::RolePlacement &to,
                                 int to_role, int element_bytes);

  private:
    struct Known {
        planrt::Placement leaves;
        planrt::Placement arrives;
        /// Between which roles: where all have as many ranks, only the links between them count, and the distance, up
        /// to 2, because then they are no neighbours.
        std::vector<double> roles;
        int element_bytes = 0;
        Sent sent;
    };
    [[nodiscard]] Sent found(const planrt::RolePlacement &from, const planrt::RolePlacement &to, int element_bytes);

    const planrt::Mesh &mesh_;
    cost::TransferPrices prices_;
    std::deque<Known> known_; ///< few: references stay valid
};

} // namespace planc::plan

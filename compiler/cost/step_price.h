// The price of one step of a reshard on a machine.
#pragma once

#include "cost/collectives.h"
#include "cost/machine.h"
#include "sharding/lay_out.h"

#include <planrt/layout.h>

#include <cstdint>
#include <map>
#include <vector>

namespace planc::cost {

struct StepPrice {
    planrt::Traffic traffic; ///< of the busiest rank
    std::int64_t ranks = 1;  ///< of the group
    double vector_bytes = 0; ///< n of the formulas in collectives.h, of the busiest rank
    Price price;
};

/// `element_bytes` of the tensor that moves. A slice is free.
[[nodiscard]] StepPrice price_step(const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh,
                                   const Machine &machine);

/// price_step() that remembers: the steps of a training step are few, but each occurs in many layers.
class StepPrices {
  public:
    /// Both must outlive this.
    StepPrices(const sharding::Mesh &mesh, const Machine &machine) : mesh_(mesh), machine_(machine) {}
    const StepPrice &of(const sharding::Step &step, int element_bytes);

  private:
    const sharding::Mesh &mesh_;
    const Machine &machine_;
    std::map<std::vector<std::int64_t>, StepPrice> known_;
};

/// Numbers that are equal only for equal steps.
[[nodiscard]] std::vector<std::int64_t> key(const sharding::Step &step);

} // namespace planc::cost

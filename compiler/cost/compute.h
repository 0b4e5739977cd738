// The time of local computation: a roofline (Williams et al. 2009) as Castello et al. (HPML 2019) apply it.
//
//   t = flops / min(mu I, gamma),  I = flops per byte moved
//
// mu memory bandwidth, gamma peak. Of a product (m, n, k): I = 2mnk / ((mn + mk + nk) delta) with delta bytes an
// element; on a machine with a blocked product m, n, k in I are the block's: (480, 3072, 384) in f32 give 99.74
// flop/byte. Everything else moves its operands and results once.
#pragma once

#include "cost/machine.h"
#include "sharding/lay_out.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// flops / min(mu * flops / bytes, gamma).
[[nodiscard]] Seconds roofline(Flops flops, Bytes moved, const Machine &machine);

/// Floating-point operations per byte of an (m, n, k) product.
[[nodiscard]] double intensity(double m, double n, double k, double element_bytes);

/// An (m, n, k) product on one rank.
[[nodiscard]] Seconds product_seconds(double m, double n, double k, double element_bytes, const Machine &machine);

/// Iterations of the busiest rank: each loop's largest block under the strategy.
[[nodiscard]] std::vector<std::int64_t> local_extents(const sharding::Nest &nest, const sharding::Strategy &strategy,
                                                      const sharding::Mesh &mesh);

/// Tensors of an operation that do not go through memory: pointwise operations and reductions of one layer, phase (both
/// gradients are one) and parameter are fused into loops, so that what one of them makes for another stays in
/// registers, and what several read is read once. An upper bound of what the schedule fuses within a layer; what it
/// fuses of several layers, a normalisation with the activation behind it, is priced as if it went through memory.
struct Fused {
    std::vector<bool> operands;
    std::vector<bool> results;
    bool same_pass = false; ///< the number of a maximum that is found with it, or the other way round: only stored
    bool own_rows = true;   ///< pays for its rows (cost/kernels.h): the first of its loops that does
    /// The sum of a product and what is left of a variable, to which it is written: the product adds it itself
    /// (schedule/accumulate_products) as long as no collective comes between them, that is where all axes split this.
    bool accumulated = false;
    Bytes between{}; ///< that go through the cache from one use of its operands to the next; 0: its own alone
};
/// Per operation of the graph.
[[nodiscard]] std::vector<Fused> fusion(const sharding::Graph &graph);

/// One operation on the rank with the largest blocks. `extents`: local, per loop of its nest; of its iterations the
/// rank does one of `shares` (Strategy::stored). `fused`: null where everything goes through memory.
[[nodiscard]] Seconds operation_seconds(const sharding::Graph &graph, const sharding::Operation &operation,
                                        const std::vector<std::int64_t> &extents, const Machine &machine,
                                        std::int64_t shares = 1, const Fused *fused = nullptr);

/// The same under a strategy, once.
[[nodiscard]] Seconds seconds_under(const sharding::Strategy &strategy, const sharding::Graph &graph,
                                    const sharding::Operation &operation, const Fused &fused,
                                    const sharding::Mesh &mesh, const Machine &machine);

} // namespace planc::cost

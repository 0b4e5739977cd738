// The time of local computation: a roofline (Williams et al. 2009) as Castello et al. (HPML 2019) apply it.
//
//   t = flops / min(mu I, gamma),  I = flops per byte moved
//
// mu is the memory bandwidth, gamma the peak. For a product (m, n, k): I = 2mnk / ((mn + mk + nk) delta) with delta
// bytes per element. On a machine with a blocked product, m, n, k in I are those of the block: (480, 3072, 384) in f32
// give 99.74 flop/byte. Every other operation moves its operands and results once.
#pragma once

#include "cost/machine.h"
#include "sharding/lay_out.h"
#include "sharding/work.h"

#include <cstdint>
#include <vector>

namespace planc::cost {

/// flops / min(mu * flops / bytes, gamma).
[[nodiscard]] Seconds roofline(Flops flops, Bytes moved, const Machine &machine);

/// Floating-point operations per byte of an (m, n, k) product.
[[nodiscard]] double intensity(double m, double n, double k, double element_bytes);

/// An (m, n, k) product on one rank.
[[nodiscard]] Seconds product_seconds(double m, double n, double k, double element_bytes, const Machine &machine);

/// The iterations of the busiest rank: the largest block of each loop under the strategy.
[[nodiscard]] std::vector<std::int64_t> local_extents(const sharding::Nest &nest, const sharding::Strategy &strategy,
                                                      const sharding::Mesh &mesh);
/// The sizes of the axes that split the loop; -1: it is no loop.
[[nodiscard]] std::vector<int> cuts_of(int loop, const sharding::Strategy &strategy, const sharding::Mesh &mesh);

/// The loops with the density of the block that has most entries. Axes of these sizes cut the matrix's rows and columns
/// into blocks; `extents` are local. Unchanged if nobody has read the matrix.
[[nodiscard]] sharding::SparseLoops busiest(const sharding::SparseLoops &loops, const std::vector<int> &row_cuts,
                                            const std::vector<int> &column_cuts,
                                            const std::vector<std::int64_t> &extents);
/// The same for a part of a step.
[[nodiscard]] sharding::Part busiest(sharding::Part part, const std::vector<int> &row_cuts,
                                     const std::vector<int> &column_cuts, const std::vector<std::int64_t> &extents);

/// The bytes of a sparse product's matrix on a rank with these local extents: column and value of each nonzero, and
/// where each row begins.
[[nodiscard]] Bytes matrix_bytes(const sharding::SparseLoops &matrix, int element_bytes,
                                 const std::vector<std::int64_t> &extents);

/// The time of a part on the rank with the largest blocks. `extents`: local, per loop of its nest; the rank executes
/// one of `shares` parts of the iterations (Strategy::stored).
[[nodiscard]] Seconds part_seconds(const sharding::Part &part, const std::vector<std::int64_t> &extents,
                                   const Machine &machine, std::int64_t shares = 1);

/// The time of the whole work of an operation under a strategy; once, not for each micro-batch.
[[nodiscard]] Seconds seconds_under(const sharding::Strategy &strategy, const sharding::Operation &operation,
                                    const sharding::Work &work, const sharding::Mesh &mesh, const Machine &machine);
/// The same on one rank, but without the rows of a sparse product that have no nonzeros: where ranks list rows, no rank
/// has these. On a machine where all data is in the cache, ranks that share the operation take no less altogether.
[[nodiscard]] Seconds least_seconds(const sharding::Operation &operation, const sharding::Work &work,
                                    const Machine &machine);

} // namespace planc::cost

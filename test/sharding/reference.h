// A reference executor: tensors that really lie on ranks, steps that really move their elements. Slow, obvious, and
// independent of how the compiler decides. Elements are integers modulo 2^64, a ring, so that sums and products in any
// order are equal exactly.
#pragma once

#include "sharding/lay_out.h"

#include <planrt/layout.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace planc::sharding::reference {

using Element = std::uint64_t;
using Random = std::mt19937_64;

[[nodiscard]] int uniform(Random &random, int low, int high); ///< both inclusive

/// Row-major elements of the whole tensor.
using Whole = std::vector<Element>;
[[nodiscard]] Whole random_whole(const std::vector<std::int64_t> &extents, Random &random);

/// A tensor on all ranks: parts[rank] is dense, row-major in local_box(placement, mesh, rank), of that the elements of
/// stored_range(placement, mesh, rank).
struct Distributed {
    Placement placement;
    std::vector<std::vector<Element>> parts;
};

/// Gives every rank its block; partial results are random addends (or terms of the maximum, or minimum).
[[nodiscard]] Distributed distribute(const Whole &whole, const Placement &placement, const Mesh &mesh, Random &random);

/// Empty if every rank has its block of `whole` (partial ones: if they combine to it), else what differs first.
[[nodiscard]] std::string difference(const Distributed &tensor, const Whole &whole, const Mesh &mesh);

/// What one step did, and what each rank handed to MPI for it, counted element by element.
struct Executed {
    Distributed tensor;
    std::vector<planrt::Traffic> traffic; ///< per rank
    std::string error;                    ///< the step does not follow the definition of its kind
};
[[nodiscard]] Executed execute(const Step &step, const Distributed &tensor, const Mesh &mesh);
/// Executes steps one after another. Empty if each keeps `whole` and hands to MPI what planrt::traffic says, else what
/// differs first.
[[nodiscard]] std::string execute(const std::vector<Step> &steps, Distributed &tensor, const Whole &whole,
                                  const Mesh &mesh);

/// The function of every operation in these tests: for each point of the nest the product of the operands (linear
/// nests: their sum), combined over the reduced loops by the nest's reduction. All results get the same function,
/// result i times (i + 1).
[[nodiscard]] std::vector<Whole> compute(const Nest &nest, const std::vector<Whole> &operands);
/// The same on the ranks' blocks; operands lie as the strategy's derive() wants them.
[[nodiscard]] std::vector<Distributed> compute(const Nest &nest, const Strategy &strategy,
                                               const std::vector<Distributed> &operands,
                                               const std::vector<Placement> &results, const Mesh &mesh);

/// Runs a graph on one rank and laid out on all of them, and compares every copy of every value. Empty: all equal.
[[nodiscard]] std::string run(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh, Random &random);

[[nodiscard]] std::string text(const Placement &placement); ///< "[5: 0 1, 3: -] partial 2", for messages
[[nodiscard]] std::string text(const std::vector<Step> &steps);

} // namespace planc::sharding::reference

// Which samples train, which test, and in which order. This depends only on the seed, so that every layout and every
// number of ranks has the same batches.
#pragma once

#include <planrt/planrt.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

struct Split {
    std::vector<std::int64_t> train;
    std::vector<std::int64_t> validation = {}; ///< of graph data
    std::vector<std::int64_t> test;
};

/// `column`: DataSet::split_column of every sample if the split is by a column; 0 or 1 if it is by files; for graph
/// data the part of every vertex. Throws Failure if the data set has too few samples.
[[nodiscard]] Split split_samples(const DataSet &set, std::uint64_t seed, std::int64_t samples,
                                  std::span<const double> column);

/// Sets `order` to the order of epoch `epoch` (0: the first): a permutation of `base`.
void shuffle_epoch(std::span<const std::int64_t> base, std::uint64_t seed, std::int64_t epoch,
                   std::vector<std::int64_t> &order);

} // namespace planrt

// Which samples train and which test, and in which order: by the seed only, so that every layout and every number of
// ranks sees the same batches.
#pragma once

#include <planrt/planrt.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

struct Split {
    std::vector<std::int64_t> train;
    std::vector<std::int64_t> test;
};

/// `column` holds DataSet::split_column of every sample where the split is by a column, 0 or 1 where it is by files.
/// Failure where the data set has too few samples.
[[nodiscard]] Split split_samples(const DataSet &set, std::uint64_t seed, std::int64_t samples,
                                  std::span<const double> column);

/// Puts `order` into the order of epoch `epoch` (0: the first): `base`, permuted.
void shuffle_epoch(std::span<const std::int64_t> base, std::uint64_t seed, std::int64_t epoch,
                   std::vector<std::int64_t> &order);

} // namespace planrt

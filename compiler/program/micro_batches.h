// How a batch is cut into micro-batches. Autodiff makes code for each kind of them, schedule lists them in the program.
#pragma once

#include "program/program.h"

#include <cstdint>
#include <vector>

namespace planc::program {

/// `count` micro-batches that differ by at most one sample, the larger ones first (planrt::block()). `count` is from 1
/// to `batch`.
[[nodiscard]] std::vector<MicroBatch> micro_batches(std::int64_t batch, std::int64_t count);

/// Micro-batches that run the same code.
struct MicroBatchKind {
    std::int64_t samples = 0; ///< of each
    bool updates = false;     ///< the last of the batch, which updates the parameters; the others only add up gradients
    friend bool operator==(const MicroBatchKind &, const MicroBatchKind &) = default;
};
[[nodiscard]] MicroBatchKind kind_of(const std::vector<MicroBatch> &all, std::size_t micro_batch);

/// Each once, in the order in which they first run. At most three: larger ones, others, the last.
[[nodiscard]] std::vector<MicroBatchKind> kinds(const std::vector<MicroBatch> &all);

} // namespace planc::program

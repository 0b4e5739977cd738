// How a batch is split into micro-batches. Autodiff makes code for each kind of micro-batch; schedule lists them in the
// program.
#pragma once

#include "pipeline/schedule.h"
#include "program/program.h"

#include <cstdint>
#include <vector>

namespace planc::program {

/// `count` micro-batches, from 1 to `batch`, that differ by at most one sample, the larger ones first
/// (planrt::block()).
[[nodiscard]] std::vector<MicroBatch> micro_batches(std::int64_t batch, std::int64_t count);

/// Micro-batches that run the same code.
struct MicroBatchKind {
    std::int64_t samples = 0; ///< of each
    bool updates = false;     ///< the last one of the batch, or of a replica of the weights: with it the parameters are
                              ///< updated; the others only accumulate gradients
    friend bool operator==(const MicroBatchKind &, const MicroBatchKind &) = default;
};
[[nodiscard]] MicroBatchKind kind_of(const std::vector<MicroBatch> &all, std::size_t micro_batch);
[[nodiscard]] MicroBatchKind kind_of(const std::vector<MicroBatch> &all, const pipeline::Schedule &schedule,
                                     int micro_batch);

/// Each kind once, in the order of its first run. There are at most three: larger ones, others, the last one.
[[nodiscard]] std::vector<MicroBatchKind> kinds(const std::vector<MicroBatch> &all);

} // namespace planc::program

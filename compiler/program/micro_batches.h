// How a batch is split into micro-batches. Autodiff makes code for each kind of micro-batch; schedule lists them in the
// program.
#pragma once

#include "pipeline/schedule.h"
#include "program/program.h"

#include <cstdint>
#include <vector>

namespace planc::program {

/// `count` micro-batches, from 1 to `batch`, that differ by at most one sample, the larger ones first
/// (planrt::block()). Each group of as many as an update takes has its own number; the last group takes what is left.
[[nodiscard]] std::vector<MicroBatch> micro_batches(std::int64_t batch, std::int64_t count,
                                                    const pipeline::Updates &updates = {});

/// The buffers with which a micro-batch works where two versions of the weights are kept: 0 is the variable itself,
/// which has the newest version between steps, 1 the other one.
///
/// Version v, which contains the first v updates of the step, lies in buffer v modulo 2. The micro-batches of group g
/// work with version g - 1 (weights.h), and their update makes version g + 1 of version g. It overwrites version g - 1,
/// which no other group needs. The last update writes buffer 0.
struct Versions {
    int used = 0;    ///< by both passes
    int changed = 0; ///< by the update: what it reads
    int written = 0;
    friend bool operator==(const Versions &, const Versions &) = default;
};

/// Micro-batches that run the same code.
struct MicroBatchKind {
    std::int64_t samples = 0; ///< of each
    bool updates = false; ///< the last one of its update, or of a replica of the weights: with it the parameters are
                          ///< updated; the others only accumulate gradients
    // Where a step has several updates:
    bool begins = false;             ///< the first one of its update: nothing is accumulated before it
    std::int64_t update_samples = 0; ///< of all micro-batches of its update, whose mean loss has the gradients
    std::int64_t update_parts = 0;   ///< the number of these micro-batches
    Versions versions = {};
    friend bool operator==(const MicroBatchKind &, const MicroBatchKind &) = default;
};
[[nodiscard]] MicroBatchKind kind_of(const std::vector<MicroBatch> &all, std::size_t micro_batch,
                                     pipeline::Weights weights = pipeline::Weights::synchronous);
[[nodiscard]] MicroBatchKind kind_of(const std::vector<MicroBatch> &all, const pipeline::Schedule &schedule,
                                     int micro_batch);

/// Each kind once, in the order of its first run. With one update there are at most three: larger ones, others, the
/// last one.
[[nodiscard]] std::vector<MicroBatchKind> kinds(const std::vector<MicroBatch> &all,
                                                pipeline::Weights weights = pipeline::Weights::synchronous);

} // namespace planc::program

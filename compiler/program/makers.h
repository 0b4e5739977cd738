// Table makers: they decide in which order a step's bodies run on its micro-batches, and make the actions of every
// role. A new schedule is a new maker.
#pragma once

#include "program/micro_batches.h"
#include "program/program.h"

#include <vector>

namespace planc::program {

/// The bodies for one kind of micro-batch.
struct KindBodies {
    MicroBatchKind kind;
    std::vector<int> bodies; ///< of one role, in the order in which they run: forward, backward, update
};

/// One micro-batch, one role: its bodies one after another.
[[nodiscard]] std::vector<std::vector<Action>> trivial(const KindBodies &step);

/// Complete micro-batches one after another, in slot 0, for one role. Gradients are accumulated, and the last
/// micro-batch updates: of the step, or where `weights` change within it, of each update. Throws std::invalid_argument
/// if a kind has no bodies.
[[nodiscard]] std::vector<std::vector<Action>> accumulating(const std::vector<MicroBatch> &micro_batches,
                                                            const std::vector<KindBodies> &kinds,
                                                            pipeline::Weights weights = pipeline::Weights::synchronous);

/// With `slots` micro-batches in flight, each in a slot of its own: their first bodies, then their other bodies, one
/// micro-batch after the other; then the next `slots` micro-batches. In all else as accumulating().
[[nodiscard]] std::vector<std::vector<Action>> in_flight(const std::vector<MicroBatch> &micro_batches,
                                                         const std::vector<KindBodies> &kinds, int slots,
                                                         pipeline::Weights weights = pipeline::Weights::synchronous);

} // namespace planc::program

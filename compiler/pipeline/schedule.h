// A pipeline schedule as data: which rank runs which stage on which micro-batch, and in which order. It knows nothing
// of networks: a stage is a number.
//
// Example: 1F1B with two ranks, a stage on each, and two micro-batches:
//   rank 0   F0 F1 B0 B1
//   rank 1   F0 B0 F1 B1
// where `F1` on rank 0 is the forward pass of stage 0 on micro-batch 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planc::pipeline {

enum class Kind : std::uint8_t {
    forward,         ///< F; needs F of the stage before
    backward,        ///< B: both gradients in one; needs what I needs
    input_gradient,  ///< I; needs F of its own stage, and B or I of the stage after
    weight_gradient, ///< W; needs I of its own stage
};

/// What a rank does at one time: a stage on a micro-batch.
struct Action {
    Kind kind = Kind::forward;
    int stage = 0;
    int micro_batch = 0;
    friend bool operator==(const Action &, const Action &) = default;
};

/// When the weights of a stage change, and with which version of them a micro-batch works. Forward and backward pass of
/// a micro-batch on a stage always use the same version.
enum class Weights : std::uint8_t {
    synchronous,  ///< after the last micro-batch: all use the same
    stashed,      ///< PipeDream: after each micro-batch
    two_versions, ///< PipeDream-2BW: after each `accumulated` micro-batches, and used with a delay of one such group
};

/// When the weights change within a step.
struct Updates {
    Weights weights = Weights::synchronous;
    int accumulated = 0; ///< two_versions only: the micro-batches of one update
    friend bool operator==(const Updates &, const Updates &) = default;
};

struct Schedule {
    std::string name; ///< one line, for people
    int ranks = 1;    ///< the places of the pipeline; each may later be a set of ranks
    int stages = 1;   ///< a rank may have several: chunks
    int micro_batches = 1;
    Weights weights = Weights::synchronous;
    int accumulated = 0; ///< two_versions only: the micro-batches of one update
    /// By replica of the weights and by stage: the rank. One replica, except where micro-batches take different ways.
    /// Replicas are numbered in the order of their first micro-batches.
    std::vector<std::vector<int>> placement;
    std::vector<int> replica_of;              ///< by micro-batch
    std::vector<std::vector<Action>> actions; ///< by rank, in order
    /// By stage: the first stage that gets a gradient from it, where connections skip stages. Empty: the stage before.
    std::vector<int> reach = {};

    [[nodiscard]] int rank_of(int stage, int micro_batch) const {
        return placement[static_cast<std::size_t>(replica_of[static_cast<std::size_t>(micro_batch)])]
                        [static_cast<std::size_t>(stage)];
    }
    /// Parts are the stages of all replicas: part p is stage p % stages of replica p / stages.
    [[nodiscard]] int parts() const { return stages * static_cast<int>(placement.size()); }
    [[nodiscard]] int part_of(int stage, int micro_batch) const {
        return replica_of[static_cast<std::size_t>(micro_batch)] * stages + stage;
    }
    [[nodiscard]] int rank_of_part(int part) const {
        return placement[static_cast<std::size_t>(part / stages)][static_cast<std::size_t>(part % stages)];
    }
    /// The last micro-batch of a replica; with it the replica's gradients are complete.
    [[nodiscard]] int last_of(int replica) const;
    /// Whether micro-batch m is of replica m modulo their number, and every stage ends the backward passes of a
    /// replica's micro-batches in their order: what it sums up may then weigh later micro-batches more.
    [[nodiscard]] bool in_order() const;
    friend bool operator==(const Schedule &, const Schedule &) = default;
};

/// 'F', 'B', 'I', 'W'.
[[nodiscard]] char letter(Kind kind);
/// The inverse. False if there is no such kind.
[[nodiscard]] bool kind_of(char letter, Kind &kind);

/// "F of stage 2, micro-batch 3", for messages.
[[nodiscard]] std::string text(const Action &action);

/// B or I: what the stage before waits for.
[[nodiscard]] inline bool gives_gradient(Kind kind) {
    return kind == Kind::backward || kind == Kind::input_gradient;
}
/// B or W: frees the activations of the micro-batch on its stage.
[[nodiscard]] inline bool frees(Kind kind) {
    return kind == Kind::backward || kind == Kind::weight_gradient;
}

} // namespace planc::pipeline

// The best epoch of a run on the validation part: the score by which it is the best, and its weights.
#pragma once

#include "checkpoint/checkpoint.h"
#include "run/engine/engine.h"
#include "run/training/log.h"

namespace planrt {

/// Each rank keeps its part of the weights in the arena, in the variables that `Variable::is_best` marks.
class BestEpoch {
  public:
    /// `resumed`: of the run that this one continues; its weights are there already. Otherwise the weights of now count
    /// until an epoch has been evaluated.
    BestEpoch(Engine &engine, const RunState *resumed);

    /// Takes the validation score of an epoch, counted from 1, and keeps the weights if it is the best so far: among
    /// equal accuracies that of the least loss, and then the first. Collective over the world; rank 0 decides, for the
    /// results of a reduction may differ between ranks in their last bits.
    void after(std::int64_t epoch, const Score &score);
    /// Whether no epoch was better for as many epochs as the training has patience.
    [[nodiscard]] bool waited_enough(std::int64_t epochs_done) const;
    /// Puts the weights of the best epoch in the place of the last ones.
    void restore();

    [[nodiscard]] const BestScore &score() const { return best_; }

  private:
    [[nodiscard]] bool is_better(const Score &score) const;
    enum class Way : std::uint8_t { keep, restore };
    void copy(Way way);

    Engine &engine_;
    const Program &program_;
    BestScore best_;
};

} // namespace planrt

// The output of a run: lines of JSON for programs (--log), a progress line or plain lines for people. Rank 0 only.
#pragma once

#include "support/file.h"

#include <cstdint>
#include <optional>
#include <string>

namespace planrt {

/// Numbers count from 1.
struct StepRecord {
    std::int64_t step;
    std::int64_t epoch;
    double loss; ///< of the global batch, before the step's update
    double seconds;
};

/// Of one part of the data set.
struct Score {
    std::optional<double> accuracy; ///< share of its samples; none: there are no labels
    std::optional<double> loss;     ///< mean over them; none: the loss of a batch is not one of its samples
    std::int64_t samples;
};

struct EvaluationRecord {
    std::int64_t epoch;
    std::int64_t step;               ///< steps done
    std::optional<Score> validation; ///< none: there is no such part
    std::optional<Score> test;
    double seconds;
};

/// {"step": 1, "epoch": 1, "loss": 2.3, "seconds": 0.01} and {"epoch": 1, "accuracy": 0.9, "test_loss": …, …}, one per
/// line, written immediately. With a validation part also "validation_accuracy" and "validation_loss". Errors: Failure.
class JsonLog {
  public:
    /// Writes nothing if `path` is empty. `resumed`: keeps the entries of the first so many steps and continues after
    /// them, because later entries will be written again.
    explicit JsonLog(const std::string &path, std::optional<std::int64_t> resumed = {});
    void step(const StepRecord &record);
    void evaluation(const EvaluationRecord &record);
    /// {"best_epoch": 12, …}, the last line of a run that ends with the weights of that epoch.
    void best(const EvaluationRecord &record);
    void close();

  private:
    void evaluation(const char *epoch, const EvaluationRecord &record);
    OutputFile file_;
};

/// On a terminal, one line that is rewritten; elsewhere, a plain line for each epoch, and every few seconds in long
/// epochs.
class Progress {
  public:
    enum class Style : std::uint8_t { none, lines, terminal };
    Progress(Style style, std::int64_t steps, std::int64_t steps_per_epoch);
    void step(const StepRecord &record);
    /// `evaluation` is null if there is nothing to evaluate.
    void epoch(const StepRecord &last, double mean_loss, const EvaluationRecord *evaluation);

  private:
    void show(const StepRecord &record);
    Style style_;
    std::int64_t steps_;
    std::int64_t steps_per_epoch_;
    double shown_at_ = 0; ///< MPI_Wtime
};

} // namespace planrt

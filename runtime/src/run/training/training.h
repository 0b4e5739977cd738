// The life of a run: epochs of steps, an evaluation after each, files at the end.
#pragma once

#include "count/aligned_clock.h"
#include "count/times.h"
#include "count/trace_recorder.h"
#include "data/batches.h"
#include "data/matrix_blocks.h"
#include "mesh/file_numbers.h"
#include "run/engine/engine.h"
#include "run/options.h"
#include "run/training/best_epoch.h"
#include "run/training/checkpoints.h"
#include "run/training/divergence.h"
#include "run/training/interruption.h"
#include "run/training/log.h"
#include "run/training/reference.h"

#include <optional>

namespace planrt {

class Training {
  public:
    /// Reads data and weights. Collective over the world. Errors: CommonFailure.
    Training(Engine &engine, const Options &options);

    /// Returns the exit code. Errors: CommonFailure if all ranks see the failure; a failure that only this rank sees
    /// ends all ranks.
    int run();

  private:
    [[nodiscard]] std::int64_t total_steps() const;
    void read_data();
    [[nodiscard]] Facts facts() const;
    void check_resumed() const;
    [[nodiscard]] RunState state(std::int64_t steps_done) const;
    void prepare_weights();
    void check_outputs() const;
    void check_outputs_differ() const;
    void open_log();
    void train();
    /// Saves the state if states are saved, and reports it.
    void stop(std::int64_t steps_done, int signal);
    [[nodiscard]] bool report(const Times *times);
    void record_trace();
    void save_trace();
    double step(std::int64_t number);
    void load(int body, const MicroBatch &part);
    void end_epoch(const StepRecord &last);
    void end_with_best();
    [[nodiscard]] bool evaluates() const;
    EvaluationRecord evaluate(const StepRecord &last);
    [[nodiscard]] Score score_test(std::int64_t epochs);
    [[nodiscard]] Score score_validation(std::int64_t epochs);
    class Sums;
    void print_start() const;
    void print_result(double seconds) const;
    static void print(const std::string &table);

    Engine &engine_;
    const Options &options_;
    const Program &program_;
    const FileNumbers numbers_;
    std::uint64_t seed_;
    bool speaker_; ///< rank 0
    Checkpoints checkpoints_;
    std::optional<Batches> batches_;
    std::optional<MatrixBlocks> matrices_;
    std::int64_t batch_ = 0; ///< of the epoch, in the current step
    /// Made once: a step allocates nothing.
    Engine::Load load_ = [this](int body, const MicroBatch &part) { load(body, part); };
    std::int64_t first_ = 0;             ///< steps done by the run that this one resumes
    std::int64_t steps_ = 0;             ///< of the whole run
    std::optional<StepClock> clock_;     ///< none: times are not wanted
    std::optional<TraceRecorder> trace_; ///< none: no trace is wanted
    AlignedClock::Offset offset_;        ///< of the clock, when the recorder was made
    std::optional<Reference> reference_; ///< none: the same, or the machine was not measured
    std::optional<Interruption> interruption_;
    int signal_ = 0; ///< that ended the training; 0: none
    Divergence divergence_;
    std::optional<JsonLog> log_;
    std::optional<Progress> progress_;
    double loss_sum_ = 0; ///< of this epoch's steps
    std::int64_t loss_count_ = 0;
    std::optional<BestEpoch> best_;          ///< none: the last epoch counts
    std::optional<EvaluationRecord> result_; ///< the last evaluation, or that of the best epoch
    double last_loss_ = 0;
};

} // namespace planrt

// The evaluation after each epoch: of the test part, and of a graph's validation part.
#include "run/training/training.h"

namespace planrt {

bool Training::evaluates() const {
    return program_.evaluate_step != nullptr && batches_->test_samples() + batches_->validation_samples() > 0;
}

EvaluationRecord Training::evaluate(const StepRecord &last) {
    const double begin = MPI_Wtime();
    EvaluationRecord record{last.epoch, last.step, {}, {}, 0};
    if (batches_->validation_samples() > 0)
        record.validation = score_validation(last.epoch);
    if (batches_->test_samples() > 0)
        record.test = score_test(last.epoch);
    record.seconds = MPI_Wtime() - begin;
    return record;
}

/// The sums of an evaluation so far.
class Training::Sums {
  public:
    Sums(Engine &engine, const Program &program, std::int64_t epochs)
        : engine_(engine), program_(program), epochs_(epochs) {}

    /// Evaluates what was loaded, from sample `first` on, and adds what it gives.
    void add(std::int64_t first) {
        engine_.run_evaluation(program_.evaluate_step, first, epochs_);
        loss_ += of(program_.evaluated_loss);
        loss_divisor_ += of(program_.loss_divisor);
        correct_ += of(program_.correct);
        labels_ += of(program_.labels);
    }

    [[nodiscard]] Score score(std::int64_t samples) const {
        const auto all = static_cast<double>(samples);
        Score score{{}, {}, samples};
        if (program_.correct)
            score.accuracy = correct_ / (program_.labels ? labels_ : all);
        if (program_.evaluated_loss)
            score.loss = loss_ / (program_.loss_divisor ? loss_divisor_ : all);
        return score;
    }

  private:
    double of(const std::optional<Tensor> &tensor) {
        return tensor ? engine_.scalar_of(program_.evaluation_role, *tensor) : 0;
    }

    Engine &engine_;
    const Program &program_;
    std::int64_t epochs_; ///< done
    double loss_ = 0;
    double loss_divisor_ = 0;
    double correct_ = 0;
    double labels_ = 0;
};

Score Training::score_test(std::int64_t epochs) {
    Sums sums(engine_, program_, epochs);
    for (std::int64_t batch = 0; batch < batches_->test_batches(); ++batch) {
        batches_->load_test(batch, engine_.arena());
        sums.add(batch * batches_->test_batch());
    }
    return sums.score(batches_->test_samples());
}

Score Training::score_validation(std::int64_t epochs) {
    Sums sums(engine_, program_, epochs);
    batches_->load_validation(engine_.arena());
    sums.add(0);
    return sums.score(batches_->validation_samples());
}

} // namespace planrt

// The evaluation after each epoch: of the test part, and of a graph's validation part.
#include "run/training/training.h"

namespace planrt {

bool Training::evaluates() const {
    return program_.evaluate_step != nullptr && batches_->test_samples() + batches_->validation_samples() > 0;
}

EvaluationRecord Training::evaluate(const StepRecord &last) {
    const double begin = MPI_Wtime();
    EvaluationRecord record{last.epoch, last.step, program_.has_accuracy, {}, {}, 0};
    if (batches_->validation_samples() > 0)
        record.validation = score_validation();
    if (batches_->test_samples() > 0)
        record.test = score_test();
    record.seconds = MPI_Wtime() - begin;
    return record;
}

static Score score(double loss, double correct, std::int64_t samples) {
    return {correct / static_cast<double>(samples), loss / static_cast<double>(samples), samples};
}

Score Training::score_test() {
    double loss = 0;
    double correct = 0;
    for (std::int64_t batch = 0; batch < batches_->test_batches(); ++batch) {
        batches_->load_test(batch, engine_.arena());
        run_evaluation(loss, correct);
    }
    return score(loss, correct, batches_->test_samples());
}

Score Training::score_validation() {
    double loss = 0;
    double correct = 0;
    batches_->load_validation(engine_.arena());
    run_evaluation(loss, correct);
    return score(loss, correct, batches_->validation_samples());
}

void Training::run_evaluation(double &loss, double &correct) {
    engine_.run_evaluation(program_.evaluate_step);
    loss += engine_.scalar_of(program_.evaluation_role, program_.evaluated_loss);
    if (program_.has_accuracy)
        correct += engine_.scalar_of(program_.evaluation_role, program_.correct);
}

} // namespace planrt

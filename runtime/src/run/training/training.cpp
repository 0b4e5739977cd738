#include "run/training/training.h"

#include "checkpoint/checkpoint.h"
#include "count/report.h"
#include "count/trace_file.h"
#include "kernels/libraries/blas.h"
#include "kernels/libraries/onednn.h"
#include "mesh/tensors.h"
#include "run/outputs.h"
#include "run/training/initial_values.h"
#include "run/training/terminal.h"
#include "support/agreement.h"
#include "support/failure.h"
#include "support/heap.h"
#include "support/printable.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

namespace planrt {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max(); // steps

static void flush_output() {
    if (std::fflush(stdout) != 0)
        throw Failure("cannot write the output: is the disk full?");
}

Training::Training(Engine &engine, const Options &options)
    : engine_(engine), options_(options), program_(engine.program()), numbers_(program_.order),
      seed_(options.seed.value_or(program_.seed)), speaker_(engine.rank() == 0), checkpoints_(engine, options) {
    if (const std::optional<RunState> &resumed = checkpoints_.resumed()) {
        first_ = resumed->step;
        loss_sum_ = resumed->loss_sum;
        loss_count_ = resumed->loss_count;
        if (!options.seed)
            seed_ = resumed->seed;
    }
    engine.set_seed(seed_);
    together([this] {
        check_outputs();
        read_data();
    });
    agree(facts(), "the ranks have read different data", exit_failure);
    together([this] { check_outputs_differ(); }, exit_usage);
    together([this] { open_log(); });
    steps_ = total_steps();
    if (options.compare) {
        if (program_.reference_seconds > 0)
            reference_.emplace();
        clock_.emplace(static_cast<int>(program_.work.size()), program_.training_collectives);
        engine.set_clock(&*clock_);
    }
    if (!options.trace.empty())
        record_trace();
    if (!options.init.empty())
        agree_on_weights(options.init);
    together([this] { prepare_weights(); });
    if (program_.keep != Keep::last)
        best_.emplace(engine_, checkpoints_.resumed() ? &*checkpoints_.resumed() : nullptr);
    if (!options.save_init.empty())
        save_weights(program_, engine.mesh(), engine.rank(), engine.arena(), options.save_init);
}

void Training::check_outputs() const {
    if (!speaker_)
        return;
    for (const std::string &path : {options_.save, options_.save_init, options_.comm_report, options_.trace})
        if (!path.empty())
            check_writable(path);
}

void Training::read_data() {
    batches_.emplace(program_, engine_.role_mesh(), engine_.role_rank(), options_.data, seed_, engine_.role());
    const DataSource source = data_source(program_.data, options_.data);
    matrices_.emplace(
        program_, source, engine_.role(), [this](const Dimension &dimension) { return engine_.local_range(dimension); },
        [this](int collective) { return engine_.piece_ranges(collective); });
    engine_.set_matrices(matrices_->all());
    engine_.set_vertices(numbers_.vertices().data());
    if (program_.keep != Keep::last && batches_->validation_samples() == 0)
        throw Failure(text("data %s: nothing is to validate, so no epoch is the best one (keep)", program_.data.name));
    if (checkpoints_.resumed())
        check_resumed();
}

Facts Training::facts() const {
    Facts facts = batches_->facts();
    facts.insert(facts.end(), matrices_->facts().begin(), matrices_->facts().end());
    return facts;
}

void Training::check_outputs_differ() const {
    std::vector<NamedFile> inputs = {{"--init", options_.init}, {"the checkpoint", checkpoints_.resumed_file()}};
    for (const std::vector<std::string> &files : {batches_->files(), matrices_->files()})
        for (const std::string &file : files)
            inputs.push_back({text("data %s", program_.data.name), file});
    planrt::check_outputs_differ(options_, std::move(inputs));
}

void Training::open_log() {
    if (speaker_)
        log_.emplace(options_.log, options_.resume ? std::optional(first_) : std::nullopt);
}

void Training::prepare_weights() {
    for (const Variable &variable : program_.variables)
        if (variable.role == engine_.role())
            set_initial_values(variable, seed_, numbers_, engine_.role_mesh(), engine_.role_rank(), engine_.arena());
    if (!options_.init.empty())
        load_weights(program_, engine_.mesh(), engine_.rank(), engine_.arena(), options_.init);
    if (checkpoints_.resumed())
        load_checkpoint(program_, engine_.mesh(), engine_.rank(), engine_.arena(), checkpoints_.resumed_file());
    if (program_.set_up != nullptr)
        program_.set_up(engine_.context());
}

/// Checks that the run resumes with the same samples in the same order.
void Training::check_resumed() const {
    const RunState &resumed = *checkpoints_.resumed();
    const char *path = checkpoints_.resumed_file().c_str();
    const auto check = [path](const char *what, std::uint64_t then, std::uint64_t now) {
        if (then != now)
            throw Failure(text("%s: belongs to a run with %s %llu; this one has %llu", path, what,
                               static_cast<unsigned long long>(then), static_cast<unsigned long long>(now)));
    };
    check("seed", resumed.seed, seed_);
    check("batch", static_cast<std::uint64_t>(resumed.batch), static_cast<std::uint64_t>(program_.batch));
    check("a number of training samples of", static_cast<std::uint64_t>(resumed.samples),
          static_cast<std::uint64_t>(batches_->epoch_samples()));
}

RunState Training::state(std::int64_t steps_done) const {
    return {steps_done,
            seed_,
            program_.batch,
            batches_->epoch_samples(),
            loss_sum_,
            loss_count_,
            best_ ? best_->score() : BestScore{}};
}

std::int64_t Training::total_steps() const {
    const auto limit = [this](std::int64_t epochs, std::int64_t steps) {
        std::int64_t by_epochs = unlimited;
        if (epochs > 0 && __builtin_mul_overflow(epochs, batches_->steps_per_epoch(), &by_epochs))
            by_epochs = unlimited;
        const std::int64_t least = std::min(by_epochs, steps > 0 ? steps : unlimited);
        if (epochs > 0 && least == unlimited)
            throw CommonFailure(text("%lld epochs of %lld steps are more than can be counted",
                                     static_cast<long long>(epochs),
                                     static_cast<long long>(batches_->steps_per_epoch())),
                                exit_usage);
        return least;
    };
    if (options_.steps || options_.epochs)
        return limit(options_.epochs.value_or(0), options_.steps.value_or(0));
    const std::int64_t of_program = limit(program_.epochs, program_.steps);
    return of_program == unlimited ? batches_->steps_per_epoch() : of_program;
}

int Training::run() {
    try {
        const double begin = MPI_Wtime();
        print_start();
        keep_freed_memory();
        train();
        if (trace_)
            save_trace();
        if (signal_ != 0) {
            if (speaker_)
                log_->close();
            return 128 + signal_; // like a shell
        }
        if (best_)
            end_with_best();
        else if (first_ >= steps_ && evaluates()) // the result of a run that had no more steps to do
            result_ =
                evaluate({first_, (std::max<std::int64_t>(first_, 1) - 1) / batches_->steps_per_epoch() + 1, 0, 0});
        if (!options_.save.empty())
            save_weights(program_, engine_.mesh(), engine_.rank(), engine_.arena(), options_.save);
        std::optional<Times> times;
        if (clock_)
            times.emplace(program_, *clock_, reference_ ? reference_->seconds() : 0, cores_of_machine(options_.threads),
                          engine_.mesh().ranks());
        const bool as_predicted = options_.comm_report.empty() || report(times ? &*times : nullptr);
        if (speaker_) {
            log_->close();
            print_result(MPI_Wtime() - begin);
            if (times)
                print(times->table());
        }
        return as_predicted ? 0 : exit_traffic_differs;
    } catch (const CommonFailure &) {
        throw;
    } catch (const std::exception &failure) {
        abort_all_ranks(failure.what()); // before anything is taken down: communication may be under way
    }
}

void Training::record_trace() {
    together(
        [this] { trace_.emplace(most_records(program_, engine_.role()), static_cast<int>(options_.trace_steps)); });
    offset_ = measure_offset();
    engine_.set_trace(&*trace_);
}

void Training::save_trace() {
    engine_.set_trace(nullptr);
    write_trace(program_, engine_.rank(), engine_.role(), *trace_, {offset_, measure_offset()}, options_.trace);
}

bool Training::report(const Times *times) {
    engine_.set_clock(nullptr);
    // The buffers of functions that this run did not call count too.
    const auto run_on_zeros = [this](void (*function)(Context &), std::span<const Field> fields) {
        if (function == nullptr)
            return;
        for (const Field &field : fields)
            if (field.role == engine_.role())
                std::memset(engine_.arena() + field.tensor.offset, 0,
                            static_cast<std::size_t>(
                                local_volume(placement_of(field.tensor), engine_.role_mesh(), engine_.role_rank())) *
                                element_bytes(field.tensor.type));
        engine_.run_evaluation(function);
    };
    if (!evaluates())
        run_on_zeros(program_.evaluate_step, program_.evaluation_fields);
    run_on_zeros(program_.predict_step, program_.prediction_fields);
    return report_communication(program_, engine_.mesh(), engine_.rank(), std::max<std::int64_t>(steps_ - first_, 0),
                                {engine_.high_water(), batches_->bytes(), matrices_->bytes()}, times,
                                options_.comm_report);
}

void Training::train() {
    const std::int64_t per_epoch = batches_->steps_per_epoch();
    if (speaker_) {
        const Progress::Style style = options_.quiet         ? Progress::Style::none
                                      : output_is_terminal() ? Progress::Style::terminal
                                                             : Progress::Style::lines;
        progress_.emplace(style, steps_, per_epoch);
    }
    interruption_.emplace();
    if (best_ && first_ % per_epoch == 0 && best_->waited_enough(first_ / per_epoch))
        steps_ = first_;
    for (std::int64_t number = first_; number < steps_ && signal_ == 0; ++number) {
        if (number % per_epoch == 0) {
            loss_sum_ = 0;
            loss_count_ = 0;
        }
        if (number % per_epoch == 0 || number == first_)
            batches_->begin_epoch(number / per_epoch);
        const double begin = MPI_Wtime();
        if (clock_)
            clock_->begin_step();
        if (trace_)
            trace_->begin_step(number);
        const double loss = step(number);
        if (clock_)
            clock_->end_step();
        const StepRecord record{number + 1, number / per_epoch + 1, loss, MPI_Wtime() - begin};
        if (reference_)
            reference_->between_steps();
        if (speaker_) {
            log_->step(record);
            progress_->step(record);
            if (const std::optional<std::string> warning = divergence_.after(number + 1, loss))
                say_error(*warning);
        }
        const bool end_of_epoch = (number + 1) % per_epoch == 0;
        if (end_of_epoch || number + 1 == steps_)
            end_epoch(record);
        if (best_ && end_of_epoch && best_->waited_enough(record.epoch))
            steps_ = number + 1;
        const bool end_of_run = number + 1 == steps_;
        if (checkpoints_.due(number + 1, end_of_epoch, end_of_run))
            checkpoints_.save(state(number + 1));
        if (const int signal = interruption_->after(number + 1, record.seconds); signal != 0 && !end_of_run)
            stop(number + 1, signal);
    }
    interruption_.reset();
}

void Training::stop(std::int64_t steps_done, int signal) {
    signal_ = signal;
    if (checkpoints_.kept())
        checkpoints_.save(state(steps_done));
    if (!speaker_)
        return;
    const std::string kept = checkpoints_.kept()
                                 ? checkpoints_.saved_file() + " contains the state; --resume continues from it"
                                 : "the state is not saved, because --checkpoint DIR is not given";
    say_error(text("%s: stopped after step %lld; ", name_of_signal(signal), static_cast<long long>(steps_done)) + kept);
}

void Training::load(int body, const MicroBatch &part) {
    if (clock_)
        clock_->enter(StepClock::samples);
    batches_->load_train(batch_, body, part, engine_.context());
    if (clock_)
        clock_->enter(StepClock::rest);
}

double Training::step(std::int64_t number) {
    const std::int64_t per_epoch = batches_->steps_per_epoch();
    engine_.set_step(number);
    for (const Sum &sum : program_.sums)
        if (sum.role == engine_.role())
            std::fill(engine_.arena() + sum.begin, engine_.arena() + sum.end, std::byte{0});
    batch_ = number % per_epoch;
    engine_.run_training_step(load_);
    if (clock_)
        clock_->enter(StepClock::rest);
    const double loss = engine_.loss();
    if (!std::isfinite(loss))
        throw CommonFailure(text("step %lld (epoch %lld): the loss is %f; try a smaller rate",
                                 static_cast<long long>(number + 1), static_cast<long long>(number / per_epoch + 1),
                                 loss),
                            exit_failure);
    loss_sum_ += loss;
    ++loss_count_;
    last_loss_ = loss;
    return loss;
}

void Training::end_epoch(const StepRecord &last) {
    result_.reset();
    if (evaluates())
        result_ = evaluate(last);
    if (best_ && result_ && result_->validation)
        best_->after(last.epoch, *result_->validation);
    if (speaker_) {
        if (result_)
            log_->evaluation(*result_);
        progress_->epoch(last, loss_sum_ / static_cast<double>(loss_count_), result_ ? &*result_ : nullptr);
    }
}

/// From here on the weights are those of the best epoch. No checkpoint follows.
void Training::end_with_best() {
    best_->restore();
    if (!evaluates())
        return;
    result_ = evaluate({first_, best_->score().epoch, 0, 0});
    if (speaker_)
        log_->best(*result_);
}

void Training::print_start() const {
    if (!speaker_ || options_.quiet)
        return;
    const int ranks = engine_.mesh().ranks();
    std::printf("%s (%s): %d %s, mesh %s, layout %s; OpenBLAS for %s%s, %d %s a rank\n", program_.name, program_.source,
                ranks, ranks == 1 ? "rank" : "ranks", describe_mesh(program_).c_str(), program_.layout, blas().core,
                !onednn().loaded() ? "" : " and oneDNN", options_.threads,
                options_.threads == 1 ? "thread" : "threads");
    if (checkpoints_.resumed())
        std::printf("%s: %lld steps done\n", printable(checkpoints_.resumed_file()).c_str(),
                    static_cast<long long>(first_));
    else if (options_.resume)
        std::printf("no checkpoint in %s yet: from the beginning\n", printable(options_.resume_directory()).c_str());
    if (batches_->takes_all())
        std::printf("%lld samples to train on, %lld to validate, %lld to test; %lld steps of all %lld\n",
                    static_cast<long long>(batches_->train_samples()),
                    static_cast<long long>(batches_->validation_samples()),
                    static_cast<long long>(batches_->test_samples()), static_cast<long long>(steps_),
                    static_cast<long long>(program_.batch));
    else if (batches_->evaluates_all())
        std::printf("%lld samples to train on, %lld to validate, %lld to test; %lld steps of %lld samples with sampled "
                    "neighbours\n",
                    static_cast<long long>(batches_->train_samples()),
                    static_cast<long long>(batches_->validation_samples()),
                    static_cast<long long>(batches_->test_samples()), static_cast<long long>(steps_),
                    static_cast<long long>(program_.batch));
    else
        std::printf("%lld samples to train on, %lld to test; %lld steps of %lld samples\n",
                    static_cast<long long>(batches_->train_samples()), static_cast<long long>(batches_->test_samples()),
                    static_cast<long long>(steps_), static_cast<long long>(program_.batch));
    std::fflush(stdout);
}

void Training::print_result(double seconds) const {
    const std::optional<Score> score = result_ ? result_->test ? result_->test : result_->validation : std::nullopt;
    const char *part = result_ && !result_->test ? "validation" : "test";
    if (best_ && result_ && result_->validation->accuracy)
        std::printf("best epoch %lld: validation accuracy %.2f %%, ", static_cast<long long>(result_->epoch),
                    100 * *result_->validation->accuracy);
    else if (best_ && result_)
        std::printf("best epoch %lld: validation loss %.6g, ", static_cast<long long>(result_->epoch),
                    *result_->validation->loss);
    if (score && score->accuracy)
        std::printf("%s accuracy %.2f %%", part, 100 * *score->accuracy);
    else if (score && score->loss)
        std::printf("%s loss %.6g", part, *score->loss);
    else if (first_ < steps_)
        std::printf("loss %.6g", last_loss_);
    else
        std::printf("nothing to do");
    std::printf(" after %lld steps in %.2f s\n", static_cast<long long>(std::max(first_, steps_)), seconds);
    flush_output();
}

void Training::print(const std::string &table) {
    std::fputs(table.c_str(), stdout);
    flush_output();
}

} // namespace planrt

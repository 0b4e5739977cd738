#include "run/training/checkpoints.h"

#include "support/agreement.h"
#include "support/failure.h"

#include <filesystem>

namespace planrt {

namespace {

void broadcast(void *value, int count, MPI_Datatype type) {
    check_mpi(MPI_Bcast(value, count, type, 0, MPI_COMM_WORLD), "checkpoints");
}

} // namespace

std::string newest_checkpoint(const std::string &directory, int rank) {
    const CheckpointDirectory found(directory);
    std::int64_t step = -1;
    together([&] {
        if (rank != 0)
            return;
        std::vector<std::string> damaged;
        step = found.newest(damaged);
        for (const std::string &complaint : damaged)
            say_error(complaint);
        if (step < 0 && !damaged.empty())
            throw Failure(directory + ": has checkpoints, but none is complete");
    });
    broadcast(&step, 1, MPI_INT64_T);
    return step < 0 ? "" : found.file(step);
}

void agree_on_weights(const std::string &path) {
    std::string checksum;
    together([&] { checksum = weights_checksum(path); });
    agree({{"checksum", checksum}}, path + " is not the same file on all ranks", exit_failure);
}

Checkpoints::Checkpoints(Engine &engine, const Options &options)
    : engine_(engine), options_(options), saved_at_(MPI_Wtime()) {
    if (!options.checkpoint.empty())
        directory_.emplace(options.checkpoint);
    together([&] {
        if (!directory_ || engine_.rank() != 0)
            return;
        directory_->make();
        lock_.emplace(directory_->path());
    });
    if (options.resume)
        find_resumed();
    if (!resumed_file_.empty())
        agree_on_weights(resumed_file_);
    together([&] {
        if (!resumed_file_.empty())
            resumed_ = read_run_state(resumed_file_);
        if (lock_)
            prepare_directory();
    });
}

void Checkpoints::find_resumed() {
    const std::string &from = options_.resume_directory();
    resumed_file_ = newest_checkpoint(from, engine_.rank());
    if (resumed_file_.empty() && from != options_.checkpoint) // a first start is not a mistake, another name may be one
        throw CommonFailure(from + ": holds no checkpoint", exit_failure);
}

void Checkpoints::prepare_directory() {
    std::error_code ignored; // of a directory that is not there
    if (!options_.resume || !std::filesystem::equivalent(options_.resume_directory(), directory_->path(), ignored))
        check_directory_is_free();
    directory_->remove_begun();
    if (resumed_) // a killed run may have written one without removing another
        directory_->prune(options_.keep, resumed_->step);
}

void Checkpoints::check_directory_is_free() const {
    if (const std::vector<std::int64_t> steps = directory_->steps(); !steps.empty())
        throw Failure(text("%s already has checkpoints, the last one of step %lld: --resume continues from it",
                           directory_->path().c_str(), static_cast<long long>(steps.back())));
}

bool Checkpoints::due(std::int64_t steps_done, bool end_of_epoch, bool end_of_run) {
    if (!directory_)
        return false;
    if (end_of_run)
        return true;
    if (!options_.checkpoint_every && !options_.checkpoint_minutes)
        return end_of_epoch;
    int by_time = 0;
    if (options_.checkpoint_minutes) {
        by_time = MPI_Wtime() - saved_at_ >= 60 * *options_.checkpoint_minutes ? 1 : 0;
        broadcast(&by_time, 1, MPI_INT);
    }
    return by_time != 0 || (options_.checkpoint_every && steps_done % *options_.checkpoint_every == 0);
}

void Checkpoints::save(const RunState &state) {
    const std::string path = directory_->file(state.step);
    if (path == saved_file_) // this very state
        return;
    save_checkpoint(engine_.program(), engine_.mesh(), engine_.rank(), engine_.arena(), path, state);
    saved_file_ = path;
    saved_at_ = MPI_Wtime();
    if (engine_.rank() == 0)
        directory_->prune(options_.keep, state.step);
}

} // namespace planrt

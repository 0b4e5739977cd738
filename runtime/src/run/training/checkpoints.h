// Decides when a run saves its state, and finds the state from which it resumes.
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/directory.h"
#include "checkpoint/lock.h"
#include "run/engine/engine.h"
#include "run/options.h"

#include <optional>

namespace planrt {

/// The file of the newest intact checkpoint in a directory; empty if there are no checkpoints. Rank 0 finds it and
/// tells the other ranks. Collective over the world. Errors: CommonFailure, also if there are checkpoints but none is
/// intact.
[[nodiscard]] std::string newest_checkpoint(const std::string &directory, int rank);

/// Whether all ranks read the same file of weights under this name. Collective over the world. Errors: CommonFailure.
void agree_on_weights(const std::string &path);

class Checkpoints {
  public:
    /// Finds the checkpoint to resume from and prepares the directory. Collective over the world. Errors:
    /// CommonFailure.
    Checkpoints(Engine &engine, const Options &options);

    /// The state to resume from; none for a new run. It is the same on all ranks.
    [[nodiscard]] const std::optional<RunState> &resumed() const { return resumed_; }
    /// The file of that state.
    [[nodiscard]] const std::string &resumed_file() const { return resumed_file_; }

    /// Whether the state should be saved after the step just done. Collective over the world with --checkpoint-minutes,
    /// when rank 0's clock decides.
    [[nodiscard]] bool due(std::int64_t steps_done, bool end_of_epoch, bool end_of_run);
    /// Collective over the world. Errors: CommonFailure.
    void save(const RunState &state);
    /// The file of the last state that this run has saved; empty if there is none.
    [[nodiscard]] const std::string &saved_file() const { return saved_file_; }
    /// Whether states are saved at all.
    [[nodiscard]] bool kept() const { return directory_.has_value(); }

  private:
    void find_resumed();
    void prepare_directory();
    void check_directory_is_free() const;

    Engine &engine_;
    const Options &options_;
    std::optional<CheckpointDirectory> directory_; ///< to write to
    std::optional<DirectoryLock> lock_;            ///< on it; of rank 0
    std::optional<RunState> resumed_;
    std::string resumed_file_;
    std::string saved_file_;
    double saved_at_; ///< MPI_Wtime
};

} // namespace planrt

// Variables in safetensors files: whole tensors under their layer paths, whatever the layout that trains them.
//
// A checkpoint is such a file with all variables (weights and optimizer state) and the rest of the run's state in its
// metadata. PyTorch can read it directly.
#pragma once

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// The best epoch so far on the validation part, of a run that keeps its weights.
struct BestScore {
    std::int64_t epoch = 0; ///< counted from 1; 0: none yet
    double accuracy = 0;
    double loss = 0;
};

/// The state of a run besides its variables. With them, it is all that the next step depends on.
struct RunState {
    std::int64_t step = 0; ///< steps done; with the seed, they determine the position in the shuffled data
    std::uint64_t seed = 0;
    std::int64_t batch = 0;
    std::int64_t samples = 0;    ///< in the training part of the data
    double loss_sum = 0;         ///< over the steps of the current epoch
    std::int64_t loss_count = 0; ///< the number of these steps
    BestScore best = {};
};

/// Gathers every variable of the model at rank 0, which writes the file. The file appears under its name once it is
/// complete. Collective over the world. Errors: CommonFailure, already reported.
void save_weights(const Program &program, const Mesh &mesh, int rank, const std::byte *arena, const std::string &path);
/// The same for all variables and the state.
void save_checkpoint(const Program &program, const Mesh &mesh, int rank, const std::byte *arena,
                     const std::string &path, const RunState &state);

/// Reads this rank's part of every variable of the model. If the file is a checkpoint, rank 0 first verifies its
/// checksum; if it has the weights of a best epoch, these are read. Errors: Failure if the file is damaged, lacks a
/// variable, has one that the program lacks, or if a shape or type differs.
void load_weights(const Program &program, const Mesh &mesh, int rank, std::byte *arena, const std::string &path);
/// The same for all variables.
void load_checkpoint(const Program &program, const Mesh &mesh, int rank, std::byte *arena, const std::string &path);

/// Errors: Failure if the file is damaged or is not a checkpoint, or if no run can have been in this state.
[[nodiscard]] RunState read_run_state(const std::string &path);
/// Reads the whole file and verifies its checksum. Errors: Failure if the file has changed since it was written.
void verify_checkpoint(const std::string &path);
/// A checksum that is equal for equal weights: the checksum of the file or, for a checkpoint, that of its header, which
/// contains the checksum of the rest. Errors: Failure.
[[nodiscard]] std::string weights_checksum(const std::string &path);

} // namespace planrt

// Variables in safetensors files: whole tensors under their layer paths, whatever the layout that trains them.
//
// A checkpoint is such a file with all variables, weights and optimizer state, and what else a run is made of in its
// metadata; PyTorch reads it as it is.
#pragma once

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// What a run is made of besides its variables: with them all that its next step depends on.
struct RunState {
    std::int64_t step = 0; ///< steps done; with the seed it says where in the shuffled data the run stands
    std::uint64_t seed = 0;
    std::int64_t batch = 0;
    std::int64_t samples = 0;    ///< in the training part of the data
    double loss_sum = 0;         ///< over the steps of the epoch under way
    std::int64_t loss_count = 0; ///< how many they are
};

/// Gathers every variable of the model at rank 0, which writes the file; it appears when it is complete. Collective
/// over the world. Errors: CommonFailure, already reported.
void save_weights(const Program &program, const Mesh &mesh, int rank, const std::byte *arena, const std::string &path);
/// Likewise with all variables and the state.
void save_checkpoint(const Program &program, const Mesh &mesh, int rank, const std::byte *arena,
                     const std::string &path, const RunState &state);

/// Reads what this rank holds of every variable of the model; the file may be a checkpoint, whose checksum is then
/// compared first, at rank 0. Errors: Failure, where the file is broken, lacks a variable, has one that the program
/// lacks, or has another shape or type.
void load_weights(const Program &program, const Mesh &mesh, int rank, std::byte *arena, const std::string &path);
/// Likewise all variables.
void load_checkpoint(const Program &program, const Mesh &mesh, int rank, std::byte *arena, const std::string &path);

/// Errors: Failure where the file is damaged or no checkpoint, or where no run can have been in this state.
[[nodiscard]] RunState read_run_state(const std::string &path);
/// Reads the whole file: Failure where it is not what was written.
void verify_checkpoint(const std::string &path);
/// What is the same for the same weights: a checksum of the file, of a checkpoint of its header, in which that of the
/// rest stands. Errors: Failure.
[[nodiscard]] std::string weights_checksum(const std::string &path);

} // namespace planrt

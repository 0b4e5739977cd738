// The header of a program that is emitted to be simulated (`planc simulate`). It has the collectives of the real
// program, in the same order; each kernel takes its modelled time, and nothing is computed. Built with SimGrid's SMPI,
// which runs all ranks in one process.
#pragma once

#include <planrt/planrt.h>

#include <initializer_list>

namespace planrt {

/// The times of kernels. Ranks with equal blocks are one class.
struct ModelledKernels {
    int classes = 1;
    std::span<const double> seconds = {};             ///< by kernel, by class
    std::span<const std::int32_t> class_of_rank = {}; ///< empty: all are in class 0
};

/// Kernel `index` of ModelledKernels runs.
void modelled(Context &context, int index);

/// These kernels run with each piece of a staged gather; their times are for one piece.
void modelled_pieces(Context &context, int collective, std::initializer_list<int> kernels);

/// Runs training steps, with the arguments `FILE STEPS [DATA]`, and writes their times by layer and collective to FILE
/// (JSON): first each collective by itself, from when all ranks have started it until the last one has its result; then
/// the step as scheduled. DATA is the directory with the files of sparse matrices, as for `--data` of a program. Exit
/// code: 0 done, 1 failure, 2 wrong usage.
int simulate(const Program &program, const ModelledKernels &kernels, int argc, char **argv);

} // namespace planrt

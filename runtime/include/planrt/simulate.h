// What a program includes that is emitted to be simulated (`planc simulate`): its collectives are those of the program
// that is emitted to run, in the same order; each kernel takes the time that the cost model gives it, and nothing is
// computed. Built with SimGrid's SMPI, which runs all ranks in one process.
#pragma once

#include <planrt/planrt.h>

namespace planrt {

/// How long kernels take. Ranks with equal blocks are one class.
struct ModelledKernels {
    int classes = 1;
    std::span<const double> seconds = {};             ///< by kernel, by class
    std::span<const std::int32_t> class_of_rank = {}; ///< empty: all are of class 0
};

/// Kernel `index` of ModelledKernels runs.
void modelled(Context &context, int index);

/// Runs training steps, arguments `FILE STEPS`, and writes to FILE (JSON) how long they take by layer and collective:
/// first every collective by itself, from when all ranks have started it until the last one has it, then the step as it
/// is scheduled. Exit code: 0 done,
/// 1 failure, 2 wrong usage.
int simulate(const Program &program, const ModelledKernels &kernels, int argc, char **argv);

} // namespace planrt

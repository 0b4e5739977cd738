// From a scheduled module (schedule/schedule.h) and a machine to what every rank does in a step, with its seconds:
// kernels on the rank's own blocks (kernel_work.h), collectives by the blocks of the busiest member of each group
// (collective_price.h). What each role does is read off the step program: its bodies, and
// transfers between roles.
//
// Slices and views are free, as for cost::price(). Ranks that cannot be told apart are one class (rank_classes.h), so
// the work for 4,096 ranks depends on the number of different blocks, not on the number of ranks.
#pragma once

#include "cost/machine.h"
#include "timeline/program.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace planc::timeline {

[[nodiscard]] Program read_schedule(mlir::ModuleOp scheduled, const cost::Machine &machine);

/// The same, with the tables for a program that takes these times itself.
struct ReadSchedule {
    Program program;
    std::vector<int> class_of_rank;                 ///< index in Program::classes
    llvm::DenseMap<mlir::Operation *, int> kernels; ///< operations that take time: index in Program::kernels
};
[[nodiscard]] ReadSchedule read_whole_schedule(mlir::ModuleOp scheduled, const cost::Machine &machine);

} // namespace planc::timeline

// Runs an evaluation or a prediction that a pipeline has cut into functions of its stages.
#pragma once

#include "interpret/interpret.h"
#include "schedule/collective_info.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace planc::interpret {

/// Runs the functions of one purpose one after another, by stage, on the fields of one part of the batch. What a stage
/// sends is there when a later one begins. The results are those of all stages; collectives are not recorded. Throws
/// Failure.
[[nodiscard]] Outcome run_stages(mlir::ModuleOp module, const std::vector<mlir::func::FuncOp> &functions,
                                 const Inputs &inputs);

/// Throws Failure if the value does not lie as one that travels between roles must, on either side
/// (planrt::exchange()).
void check_transfer(const schedule::TransferInfo &info, const std::string &name);

} // namespace planc::interpret

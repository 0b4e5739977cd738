// Runs functions that take a part of a batch, on the whole batch.
#pragma once

#include "interpret/interpret.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::interpret {

/// Runs a training step: the step program of a scheduled module (step.h), or otherwise the function of each micro-batch
/// in turn. `inputs.fields` have the whole batch as their first dimension. Accumulators are zero at the beginning and
/// are not among the variables of the outcome. The result is the loss; the collectives are those of all micro-batches.
/// Throws Failure.
[[nodiscard]] Outcome run_train_step(mlir::ModuleOp module, const Inputs &inputs);

/// The inputs of a function that runs on the part of the batch which begins at `first`.
[[nodiscard]] Inputs inputs_of_part(mlir::func::FuncOp function, const Inputs &whole, std::int64_t first);

/// Runs @evaluate or @predict as often as the whole batch in `inputs.fields` requires. The last part is filled up with
/// the first sample, which is not `valid`. Results without dimensions are added; of others the samples are joined. The
/// collectives are those of all parts. Throws Failure.
[[nodiscard]] Outcome run_in_parts(mlir::ModuleOp module, mlir::StringRef name, const Inputs &inputs);

} // namespace planc::interpret

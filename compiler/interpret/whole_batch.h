// Functions that take a part of a batch, on the whole of it.
#pragma once

#include "interpret/interpret.h"

namespace planc::interpret {

/// Runs @accumulate_rest and @accumulate, if there are such, and then @train, each on the parts of the batch that begin
/// at the samples of its `plan.firsts`. `inputs.fields` have the whole batch as their first dimension. Accumulators are
/// zero at the beginning, and not among the variables of the outcome; its results are those of @train, its collectives
/// those of all parts. Throws Failure.
[[nodiscard]] Outcome run_train_step(mlir::ModuleOp module, const Inputs &inputs);

/// Runs @evaluate or @predict as often as the whole batch in `inputs.fields` takes; the last part is filled up with the
/// first sample, which is not `valid`. Results without dimensions are added, of others the samples joined. The
/// collectives are those of all parts. Throws Failure.
[[nodiscard]] Outcome run_in_parts(mlir::ModuleOp module, mlir::StringRef name, const Inputs &inputs);

} // namespace planc::interpret

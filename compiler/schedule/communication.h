// What a scheduled module communicates, for the proof that it cannot hang (messages/prove.h).
#pragma once

#include "messages/events.h"
#include "schedule/step_program.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace planc::schedule {

/// The events of all ranks in a training step. The module has a step program without a program::fault().
[[nodiscard]] messages::Events events_of_step(mlir::ModuleOp module, const Bodies &bodies);

/// Empty, or what would hang or meet something wrong: in the training step, in evaluation, or in prediction.
[[nodiscard]] std::string communication_fault(mlir::ModuleOp module, const Bodies &bodies);

} // namespace planc::schedule

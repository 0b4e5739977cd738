// Which slots of the arena the micro-batches of a training function take, before there are actions.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::schedule {

/// The last slot that a micro-batch of the function's kind takes; there may be further slots for larger ones.
[[nodiscard]] int last_slot(mlir::func::FuncOp function);

} // namespace planc::schedule

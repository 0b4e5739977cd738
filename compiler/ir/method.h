// How a collective runs, as attributes of plan.collective and plan.start: `algorithm = "ring", shape = array<i64: 4>`.
// Without these attributes, it runs as MPI's own call.
#pragma once

#include "mlir/IR/Operation.h"

#include <planrt/steps.h>

namespace planc::ir {

[[nodiscard]] planrt::Method method_of(mlir::Operation *op);
void set_method(mlir::Operation *op, const planrt::Method &method);

} // namespace planc::ir

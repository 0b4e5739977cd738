// Words about collectives, for comments and tables of the program.
#pragma once

#include "emit/emit.h"
#include "emit/step.h"
#include "ir/plan_dialect.h"

#include <string>

namespace planc::emit {

/// "all-reduce of gradient of h.w [pixel: 6, hidden: 8 over cols] over rows: 96 bytes, predicted 3.1 us"
[[nodiscard]] std::string describe(ir::StartOp start, const Step &step, const EmitInfo &info);
/// The same without names: "all-reduce of [pixel: 6, hidden: 8 over cols] over rows".
[[nodiscard]] std::string kind_and_shapes(ir::StartOp start);
/// "gradient of h.w, gradient of h.b"
[[nodiscard]] std::string tensor_names(ir::StartOp start);

} // namespace planc::emit

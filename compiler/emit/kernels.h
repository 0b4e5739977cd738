// One kernel of the schedule as C++ text: a call of the runtime or a loop nest.
#pragma once

#include "emit/body.h"

namespace planc::emit {

void write_gemm(Body &body, ir::GemmOp gemm);
void write_permute(Body &body, ir::PermuteOp permute);
void write_loops(Body &body, ir::LoopsOp loops);
/// A variable whose new value was made elsewhere.
void write_copy(Body &body, mlir::Value from, mlir::Value to);

} // namespace planc::emit

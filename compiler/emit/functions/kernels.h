// One kernel of the schedule as C++ text: a call of the runtime or a loop nest.
#pragma once

#include "emit/functions/body.h"
#include "emit/names/matrices.h"

#include <string>

namespace planc::emit {

/// An operand that arrives in pieces (schedule/staged.h), in the loop over them.
struct InPieces {
    mlir::Value value;  ///< none: all operands are whole
    std::string piece;  ///< the variable with the piece
    std::string number; ///< the variable with its number
};

/// Everything but loops: see schedule::is_kernel().
void write_kernel(Body &body, mlir::Operation *op, const Matrices &matrices, const InPieces &pieces = {});
void write_loops(Body &body, ir::LoopsOp loops);
/// A variable whose new value was made elsewhere.
void write_copy(Body &body, mlir::Value from, mlir::Value to);

} // namespace planc::emit

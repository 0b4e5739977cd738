// The signs of operators.
#pragma once

#include "syntax/ast.h"

namespace planc::syntax {

[[nodiscard]] const char *sign(BinaryOperator operation); ///< "+", "==", "and"

} // namespace planc::syntax

// C++ expressions of pointwise functions, from the templates of ir/pointwise.h.
#pragma once

#include "ir/plan_dialect.h"

#include <string>
#include <vector>

namespace planc::emit {

struct Expression {
    std::string text;
    bool atom = true;      ///< needs no parentheses as an operand
    std::string condition; ///< of a comparison: without "? 1 : 0"
};

/// Applies `function` to the operands; integers are converted if there are floating-point operands.
[[nodiscard]] Expression call_of(ir::PointwiseOp function, const std::vector<Expression> &operands);

/// How often the template of a function mentions an operand. If more than once, the operand should have a name.
[[nodiscard]] int mentions(ir::PointwiseOp function, unsigned operand);

/// "a + b", "std::max(a, b)" for the reductions sum, max, min.
[[nodiscard]] std::string combine(llvm::StringRef reduction, const std::string &a, const std::string &b);
/// "target += value;", "target = std::max(target, value);"
[[nodiscard]] std::string accumulate(llvm::StringRef reduction, const std::string &target, const std::string &value);
/// The neutral element.
[[nodiscard]] std::string neutral(llvm::StringRef reduction, mlir::Type element);

[[nodiscard]] std::string parenthesized(const Expression &expression);

} // namespace planc::emit

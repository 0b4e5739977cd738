#include "emit/functions/expression.h"

#include "emit/functions/body.h"
#include "ir/pointwise.h"
#include "schedule/functions.h"

#include <cstdlib>
#include <limits>

namespace planc::emit {

namespace {

constexpr std::string_view comparison_tail = " ? T(1) : T(0)";

/// T(0.5) -> 0.5F
std::string typed_literals(std::string_view text, mlir::Type element) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char *end = nullptr;
        if (text.substr(i, 2) == "T(") {
            const std::string digits(text.substr(i + 2));
            const double value = std::strtod(digits.c_str(), &end);
            if (end != digits.c_str() && *end == ')') {
                result += literal(value, element);
                i += 2 + static_cast<std::size_t>(end - digits.c_str());
                continue;
            }
            result += type_name(element) + "(";
            ++i;
            continue;
        }
        result += text[i];
    }
    return result;
}

/// The template with its literals: those of a condition in its type, the others in the type of the result.
std::string with_condition_type(std::string_view text, ir::PointwiseOp function, mlir::Type element) {
    if (function.getFunction() != "select")
        return typed_literals(text, element);
    const std::size_t question = text.find(" ?");
    const mlir::Type condition = schedule::tensor(function.getInputs()[0]).getElementType();
    return typed_literals(text.substr(0, question), condition) + typed_literals(text.substr(question), element);
}

/// Whether the placeholder at [begin, end) is a whole argument of a call.
bool is_argument(std::string_view text, std::size_t begin, std::size_t end) {
    const bool whole = begin == 0 && end == text.size();
    const bool opened = begin > 0 && (text[begin - 1] == '(' || text.substr(0, begin).ends_with(", "));
    const bool closed = end < text.size() && (text[end] == ')' || text[end] == ',');
    return whole || (opened && closed);
}

std::string substitute(std::string_view text, const std::vector<Expression> &operands) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{') {
            result += text[i];
            continue;
        }
        const Expression &operand = operands[static_cast<std::size_t>(text[i + 1] - '0')];
        result += is_argument(text, i, i + 3) ? operand.text : parenthesized(operand);
        i += 2;
    }
    return result;
}

/// Whether the text is a call of one function with nothing around it.
bool is_call(std::string_view text) {
    if (!(text.starts_with("std::") || text.starts_with("planrt::")) || !text.ends_with(")"))
        return false;
    int depth = 0;
    for (std::size_t i = text.find('('); i + 1 < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0)
            return false;
    }
    return true;
}

bool is_integer(mlir::Type type) {
    return type.isInteger();
}

/// Operands of different types are converted to the floating-point type among them.
std::vector<Expression> converted(ir::PointwiseOp function, std::vector<Expression> operands) {
    const size_t first = function.getFunction() == "select" ? 1 : 0; // a condition is only compared with zero
    mlir::Type common;
    bool mixed = false;
    for (size_t i = first; i < operands.size(); ++i) {
        const mlir::Type type = schedule::tensor(function.getInputs()[i]).getElementType();
        mixed = mixed || (common && type != common);
        common = !common || is_integer(common) ? type : common;
    }
    for (size_t i = first; mixed && i < operands.size(); ++i)
        if (is_integer(schedule::tensor(function.getInputs()[i]).getElementType()))
            operands[i] = {"static_cast<" + type_name(common) + ">(" + operands[i].text + ")", true, ""};
    return operands;
}

} // namespace

std::string parenthesized(const Expression &expression) {
    return expression.atom ? expression.text : "(" + expression.text + ")";
}

Expression call_of(ir::PointwiseOp function, const std::vector<Expression> &operands) {
    const mlir::Type element = function.getResult().getType().getElementType();
    std::string_view text = ir::find_pointwise(function.getFunction().str())->expression;
    const std::vector<Expression> values = converted(function, operands);
    if (text == "{0}") {
        if (schedule::tensor(function.getInputs()[0]).getElementType() == element)
            return values.front();
        return {"static_cast<" + type_name(element) + ">(" + values.front().text + ")", true, ""};
    }
    std::string condition;
    if (text.ends_with(comparison_tail))
        condition = substitute(text.substr(0, text.size() - comparison_tail.size()), values);
    if (function.getFunction() == "select" && !operands[0].condition.empty())
        return {operands[0].condition + substitute(text.substr(text.find(" ?")), values), false, ""};
    const std::string typed = with_condition_type(text, function, element);
    const std::string result = substitute(typed, values);
    return {result, is_call(typed), condition};
}

int mentions(ir::PointwiseOp function, unsigned operand) {
    const std::string_view text = ir::find_pointwise(function.getFunction().str())->expression;
    const std::string place_holder = "{" + std::to_string(operand) + "}";
    int count = 0;
    for (std::size_t at = text.find(place_holder); at != std::string_view::npos; at = text.find(place_holder, at + 1))
        ++count;
    return count;
}

std::string combine(llvm::StringRef reduction, const std::string &a, const std::string &b) {
    return reduction == "sum" ? a + " + " + b : "std::" + reduction.str() + "(" + a + ", " + b + ")";
}

std::string accumulate(llvm::StringRef reduction, const std::string &target, const std::string &value) {
    return reduction == "sum" ? target + " += " + value + ";"
                              : target + " = " + combine(reduction, target, value) + ";";
}

std::string neutral(llvm::StringRef reduction, mlir::Type element) {
    if (reduction == "sum")
        return literal(0, element);
    const double infinity = std::numeric_limits<double>::infinity();
    if (!is_integer(element))
        return literal(reduction == "max" ? -infinity : infinity, element);
    return "std::numeric_limits<int32_t>::" + std::string(reduction == "max" ? "min()" : "max()");
}

} // namespace planc::emit

// Operators: on numbers and quantities at compile time, on tensors as pointwise operations.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <cmath>

namespace planc::sema {

PLANC_DIAGNOSTIC(integer_overflow, error, "this number does not fit into 64 bits"); // X3
PLANC_DIAGNOSTIC(inexact_division, error, "{0} is not a multiple of {1}");          // X3
PLANC_DIAGNOSTIC(division_by_zero, error, "division by zero");                      // X3
PLANC_DIAGNOSTIC(not_a_finite_number, error, "the result is not a finite number");  // X3
PLANC_DIAGNOSTIC(unit_mismatch, error, "'{0}' of {1} and {2}");                     // L6
PLANC_DIAGNOSTIC(wrong_operand, error, "'{0}' cannot be applied to {1}");           // X2

using Operator = syntax::BinaryOperator;

namespace {

const char *symbol(Operator operation) {
    switch (operation) {
    case Operator::add:
        return "+";
    case Operator::subtract:
        return "-";
    case Operator::multiply:
        return "*";
    case Operator::divide:
        return "/";
    case Operator::remainder:
        return "%";
    case Operator::equal:
        return "==";
    case Operator::not_equal:
        return "!=";
    case Operator::less:
        return "<";
    case Operator::less_equal:
        return "<=";
    case Operator::greater:
        return ">";
    case Operator::greater_equal:
        return ">=";
    case Operator::logical_and:
        return "and";
    case Operator::logical_or:
        return "or";
    }
    return "?";
}

const char *function_name(Operator operation) {
    switch (operation) {
    case Operator::add:
        return "add";
    case Operator::subtract:
        return "sub";
    case Operator::multiply:
        return "mul";
    case Operator::remainder:
        return "modulo";
    case Operator::equal:
        return "equal";
    case Operator::not_equal:
        return "not_equal";
    case Operator::less:
        return "less";
    case Operator::less_equal:
        return "less_equal";
    case Operator::greater:
        return "greater";
    case Operator::greater_equal:
        return "greater_equal";
    default:
        return "div";
    }
}

bool is_comparison(Operator operation) {
    return operation >= Operator::equal && operation <= Operator::greater_equal;
}

std::optional<double> number_of(const Value &value) {
    if (const auto *integer = value.get<std::int64_t>())
        return static_cast<double>(*integer);
    if (const auto *number = value.get<double>())
        return *number;
    return std::nullopt;
}

template <class T> bool compare(Operator operation, const T &left, const T &right) {
    switch (operation) {
    case Operator::equal:
        return left == right;
    case Operator::not_equal:
        return left != right;
    case Operator::less:
        return left < right;
    case Operator::less_equal:
        return left <= right;
    case Operator::greater:
        return left > right;
    default:
        return left >= right;
    }
}

} // namespace

Value Elaborator::unary(const syntax::Unary &unary, SourceRange where) {
    const Value operand = evaluate(*unary.operand);
    if (unary.operation == syntax::UnaryOperator::logical_not)
        return {!expect_boolean(context(), operand, unary.operand->where, "the operand of 'not'")};
    if (operand.get<TensorValue>())
        return {pointwise("neg", {*operand.get<TensorValue>()}, where)};
    return arithmetic(Operator::subtract, Value{std::int64_t{0}}, extent_for_dimension(context(), operand, where),
                      where);
}

Value Elaborator::binary(const syntax::Binary &binary, SourceRange where) {
    Value left = evaluate(*binary.left);
    if (binary.operation == Operator::logical_and || binary.operation == Operator::logical_or) {
        const std::string what = std::string("an operand of '") + symbol(binary.operation) + "'";
        const bool first = expect_boolean(context(), left, binary.left->where, what);
        if (first == (binary.operation == Operator::logical_or))
            return {first};
        return {expect_boolean(context(), evaluate(*binary.right), binary.right->where, what)};
    }
    Value right = evaluate(*binary.right);
    // The target of a loss takes its shape from the other side: classifier(x) - y.
    if (left.get<FieldValue>() && right.get<TensorValue>())
        left = {field(*left.get<FieldValue>(), type_of(*right.get<TensorValue>()), binary.left->where)};
    if (right.get<FieldValue>() && left.get<TensorValue>())
        right = {field(*right.get<FieldValue>(), type_of(*left.get<TensorValue>()), binary.right->where)};
    left = extent_for_dimension(context(), left, binary.left->where);
    right = extent_for_dimension(context(), right, binary.right->where);
    if (is_comparison(binary.operation))
        return comparison(binary.operation, left, right, where);
    return arithmetic(binary.operation, left, right, where);
}

Value Elaborator::whole_arithmetic(Operator operation, std::int64_t left, std::int64_t right, SourceRange where) const {
    std::int64_t result = 0;
    bool overflow = false;
    switch (operation) {
    case Operator::add:
        overflow = __builtin_add_overflow(left, right, &result);
        break;
    case Operator::subtract:
        overflow = __builtin_sub_overflow(left, right, &result);
        break;
    case Operator::multiply:
        overflow = __builtin_mul_overflow(left, right, &result);
        break;
    default:
        if (right == 0)
            fail(division_by_zero, where, {});
        if (operation == Operator::remainder) {
            const std::int64_t rest = right == -1 ? 0 : left % right;
            return {rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest};
        }
        if (right == -1)
            return whole_arithmetic(Operator::subtract, 0, left, where);
        if (left % right != 0)
            fail(inexact_division, where, {std::to_string(left), std::to_string(right)},
                 {hint("write one of them with a fraction for a number that is not whole")});
        result = left / right;
    }
    if (overflow)
        fail(integer_overflow, where, {});
    return {result};
}

Value Elaborator::quantity(QuantityValue value, SourceRange where) const {
    if (!std::isfinite(value.value))
        fail(not_a_finite_number, where, {});
    return {value};
}

Value Elaborator::quantities(Operator operation, const Value &left, const Value &right, SourceRange where) const {
    const auto *a = left.get<QuantityValue>();
    const auto *b = right.get<QuantityValue>();
    const std::optional<double> x = number_of(left);
    const std::optional<double> y = number_of(right);
    if (a && b && a->measure == b->measure && operation == Operator::add)
        return quantity({a->value + b->value, a->measure}, where);
    if (a && b && a->measure == b->measure && operation == Operator::subtract)
        return quantity({a->value - b->value, a->measure}, where);
    if (a && b && a->measure == b->measure && operation == Operator::divide && b->value != 0)
        return {a->value / b->value};
    if (a && y && operation == Operator::multiply)
        return quantity({a->value * *y, a->measure}, where);
    if (x && b && operation == Operator::multiply)
        return quantity({*x * b->value, b->measure}, where);
    if (a && y && operation == Operator::divide && *y != 0)
        return quantity({a->value / *y, a->measure}, where);
    // `-x` of a quantity x is 0 - x, and zero has any measure.
    if (b && x && *x == 0 && operation == Operator::subtract)
        return quantity({-b->value, b->measure}, where);
    fail(unit_mismatch, where, {symbol(operation), describe(left), describe(right)});
}

Value Elaborator::arithmetic(Operator operation, const Value &left, const Value &right, SourceRange where) {
    const auto *a = left.get<TensorValue>();
    const auto *b = right.get<TensorValue>();
    const std::optional<double> x = number_of(left);
    const std::optional<double> y = number_of(right);
    if ((a || x) && (b || y) && (a || b)) {
        const TensorValue first = a ? *a : constant_beside(*b, left, where);
        const TensorValue second = b ? *b : constant_beside(*a, right, where);
        if ((operation == Operator::divide || operation == Operator::remainder) && y && *y == 0)
            fail(division_by_zero, where, {});
        return {pointwise(function_name(operation), {first, second}, where)};
    }
    if (operation == Operator::add && left.get<ListValue>() && right.get<ListValue>()) {
        std::vector<Value> items = **left.get<ListValue>();
        count_work(static_cast<std::int64_t>(items.size() + (*right.get<ListValue>())->size()), where);
        items.insert(items.end(), (*right.get<ListValue>())->begin(), (*right.get<ListValue>())->end());
        return list_of(std::move(items));
    }
    if (left.get<QuantityValue>() || right.get<QuantityValue>())
        return quantities(operation, left, right, where);
    if (!x || !y)
        fail(wrong_operand, where, {symbol(operation), describe(x || a ? right : left)});
    if (left.get<std::int64_t>() && right.get<std::int64_t>())
        return whole_arithmetic(operation, *left.get<std::int64_t>(), *right.get<std::int64_t>(), where);
    if (operation == Operator::remainder)
        fail(wrong_operand, where, {symbol(operation), "numbers that are not whole"});
    if (operation == Operator::divide && *y == 0)
        fail(division_by_zero, where, {});
    const double result = operation == Operator::add        ? *x + *y
                          : operation == Operator::subtract ? *x - *y
                          : operation == Operator::multiply ? *x * *y
                                                            : *x / *y;
    if (!std::isfinite(result))
        fail(not_a_finite_number, where, {});
    return {result};
}

/// O7: 1 or 0 of i32.
Value Elaborator::tensor_comparison(Operator operation, const Value &left, const Value &right, SourceRange where) {
    const auto *a = left.get<TensorValue>();
    const auto *b = right.get<TensorValue>();
    const Value &other = a ? right : left;
    if (!other.get<TensorValue>() && !number_of(other))
        fail(wrong_operand, where, {symbol(operation), describe(other)});
    const TensorValue first = a ? *a : constant_beside(*b, left, where);
    const TensorValue second = b ? *b : constant_beside(*a, right, where);
    check_same_element(function_name(operation), {first, second}, where);
    return {append_pointwise(function_name(operation), {first, second}, ElementType::i32, where)};
}

Value Elaborator::comparison(Operator operation, const Value &left, const Value &right, SourceRange where) {
    if (left.get<TensorValue>() || right.get<TensorValue>())
        return tensor_comparison(operation, left, right, where);
    if (left.get<std::int64_t>() && right.get<std::int64_t>())
        return {compare(operation, *left.get<std::int64_t>(), *right.get<std::int64_t>())};
    if (number_of(left) && number_of(right))
        return {compare(operation, *number_of(left), *number_of(right))};
    const auto *a = left.get<QuantityValue>();
    const auto *b = right.get<QuantityValue>();
    if (a && b && a->measure == b->measure)
        return {compare(operation, a->value, b->value)};
    if (left.get<std::string>() && right.get<std::string>())
        return {compare(operation, *left.get<std::string>(), *right.get<std::string>())};
    if (left.get<bool>() && right.get<bool>() && (operation == Operator::equal || operation == Operator::not_equal))
        return {compare(operation, *left.get<bool>(), *right.get<bool>())};
    fail(unit_mismatch, where, {symbol(operation), describe(left), describe(right)});
}

Value Elaborator::compile_time_function(const std::string &function, const std::vector<Value> &arguments,
                                        SourceRange where) const {
    const double x = number_of(arguments[0]).value_or(0);
    const double y = arguments.size() > 1 ? number_of(arguments[1]).value_or(0) : 0;
    const std::map<std::string, double> results = {
        {"identity", x},
        {"neg", -x},
        {"exp", std::exp(x)},
        {"log", std::log(x)},
        {"sqrt", std::sqrt(x)},
        {"rsqrt", 1 / std::sqrt(x)},
        {"tanh", std::tanh(x)},
        {"sigmoid", 1 / (1 + std::exp(-x))},
        {"relu", std::max(x, 0.)},
        {"abs", std::abs(x)},
        {"square", x * x},
        {"reciprocal", 1 / x},
        {"stop_gradient", x},
        {"sin", std::sin(x)},
        {"cos", std::cos(x)},
        {"erf", std::erf(x)},
        {"gelu", x / 2 * (1 + std::erf(x / std::sqrt(2.)))},
        {"silu", x / (1 + std::exp(-x))},
        {"softplus", std::log1p(std::exp(x))},
        {"maximum", std::max(x, y)},
        {"minimum", std::min(x, y)},
        {"power", std::pow(x, y)},
    };
    const double result = results.at(function);
    if (!std::isfinite(result))
        fail(not_a_finite_number, where, {});
    // Whole numbers stay whole: maximum(1, hidden / 4), sqrt(64).
    const bool whole = std::all_of(arguments.begin(), arguments.end(),
                                   [](const Value &value) { return value.get<std::int64_t>() != nullptr; });
    if (whole && std::abs(result) < 0x1p53 && std::floor(result) == result)
        return {static_cast<std::int64_t>(result)};
    return {result};
}

} // namespace planc::sema

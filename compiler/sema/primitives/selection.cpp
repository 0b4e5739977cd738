// Operations that choose: select, indices and what is looked up by them, dropout; random numbers; and the conversion of
// elements.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"
#include "sema/values/settings.h"

#include <algorithm>
#include <limits>
#include <numbers>

namespace planc::sema {

PLANC_DIAGNOSTIC(not_a_condition, error, "'select' takes a condition of i32, such as 'x > 0', got {0}");      // O8
PLANC_DIAGNOSTIC(not_indices, error, "'embedding' takes indices of i32, got {0}");                            // O9
PLANC_DIAGNOSTIC(shared_dimension, error, "'embedding' has dimension '{0}' in its indices and in its table"); // O9
PLANC_DIAGNOSTIC(too_many_indices, error, "'iota' of {0}: the last index does not fit i32");                  // O10

static ElementType element_named(const std::string &word) {
    return word == "f64" ? ElementType::f64 : word == "i32" ? ElementType::i32 : ElementType::f32;
}

Value Elaborator::select(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"condition", "x", "y"});
    const TensorValue condition = tensor_argument(arguments, "condition");
    if (condition.element != ElementType::i32)
        fail(not_a_condition, arguments.require("condition").where, {to_string(condition)});
    const syntax::CallArgument &first = arguments.require("x");
    const syntax::CallArgument &second = arguments.require("y");
    const Value x = argument(first);
    const Value y = argument(second);
    const TensorValue *beside = x.get<TensorValue>() ? x.get<TensorValue>() : y.get<TensorValue>();
    const TensorValue of_layer{-1, frame_->element, {}};
    const auto operand = [&](const Value &value, const syntax::CallArgument &given, const char *name) {
        if (const auto *tensor = value.get<TensorValue>())
            return *tensor;
        static_cast<void>(expect_number(context(), value, given.where, arguments.what(name)));
        return constant_beside(beside ? *beside : of_layer, value, given.where);
    };
    const TensorValue a = operand(x, first, "x");
    const TensorValue b = operand(y, second, "y");
    check_same_element("select", {a, b}, where);
    return {append_pointwise("select", {condition, a, b}, a.element, where)};
}

Value Elaborator::cast(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "element"});
    const TensorValue x = tensor_argument(arguments, "x");
    ElementType element = frame_->element;
    if (const syntax::CallArgument *given = arguments.find("element"))
        element =
            element_named(expect_word(context(), *given->value, arguments.what("element"), {"f32", "f64", "i32"}));
    if (element == x.element)
        return {x};
    return {append_pointwise("identity", {x}, element, where)};
}

Value Elaborator::iota(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"dimension"});
    const syntax::CallArgument &given = arguments.require("dimension");
    const DimensionValue dimension =
        expect_dimension(context(), constant_argument(given), given.where, arguments.what("dimension"));
    if (dimension.extent - 1 > std::numeric_limits<std::int32_t>::max())
        fail(too_many_indices, given.where, {to_string(dimension)});
    Operation operation;
    operation.kind = OperationKind::iota;
    return {append(std::move(operation), {dimension}, ElementType::i32, where)};
}

Value Elaborator::embedding(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"indices", "table", "over"});
    const TensorValue indices = tensor_argument(arguments, "indices");
    if (indices.element != ElementType::i32)
        fail(not_indices, arguments.require("indices").where, {to_string(indices)});
    const TensorValue table = tensor_argument(arguments, "table");
    const SourceRange table_where = arguments.require("table").where;
    check_floating("embedding", table, table_where);
    if (table.dimensions.empty())
        fail_no_dimensions("embedding", table, table_where);
    std::size_t looked_up = 0;
    if (const syntax::CallArgument *over = arguments.find("over")) {
        looked_up = position_over(table, arguments, *over);
    }
    std::vector<DimensionValue> dimensions = indices.dimensions;
    for (std::size_t i = 0; i < table.dimensions.size(); ++i) {
        for (const DimensionValue &dimension : indices.dimensions)
            if (dimension.role == table.dimensions[i].role)
                fail(shared_dimension, where, {dimension.role});
        if (i != looked_up)
            dimensions.push_back(table.dimensions[i]);
    }
    Operation operation;
    operation.kind = OperationKind::embedding;
    operation.operands = {indices.id, table.id};
    operation.roles = {table.dimensions[looked_up].role};
    return {append(std::move(operation), std::move(dimensions), table.element, where)};
}

/// O15; with the rate 0 it is x.
Value Elaborator::dropout(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "rate"});
    const TensorValue x = tensor_argument(arguments, "x");
    check_floating("dropout", x, arguments.require("x").where);
    const syntax::CallArgument &rate = arguments.require("rate");
    Operation operation;
    operation.kind = OperationKind::dropout;
    operation.operands = {x.id};
    operation.number = expect_fraction(context(), constant_argument(rate), rate.where, arguments.what("rate"));
    if (operation.number == 0)
        return {x};
    operation.text = random_key("dropout");
    return {append(std::move(operation), x.dimensions, x.element, where)};
}

/// The name of the random numbers of one call, unique in the network.
std::string Elaborator::random_key(const std::string &function) {
    std::string key = join(site_.layer, function);
    if (const int earlier = random_keys_[key]++; earlier > 0)
        key += "[" + std::to_string(earlier) + "]";
    return key;
}

/// O25. A normal number is made of two uniform ones: Box, Muller 1958.
Value Elaborator::random(const syntax::Call &call, SourceRange where) {
    const std::string &name = call.callee.text;
    const Arguments arguments(context(), call, {"shape"});
    const ElementType element = frame_->element;
    const std::vector<DimensionValue> dimensions = reshaped({}, arguments.require("shape"));
    const std::string key = random_key(name);
    const auto uniform = [&](const std::string &purpose) {
        Operation operation;
        operation.kind = OperationKind::random;
        operation.text = key + purpose;
        return append(std::move(operation), dimensions, element, where);
    };
    if (name == "random_uniform")
        return {append_pointwise("identity", {uniform("")}, element, where)};
    const auto number = [&](double value) { return constant(value, element, where); };
    const TensorValue above_zero = append_pointwise("sub", {number(1), uniform("")}, element, where);
    const TensorValue logarithm = append_pointwise("log", {above_zero}, element, where);
    const TensorValue square = append_pointwise("mul", {logarithm, number(-2)}, element, where);
    const TensorValue radius = append_pointwise("sqrt", {square}, element, where);
    const TensorValue angle =
        append_pointwise("mul", {uniform(".angle"), number(2 * std::numbers::pi)}, element, where);
    return {append_pointwise("mul", {radius, append_pointwise("cos", {angle}, element, where)}, element, where)};
}

} // namespace planc::sema

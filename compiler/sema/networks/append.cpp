// Appending operations to the network: inputs, constants, pointwise functions, and the checks that all share.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"
#include "sema/values/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(extent_mismatch, error, "'{0}' meets dimension '{1}' with extents {2} and {3}");          // D6
PLANC_DIAGNOSTIC(element_mismatch, error, "'{0}' takes tensors of one element type, got {1} and {2}");     // O1
PLANC_DIAGNOSTIC(not_floating, error, "'{0}' takes tensors of floating-point numbers, got {1}");           // O1
PLANC_DIAGNOSTIC(not_whole, error, "'{0}' takes tensors of i32, got {1}");                                 // O1
PLANC_DIAGNOSTIC(duplicate_dimension, error, "dimension '{0}' occurs twice in one tensor");                // D3
PLANC_DIAGNOSTIC(tensor_too_large, error, "the tensor {0} does not fit into 64 bits");                     // D5
PLANC_DIAGNOSTIC(network_too_large, error, "the tensors of the network take more than 2^60 bytes");        // D5
PLANC_DIAGNOSTIC(too_many_operations, error, "the network has more than {0} operations");                  // N7
PLANC_DIAGNOSTIC(beyond_f32, error, "a number beside tensors of f32 must lie between -3.4e38 and 3.4e38"); // L5
PLANC_DIAGNOSTIC(tensor_outside_network, error, "a tensor is not allowed here");                           // X2

namespace {

/// The function as the user wrote it: '+' for add.
std::string as_written(const std::string &function) {
    static const std::map<std::string, std::string> operators = {{"add", "+"},
                                                                 {"sub", "-"},
                                                                 {"mul", "*"},
                                                                 {"div", "/"},
                                                                 {"modulo", "%"},
                                                                 {"neg", "-"},
                                                                 {"equal", "=="},
                                                                 {"less", "<"},
                                                                 {"less_equal", "<="},
                                                                 {"greater", ">"},
                                                                 {"greater_equal", ">="},
                                                                 {"not_equal", "!="}};
    const auto sign = operators.find(function);
    return sign == operators.end() ? function : sign->second;
}

/// Pointwise functions that are the same on whole numbers.
bool takes_whole_numbers(const std::string &function) {
    static const std::set<std::string> functions = {"identity", "neg",     "abs",     "square", "add",          "sub",
                                                    "mul",      "maximum", "minimum", "modulo", "stop_gradient"};
    return functions.contains(function);
}

constexpr std::int64_t most_operations = 50'000;

} // namespace

TensorValue Elaborator::append(Operation operation, std::vector<DimensionValue> dimensions, ElementType element,
                               SourceRange where) {
    if (!network_)
        fail_no_network(where);
    if (std::cmp_greater_equal(network_->operations.size(), most_operations))
        stop(too_many_operations, where, {std::to_string(most_operations)});
    TensorValue result{static_cast<ValueId>(network_->operations.size()), element, std::move(dimensions)};
    check_distinct(result.dimensions, where);
    std::int64_t bytes = byte_size(element);
    for (const DimensionValue &dimension : result.dimensions)
        if (__builtin_mul_overflow(bytes, dimension.extent, &bytes))
            fail(tensor_too_large, where, {to_string(result)});
    if (bytes > most_bytes - bytes_)
        stop(network_too_large, where, {}, {hint("this tensor is " + to_string(result))});
    bytes_ += bytes;
    operation.type = type_of(result);
    operation.where = context().in_root(where);
    if (operation.kind != OperationKind::input && operation.layer.empty())
        operation.layer = site_.layer;
    if (!operation.layer.empty() && known_layers_.insert(operation.layer).second)
        network_->layers.push_back(operation.layer);
    network_->operations.push_back(std::move(operation));
    return result;
}

void Elaborator::fail_no_network(SourceRange where) const {
    fail(tensor_outside_network, where, {});
}

TensorValue Elaborator::input(const std::string &name, const TensorType &type, SourceRange where) {
    Operation operation;
    operation.kind = OperationKind::input;
    operation.text = name;
    std::vector<DimensionValue> dimensions;
    for (const Dimension &dimension : type.dimensions)
        dimensions.push_back({dimension.role, dimension.extent, DimensionValue::by_role, where});
    return append(std::move(operation), std::move(dimensions), type.element, where);
}

TensorValue Elaborator::constant(double value, ElementType element, SourceRange where) {
    Operation operation;
    operation.kind = OperationKind::constant;
    operation.number = value;
    if (element == ElementType::f32 && std::abs(value) > std::numeric_limits<float>::max())
        fail(beyond_f32, where, {});
    return append(std::move(operation), {}, element, where);
}

TensorValue Elaborator::constant_beside(const TensorValue &tensor, const Value &number, SourceRange where) {
    if (tensor.element != ElementType::i32)
        return constant(expect_number(context(), number, where, "an operand"), tensor.element, where);
    using Limits = std::numeric_limits<std::int32_t>;
    return constant(static_cast<double>(expect_integer_in(context(), number, where, "a number beside a tensor of i32",
                                                          Limits::min(), Limits::max())),
                    tensor.element, where);
}

TensorValue Elaborator::pointwise(const std::string &function, const std::vector<TensorValue> &operands,
                                  SourceRange where) {
    for (const TensorValue &operand : operands) {
        if (function == "modulo" && operand.element != ElementType::i32)
            fail(not_whole, where, {as_written(function), to_string(operand)});
        if (!takes_whole_numbers(function))
            check_floating(function, operand, where);
    }
    check_same_element(function, operands, where);
    return append_pointwise(function, operands, operands.front().element, where);
}

TensorValue Elaborator::append_pointwise(const std::string &function, const std::vector<TensorValue> &operands,
                                         ElementType element, SourceRange where) {
    Operation operation;
    operation.kind = OperationKind::pointwise;
    operation.text = function;
    for (const TensorValue &operand : operands)
        operation.operands.push_back(operand.id);
    return append(std::move(operation), broadcast(function, operands, where), element, where);
}

std::vector<DimensionValue> Elaborator::broadcast(const std::string &function, const std::vector<TensorValue> &operands,
                                                  SourceRange where) {
    std::vector<DimensionValue> result;
    for (const TensorValue &operand : operands)
        for (const DimensionValue &dimension : operand.dimensions) {
            const auto same = std::find_if(result.begin(), result.end(),
                                           [&](const DimensionValue &other) { return other.role == dimension.role; });
            if (same == result.end())
                result.push_back(dimension);
            else
                check_equal_extents(function, *same, dimension, where);
        }
    // A mask of [position, key] does not turn scores of [batch, head, position, key] around.
    const auto widest = std::max_element(operands.begin(), operands.end(), [](const auto &one, const auto &other) {
        return one.dimensions.size() < other.dimensions.size();
    });
    std::stable_partition(result.begin(), result.end(), [&](const DimensionValue &dimension) {
        return std::any_of(widest->dimensions.begin(), widest->dimensions.end(),
                           [&](const DimensionValue &other) { return other.role == dimension.role; });
    });
    std::copy(widest->dimensions.begin(), widest->dimensions.end(), result.begin());
    return result;
}

void Elaborator::check_equal_extents(const std::string &function, const DimensionValue &left,
                                     const DimensionValue &right, SourceRange where) const {
    if (left.extent == right.extent)
        return;
    fail(extent_mismatch, where,
         {as_written(function), right.role, std::to_string(left.extent), std::to_string(right.extent)},
         {{left.where, std::to_string(left.extent) + " comes from here"},
          {right.where, std::to_string(right.extent) + " comes from here"}});
}

void Elaborator::check_floating(const std::string &function, const TensorValue &tensor, SourceRange where) const {
    if (tensor.element == ElementType::i32)
        fail(not_floating, where, {as_written(function), to_string(tensor)});
}

void Elaborator::check_same_element(const std::string &function, const std::vector<TensorValue> &operands,
                                    SourceRange where) const {
    for (const TensorValue &operand : operands)
        if (operand.element != operands.front().element)
            fail(element_mismatch, where,
                 {as_written(function), name(operands.front().element), name(operand.element)});
}

void Elaborator::check_distinct(const std::vector<DimensionValue> &dimensions, SourceRange where) const {
    std::set<std::string> roles;
    for (const DimensionValue &dimension : dimensions)
        if (!roles.insert(dimension.role).second)
            fail(duplicate_dimension, where, {dimension.role},
                 {hint("a second dimension of that role is written " + dimension.role + "'")});
}

TensorValue Elaborator::expect_tensor(const Value &value, SourceRange where, const std::string &what) const {
    if (const auto *tensor = value.get<TensorValue>())
        return *tensor;
    const std::vector<Note> notes =
        value.get<ListValue>() ? std::vector<Note>{hint("'xs[0]' is the first value of a list")} : std::vector<Note>();
    fail_wrong_type(context(), where, what, "a tensor", value, notes);
}

} // namespace planc::sema

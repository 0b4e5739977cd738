// Values on the entries of a sparse argument (O22): tensors with its rows and columns among their dimensions. They
// stand for all pairs, and are 0 or without meaning where there is no entry; fuse-edges computes sums over them entry
// by entry.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(not_on_edges, error, "{1} is no value on the entries of {0}: it lacks '{2}'");             // O22
PLANC_DIAGNOSTIC(not_in_tensor, error, "the weights {0} have dimension '{2}', but the tensor {1} has not"); // O21
PLANC_DIAGNOSTIC(nothing_to_sum, error, "'sddmm' needs a dimension to sum over, got {0} and {1}");          // O22

namespace {

/// Below all numbers, and finite, so that it may be subtracted.
constexpr double lowest = std::numeric_limits<float>::lowest();

std::vector<std::size_t> places_of(const std::vector<DimensionValue> &dimensions, const std::string &role) {
    std::vector<std::size_t> found;
    for (std::size_t d = 0; d < dimensions.size(); ++d)
        if (dimensions[d].role == role)
            found.push_back(d);
    return found;
}

/// Loops by name, for an einsum: one for each role.
class Loops {
  public:
    explicit Loops(Operation &operation) : operation_(operation) {}

    void operand(const TensorValue &tensor) {
        operation_.operands.push_back(tensor.id);
        std::vector<int> loops;
        for (const DimensionValue &dimension : tensor.dimensions)
            loops.push_back(number(dimension));
        operation_.operand_loops.push_back(std::move(loops));
    }
    void result(const std::vector<DimensionValue> &dimensions) {
        for (const DimensionValue &dimension : dimensions)
            operation_.result_loops.push_back(number(dimension));
    }

  private:
    int number(const DimensionValue &dimension) {
        const auto at = std::find_if(operation_.loops.begin(), operation_.loops.end(),
                                     [&](const Loop &loop) { return loop.name == dimension.role; });
        const auto number = static_cast<int>(at - operation_.loops.begin());
        if (at == operation_.loops.end())
            operation_.loops.push_back({dimension.role, dimension.extent});
        return number;
    }

    Operation &operation_;
};

/// The same tensor with another role for one of its dimensions, for the loops of an einsum.
TensorValue with_dimension(TensorValue tensor, std::size_t place, const DimensionValue &dimension) {
    tensor.dimensions[place] = dimension;
    return tensor;
}

Operation einsum_of(const std::vector<TensorValue> &operands, const std::vector<DimensionValue> &result) {
    Operation operation;
    operation.kind = OperationKind::einsum;
    Loops loops(operation);
    for (const TensorValue &operand : operands)
        loops.operand(operand);
    loops.result(result);
    return operation;
}

} // namespace

SparseValue Elaborator::matrix_of(const Arguments &arguments) {
    const syntax::CallArgument &first = arguments.require("a");
    return expect_matrix(argument(first), first.where, arguments.what("a"));
}

TensorValue Elaborator::edges(const SparseValue &a, bool ones, SourceRange where) {
    Operation operation;
    operation.kind = OperationKind::edges;
    operation.text = a.name;
    operation.ones = ones;
    return append(std::move(operation), a.dimensions, a.element, where);
}

Value Elaborator::edges(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"a"});
    return {edges(matrix_of(arguments), false, where)};
}

/// x[u, ..] under the role of the columns, so that it meets values of rows in one tensor.
Value Elaborator::columns_of(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"a", "x"});
    const SparseValue a = matrix_of(arguments);
    const TensorValue x = tensor_argument(arguments, "x");
    const SourceRange x_where = arguments.require("x").where;
    check_floating("columns_of", x, x_where);
    const std::size_t place = place_of_columns(a, x, x_where);
    const TensorValue renamed = with_dimension(x, place, a.dimensions[1]);
    Operation operation = einsum_of({x}, x.dimensions);
    return {append(std::move(operation), renamed.dimensions, x.element, where)};
}

/// e[v, u, ..] = the sum over the last dimension of x[v, .., f] y[u, .., f], at the entries.
Value Elaborator::sddmm(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"a", "x", "y"});
    const SparseValue a = matrix_of(arguments);
    TensorValue x = tensor_argument(arguments, "x");
    TensorValue y = tensor_argument(arguments, "y");
    check_floating("sddmm", x, arguments.require("x").where);
    check_same_element("sddmm", {{-1, a.element, a.dimensions}, x, y}, where);
    x = with_dimension(x, place_of_rows(a, x, arguments.require("x").where), a.dimensions[0]);
    y = with_dimension(y, place_of_columns(a, y, arguments.require("y").where), a.dimensions[1]);
    const auto summed = std::find_if(x.dimensions.rbegin(), x.dimensions.rend(), [&](const DimensionValue &dimension) {
        return dimension.role != a.dimensions[0].role && !places_of(y.dimensions, dimension.role).empty();
    });
    if (summed == x.dimensions.rend())
        fail(nothing_to_sum, where, {to_string(x), to_string(y)});
    std::vector<DimensionValue> result = a.dimensions;
    for (const TensorValue *tensor : {&x, &y})
        for (const DimensionValue &dimension : tensor->dimensions) {
            const auto known = places_of(result, dimension.role);
            if (!known.empty())
                check_equal_extents("sddmm", result[known.front()], dimension, where);
            else if (dimension.role == summed->role)
                check_equal_extents("sddmm", *summed, dimension, where);
            else
                result.push_back(dimension);
        }
    Operation operation = einsum_of({edges(a, true, where), x, y}, result);
    return {append(std::move(operation), std::move(result), x.element, where)};
}

void Elaborator::check_on_edges(const std::string &primitive, const SparseValue &a, const TensorValue &e,
                                SourceRange where) const {
    for (const DimensionValue &side : a.dimensions) {
        const auto found = places_of(e.dimensions, side.role);
        if (found.empty())
            fail(not_on_edges, where, {to_string(a), to_string(e), side.role});
        check_equal_extents(primitive, side, e.dimensions[found.front()], where);
    }
}

TensorValue Elaborator::sum_of_columns(const SparseValue &a, const std::string &reduction, const TensorValue &e,
                                       SourceRange where) {
    Operation operation;
    operation.kind = OperationKind::reduce;
    operation.text = reduction;
    operation.operands = {e.id};
    operation.roles = {a.dimensions[1].role};
    std::vector<DimensionValue> rest = e.dimensions;
    std::erase_if(rest, [&](const DimensionValue &dimension) { return dimension.role == a.dimensions[1].role; });
    return append(std::move(operation), std::move(rest), e.element, where);
}

/// The maximum over the entries of each row; of a row without any, `lowest`.
TensorValue Elaborator::largest_of_entries(const SparseValue &a, const TensorValue &e, SourceRange where) {
    const TensorValue mask = edges(a, true, where);
    const TensorValue is_entry =
        append_pointwise("not_equal", {mask, constant(0, mask.element, where)}, ElementType::i32, where);
    const TensorValue entries =
        append_pointwise("select", {is_entry, e, constant(lowest, e.element, where)}, e.element, where);
    return sum_of_columns(a, "max", entries, where);
}

/// O22: over the entries of each row.
Value Elaborator::edge_softmax(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"a", "x"});
    const SparseValue a = matrix_of(arguments);
    const TensorValue e = tensor_argument(arguments, "x");
    check_same_element("edge_softmax", {{-1, a.element, a.dimensions}, e}, where);
    check_on_edges("edge_softmax", a, e, arguments.require("x").where);
    const TensorValue top = append_pointwise("stop_gradient", {largest_of_entries(a, e, where)}, e.element, where);
    const TensorValue shifted = append_pointwise("sub", {e, top}, e.element, where);
    const TensorValue all = append_pointwise("exp", {shifted}, e.element, where);
    const TensorValue entries = append_pointwise("mul", {all, edges(a, true, where)}, e.element, where);
    return {append_pointwise("div", {entries, sum_of_columns(a, "sum", entries, where)}, e.element, where)};
}

/// O21 with weights: y[v, ..] = the sum or the maximum over the entries u of weights[v, u, ..] x[u, ..].
Value Elaborator::spmm_of_entries(const SparseValue &a, const TensorValue &x, std::size_t place,
                                  const TensorValue &weights, bool largest, SourceRange where) {
    check_same_element("spmm", {x, weights}, where);
    check_on_edges("spmm", a, weights, where);
    const TensorValue of_columns = with_dimension(x, place, a.dimensions[1]);
    std::vector<DimensionValue> result = x.dimensions;
    result[place] = a.dimensions[0];
    for (const DimensionValue &dimension : weights.dimensions) {
        const bool is_side = dimension.role == a.dimensions[0].role || dimension.role == a.dimensions[1].role;
        const auto found = places_of(result, dimension.role);
        if (!is_side && found.empty())
            fail(not_in_tensor, where, {to_string(weights), to_string(x), dimension.role});
        if (!found.empty())
            check_equal_extents("spmm", result[found.front()], dimension, where);
    }
    check_distinct(result, where);
    const std::vector<TensorValue> operands = {edges(a, true, where), weights, of_columns};
    if (!largest) {
        Operation operation = einsum_of(operands, result);
        return {append(std::move(operation), std::move(result), x.element, where)};
    }
    std::vector<DimensionValue> pairs = result;
    pairs.insert(pairs.begin() + static_cast<std::ptrdiff_t>(place) + 1, a.dimensions[1]);
    Operation operation = einsum_of(operands, pairs);
    const TensorValue products = append(std::move(operation), std::move(pairs), x.element, where);
    const TensorValue top = largest_of_entries(a, products, where);
    const TensorValue has_entry =
        append_pointwise("greater", {top, constant(lowest, x.element, where)}, ElementType::i32, where);
    return {append_pointwise("select", {has_entry, top, constant(0, x.element, where)}, x.element, where)};
}

} // namespace planc::sema

// Sparse arguments: their types, how they are bound to signatures and to fields of the data set, and their product.

#include "sema/networks/sparse_types.h"

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"
#include "sema/values/settings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(sparse_form, error,
                 "a sparse type has rows, columns and an element type: sparse[vertex, vertex', f32]");        // D9
PLANC_DIAGNOSTIC(sparse_indices, error, "a sparse matrix has floating-point numbers, not i32");               // D9
PLANC_DIAGNOSTIC(sparse_extent, error, "a sparse matrix has at most {0} rows and columns, got {1}");          // D9
PLANC_DIAGNOSTIC(computed_sparse, error, "only an argument can be sparse: nothing computes a sparse matrix"); // D9
PLANC_DIAGNOSTIC(sparse_argument, error, "'{0}' of '{1}' must be {2}, got {3}");                              // D9
PLANC_DIAGNOSTIC(matrix_of_two_types, error, "data field '{0}' is used as {1} and as {2}");                   // T8
PLANC_DIAGNOSTIC(no_columns_to_sum, error, "'spmm' sums over the columns of {0}, but {1} has no '{2}'");      // O21
PLANC_DIAGNOSTIC(no_rows, error, "'sddmm' needs the rows of {0}, but {1} has no '{2}'");                      // O22
PLANC_DIAGNOSTIC(mean_of_weights, error, "'spmm' with weights takes the reductions sum and max");             // O21

namespace {

bool is_element(const syntax::DimensionItem &item) {
    constexpr std::array<std::string_view, 4> words = {"f32", "f64", "i32", "bf16"};
    return item.kind == syntax::DimensionItem::Kind::dimension && !item.extent &&
           std::find(words.begin(), words.end(), item.name.text) != words.end();
}

} // namespace

bool is_sparse(const syntax::Type &type) {
    return type.tensor && type.word && type.word->text == "sparse";
}

const syntax::Name *element_of_sparse(const syntax::Type &type) {
    return !type.dimensions.empty() && is_element(type.dimensions.back()) ? &type.dimensions.back().name : nullptr;
}

std::span<const syntax::DimensionItem> sides_of(const syntax::Type &type) {
    const std::span<const syntax::DimensionItem> items = type.dimensions;
    return element_of_sparse(type) != nullptr ? items.first(items.size() - 1) : items;
}

/// Of results and parameters.
void Elaborator::check_dense(const syntax::Type &type) const {
    if (is_sparse(type))
        fail(computed_sparse, type.where, {});
}

/// The declared type of a network's argument.
SparseValue Elaborator::declared_matrix(const syntax::Parameter &parameter) {
    const syntax::Type &type = parameter.type;
    check_sparse_form(type);
    SparseValue matrix{parameter.name.text, element_type(type, ElementType::f32), dimensions(sides_of(type))};
    check_distinct(matrix.dimensions, type.where);
    for (const DimensionValue &dimension : matrix.dimensions)
        if (dimension.extent > planrt::most_vertices)
            fail(sparse_extent, type.where, {std::to_string(planrt::most_vertices), to_string(dimension)});
    return matrix;
}

void Elaborator::check_sparse_form(const syntax::Type &type) {
    const auto sides = sides_of(type);
    const auto plain = [](const syntax::DimensionItem &item) {
        return item.kind == syntax::DimensionItem::Kind::dimension;
    };
    if (sides.size() != 2 || !std::all_of(sides.begin(), sides.end(), plain))
        fail(sparse_form, type.where, {});
    if (element_type(type, ElementType::f32) == ElementType::i32)
        fail(sparse_indices, type.where, {});
}

SparseValue Elaborator::expect_matrix(const Value &value, SourceRange where, const std::string &what) const {
    if (const auto *matrix = value.get<SparseValue>())
        return *matrix;
    fail_wrong_type(context(), where, what, "a sparse argument of the network", value);
}

/// A network takes a field of the data set, or the argument of the network that calls it.
SparseValue Elaborator::matrix_argument(const syntax::Parameter &parameter, const Value &value, SourceRange where) {
    SparseValue declared = declared_matrix(parameter);
    if (const auto *data = value.get<FieldValue>())
        return matrix_field(data->name, std::move(declared), where);
    const std::string &callee = frame_->callable->name.text;
    SparseValue given = expect_matrix(value, where, "'" + parameter.name.text + "' of '" + callee + "'");
    for (DimensionValue &dimension : given.dimensions)
        dimension.symbol = DimensionValue::by_role;
    if (to_string(given) != to_string(declared))
        fail(sparse_argument, where, {parameter.name.text, callee, to_string(declared), to_string(given)});
    return given;
}

/// A field of the data set becomes a sparse argument of the loss where it is first used.
SparseValue Elaborator::matrix_field(const std::string &name, SparseValue type, SourceRange where) {
    if (const auto dense = fields_.find(name); dense != fields_.end())
        fail(matrix_of_two_types, where, {name, to_string(dense->second), to_string(type)});
    type.name = name;
    const auto [known, fresh] = matrix_fields_.try_emplace(name, type);
    if (to_string(known->second) != to_string(type))
        fail(matrix_of_two_types, where, {name, to_string(known->second), to_string(type)});
    if (fresh)
        add_matrix(type, where);
    return type;
}

void Elaborator::add_matrix(const SparseValue &matrix, SourceRange where) {
    network_->matrices.push_back({matrix.name, type_of({-1, matrix.element, matrix.dimensions}), where});
}

/// Binds the names of a layer's pattern to the rows and columns.
SparseValue Elaborator::bind_matrix(Frame &frame, const syntax::Parameter &parameter, const Value &value,
                                    SourceRange where) {
    check_sparse_form(parameter.type);
    const std::string &callee = frame.callable->name.text;
    SparseValue matrix = expect_matrix(value, where, "'" + parameter.name.text + "' of '" + callee + "'");
    if (element_type(parameter.type, matrix.element) != matrix.element)
        fail(sparse_argument, where,
             {parameter.name.text, callee, element_of_sparse(parameter.type)->text, to_string(matrix)});
    TensorValue sides{-1, matrix.element, std::move(matrix.dimensions)};
    for (std::size_t i = 0; i < 2; ++i)
        bind_item(frame, sides_of(parameter.type)[i], sides, {i}, where);
    matrix.dimensions = std::move(sides.dimensions);
    return matrix;
}

/// The dimension of x that this side of the matrix indexes: of the same name in the signature, else of the same role,
/// else of the same role without apostrophes; else the number of dimensions.
static std::size_t place_of(const DimensionValue &side, const TensorValue &x) {
    const auto find = [&](const auto &fits) {
        return static_cast<std::size_t>(std::find_if(x.dimensions.begin(), x.dimensions.end(), fits) -
                                        x.dimensions.begin());
    };
    const std::size_t none = x.dimensions.size();
    std::size_t place = find([&](const DimensionValue &dimension) {
        return dimension.symbol != DimensionValue::by_role && dimension.symbol == side.symbol;
    });
    if (place == none)
        place = find([&](const DimensionValue &dimension) { return dimension.role == side.role; });
    if (place == none)
        place = find([&](const DimensionValue &dimension) {
            return without_primes(dimension.role) == without_primes(side.role);
        });
    return place;
}

std::size_t Elaborator::place_of_columns(const SparseValue &a, const TensorValue &x, SourceRange where) const {
    const std::size_t place = place_of(a.dimensions[1], x);
    if (place == x.dimensions.size())
        fail(no_columns_to_sum, where, {to_string(a), to_string(x), without_primes(a.dimensions[1].role)});
    check_equal_extents("spmm", a.dimensions[1], x.dimensions[place], where);
    return place;
}

std::size_t Elaborator::place_of_rows(const SparseValue &a, const TensorValue &x, SourceRange where) const {
    const std::size_t place = place_of(a.dimensions[0], x);
    if (place == x.dimensions.size())
        fail(no_rows, where, {to_string(a), to_string(x), without_primes(a.dimensions[0].role)});
    check_equal_extents("sddmm", a.dimensions[0], x.dimensions[place], where);
    return place;
}

/// O21: y[v, ..] = the sum over u of a[v, u] x[u, ..].
Value Elaborator::spmm(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"a", "x", "reduce", "weights"});
    const syntax::CallArgument &first = arguments.require("a");
    const SparseValue a = expect_matrix(argument(first), first.where, arguments.what("a"));
    const TensorValue x = tensor_argument(arguments, "x");
    const SourceRange x_where = arguments.require("x").where;
    check_floating("spmm", x, x_where);
    check_same_element("spmm", {{-1, a.element, a.dimensions}, x}, where);
    const std::size_t place = place_of_columns(a, x, x_where);
    std::string reduction = "sum";
    if (const syntax::CallArgument *reduce = arguments.find("reduce"))
        reduction = expect_word(context(), *reduce->value, arguments.what("reduce"), {"sum", "mean", "max"});
    const syntax::CallArgument *weights = arguments.find("weights");
    if (weights && reduction == "mean")
        fail(mean_of_weights, weights->where, {});
    if (weights || reduction == "max")
        return spmm_of_entries(a, x, place, weights ? tensor_argument(arguments, "weights") : edges(a, false, where),
                               reduction == "max", where);
    std::vector<DimensionValue> dimensions = x.dimensions;
    dimensions[place] = a.dimensions[0];
    Operation operation;
    operation.kind = OperationKind::spmm;
    operation.text = a.name;
    operation.mean = reduction == "mean";
    operation.operands = {x.id};
    operation.loops = {{a.dimensions[0].role, a.dimensions[0].extent}, {a.dimensions[1].role, a.dimensions[1].extent}};
    operation.operand_loops = {{0, 1}, {}};
    for (std::size_t d = 0; d < x.dimensions.size(); ++d) {
        const auto next = static_cast<int>(operation.loops.size());
        if (d != place)
            operation.loops.push_back({x.dimensions[d].role, x.dimensions[d].extent});
        operation.operand_loops[1].push_back(d == place ? 1 : next);
        operation.result_loops.push_back(d == place ? 0 : next);
    }
    const auto taken = [&] {
        return std::count_if(operation.loops.begin(), operation.loops.end(),
                             [&](const Loop &loop) { return loop.name == operation.loops[1].name; }) > 1;
    };
    while (taken())
        operation.loops[1].name += '\'';
    return {append(std::move(operation), std::move(dimensions), x.element, where)};
}

} // namespace planc::sema

// Operations that compute nothing: rename, transpose, slice, concat, reshape, expand.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(rename_without_names, error, "'rename' takes a tensor and 'old -> new', got {0}");             // O11
PLANC_DIAGNOSTIC(not_a_permutation, error, "'transpose' of {0} to {1}: not the same dimensions");               // O11
PLANC_DIAGNOSTIC(slice_without_range, error, "'slice' takes a tensor and 'dimension: first..last', got {0}");   // O12
PLANC_DIAGNOSTIC(bad_slice, error, "dimension '{2}' has no part {0}..{1}");                                     // O12
PLANC_DIAGNOSTIC(concat_mismatch, error, "'concat' along '{0}' of {1} and {2}: their other dimensions differ"); // O13
PLANC_DIAGNOSTIC(reshape_mismatch, error, "'reshape' of {0} to {1}: {2} elements are not {3}");                 // O14
PLANC_DIAGNOSTIC(expand_loses, error, "'expand' of {0} to {1} loses dimension {2}");                            // O23
PLANC_DIAGNOSTIC(reshape_mixes, error, "'reshape' of {0} to {1} mixes '{2}' with other dimensions");            // O14

namespace {

std::string count(const std::vector<DimensionValue> &dimensions) {
    std::int64_t elements = 1;
    for (const DimensionValue &dimension : dimensions)
        if (__builtin_mul_overflow(elements, dimension.extent, &elements))
            return "more than 2^63";
    return std::to_string(elements);
}

/// A dimension that x has before and after with the same extent, but whose indices would change; null if there is none.
/// In row-major order, an index stays the same if as many elements follow its dimension as before.
const DimensionValue *mixed(const std::vector<DimensionValue> &from, const std::vector<DimensionValue> &to) {
    const auto stride = [](const std::vector<DimensionValue> &dimensions, std::size_t place) {
        std::int64_t elements = 1; // of a tensor: fits 63 bits
        for (std::size_t i = place + 1; i < dimensions.size(); ++i)
            elements *= dimensions[i].extent;
        return elements;
    };
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t k = 0; k < to.size(); ++k)
            if (from[i].role == to[k].role && from[i].extent == to[k].extent && from[i].extent > 1 &&
                stride(from, i) != stride(to, k))
                return &from[i];
    return nullptr;
}

std::string words(const syntax::CallArgument &argument) {
    switch (argument.kind) {
    case syntax::CallArgument::Kind::positional:
        return "a value";
    case syntax::CallArgument::Kind::named:
        return "'" + argument.name->text + " = …'";
    case syntax::CallArgument::Kind::extent:
        return "'" + argument.name->text + ": …'";
    case syntax::CallArgument::Kind::mapping:
        return "a mapping";
    }
    return "";
}

} // namespace

/// An einsum of one operand: result dimension i is `order[i]` of x under the name of `dimensions[i]`.
TensorValue Elaborator::copy(const TensorValue &x, const std::vector<std::size_t> &order,
                             std::vector<DimensionValue> dimensions, SourceRange where) {
    Operation operation;
    operation.kind = OperationKind::einsum;
    operation.operands = {x.id};
    operation.operand_loops.emplace_back();
    for (const DimensionValue &dimension : x.dimensions) {
        operation.operand_loops.front().push_back(static_cast<int>(operation.loops.size()));
        operation.loops.push_back({dimension.role, dimension.extent});
    }
    for (const std::size_t position : order)
        operation.result_loops.push_back(static_cast<int>(position));
    return append(std::move(operation), std::move(dimensions), x.element, where);
}

Value Elaborator::rename(const syntax::Call &call, SourceRange where) {
    using Kind = syntax::CallArgument::Kind;
    const std::vector<syntax::CallArgument> &given = call.arguments;
    if (given.size() < 2)
        fail(rename_without_names, call.callee.where, {given.empty() ? "nothing" : words(given.front()) + " only"});
    for (const syntax::CallArgument &argument : given)
        if ((argument.kind == Kind::mapping) == (&argument == &given.front()) ||
            (argument.kind != Kind::mapping && argument.kind != Kind::positional))
            fail(rename_without_names, argument.where, {words(argument)});
    const TensorValue x = expect_tensor(argument(given.front()), given.front().where, "the operand of 'rename'");
    std::vector<DimensionValue> dimensions = x.dimensions;
    for (std::size_t i = 1; i < given.size(); ++i) {
        const auto *source = std::get_if<syntax::Reference>(&given[i].value->node);
        const auto *target = std::get_if<syntax::Reference>(&given[i].target->node);
        if (!source || !target)
            fail(rename_without_names, given[i].where,
                 {"no name " + std::string(source ? "after" : "before") + " '->'"});
        const Value old = dimension_reference(source->name, given[i].value->where);
        if (!old.get<DimensionValue>())
            fail_wrong_type(context(), given[i].value->where, "the name before '->'", "a dimension", old);
        const Value name = dimension_reference(target->name, given[i].target->where);
        if (!name.get<DimensionValue>())
            fail_wrong_type(context(), given[i].target->where, "the new name", "a dimension", name);
        DimensionValue &renamed = dimensions[positions(x, {*old.get<DimensionValue>()}, given[i].where).front()];
        renamed.role = name.get<DimensionValue>()->role;
        renamed.symbol = name.get<DimensionValue>()->symbol;
    }
    std::vector<std::size_t> order(dimensions.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    return {copy(x, order, std::move(dimensions), where)};
}

Value Elaborator::transpose(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "order"});
    const TensorValue x = tensor_argument(arguments, "x");
    const syntax::CallArgument &given = arguments.require("order");
    const std::vector<DimensionValue> names =
        expect_dimensions(context(), constant_argument(given), given.where, arguments.what("order"));
    const std::vector<std::size_t> order = positions(x, names, given.where);
    std::vector<DimensionValue> dimensions;
    for (const std::size_t position : order)
        dimensions.push_back(x.dimensions[position]);
    if (std::set<std::size_t>(order.begin(), order.end()).size() != x.dimensions.size() ||
        order.size() != x.dimensions.size())
        fail(not_a_permutation, given.where, {to_string(x), to_string(dimensions)});
    return {copy(x, order, std::move(dimensions), where)};
}

Value Elaborator::slice(const syntax::Call &call, SourceRange where) {
    using Kind = syntax::CallArgument::Kind;
    const std::vector<syntax::CallArgument> &given = call.arguments;
    if (given.size() < 2)
        fail(slice_without_range, call.callee.where, {given.empty() ? "nothing" : words(given.front()) + " only"});
    for (const syntax::CallArgument &argument : given)
        if (argument.kind != (&argument == &given.front() ? Kind::positional : Kind::extent))
            fail(slice_without_range, argument.where, {words(argument)});
    Value x = argument(given.front());
    for (std::size_t i = 1; i < given.size(); ++i)
        x = slice(expect_tensor(x, given.front().where, "the operand of 'slice'"), given[i], where);
    return x;
}

Value Elaborator::slice(const TensorValue &x, const syntax::CallArgument &part, SourceRange where) {
    const auto *range = std::get_if<syntax::Range>(&part.value->node);
    if (!range)
        fail(slice_without_range, part.where, {"no range"});
    const Value name = dimension_reference(part.name->text, part.name->where);
    if (!name.get<DimensionValue>())
        fail_wrong_type(context(), part.name->where, "the name before ':'", "a dimension", name);
    const std::size_t position = positions(x, {*name.get<DimensionValue>()}, part.name->where).front();
    std::vector<DimensionValue> dimensions = x.dimensions;
    Operation operation;
    operation.kind = OperationKind::slice;
    operation.operands = {x.id};
    operation.roles = {x.dimensions[position].role};
    const auto index = [&](const syntax::Expression &expression, const char *what) {
        return expect_integer(context(), evaluate(expression, Meant::dimension), expression.where, what);
    };
    operation.begin = index(*range->first, "the first index");
    operation.end = index(*range->last, "the end");
    if (operation.begin < 0 || operation.begin >= operation.end || operation.end > dimensions[position].extent)
        fail(bad_slice, part.where,
             {std::to_string(operation.begin), std::to_string(operation.end), to_string(dimensions[position])});
    if (operation.end - operation.begin == dimensions[position].extent)
        return {x};
    dimensions[position].extent = operation.end - operation.begin;
    dimensions[position].where = part.where;
    return {append(std::move(operation), std::move(dimensions), x.element, where)};
}

Value Elaborator::concat(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"tensors", "over"});
    const syntax::CallArgument &given = arguments.require("tensors");
    const syntax::CallArgument &over = arguments.require("over");
    const Value list = argument(given, Meant::tensor);
    std::vector<TensorValue> tensors;
    for (const Value &value : expect_list(context(), list, given.where, arguments.what("tensors")))
        tensors.push_back(expect_tensor(value, given.where, "an element of " + arguments.what("tensors")));
    if (tensors.empty())
        fail_wrong_type(context(), given.where, arguments.what("tensors"), "a list of at least one tensor", list);
    Operation operation;
    operation.kind = OperationKind::concat;
    std::vector<DimensionValue> dimensions = tensors.front().dimensions;
    std::size_t place = 0;
    std::int64_t extent = 0;
    for (const TensorValue &tensor : tensors) {
        place = position_over(tensor, arguments, over);
        const std::string &role = tensor.dimensions[place].role;
        const auto agree = [&](const DimensionValue &a, const DimensionValue &b) {
            return a.role == b.role && (a.extent == b.extent || a.role == role);
        };
        if (!std::equal(tensor.dimensions.begin(), tensor.dimensions.end(), dimensions.begin(), dimensions.end(),
                        agree))
            fail(concat_mismatch, where, {role, to_string(tensors.front()), to_string(tensor)},
                 {hint("all other dimensions must agree, in their order and their extents")});
        if (__builtin_add_overflow(extent, tensor.dimensions[place].extent, &extent))
            extent = std::numeric_limits<std::int64_t>::max(); // append() finds it too large
        operation.operands.push_back(tensor.id);
    }
    check_same_element("concat", tensors, where);
    if (tensors.size() == 1)
        return {tensors.front()};
    operation.roles = {dimensions[place].role};
    dimensions[place].extent = extent;
    dimensions[place].where = where;
    return {append(std::move(operation), std::move(dimensions), tensors.front().element, where)};
}

/// The dimensions that `reshape` and `expand` are to give; names without an extent that x has, `..` too, keep that of
/// x.
std::vector<DimensionValue> Elaborator::reshaped(const TensorValue &x, const syntax::CallArgument &target) {
    const std::string what = "the new shape";
    std::vector<DimensionValue> dimensions;
    const auto *list = std::get_if<syntax::List>(&target.value->node);
    if (!list)
        fail_wrong_type(context(), target.where, what, "a list of dimensions", argument(target));
    for (const syntax::ListItem &item : list->items) {
        std::vector<Value> some;
        append_item(item, some);
        for (DimensionValue wanted : expect_dimensions(context(), list_of(std::move(some)), item.where, what)) {
            const auto own =
                std::find_if(x.dimensions.begin(), x.dimensions.end(),
                             [&](const DimensionValue &dimension) { return dimension.role == wanted.role; });
            if (item.kind != syntax::ListItem::Kind::extent && own != x.dimensions.end())
                wanted.extent = own->extent;
            wanted = expect_dimension(context(), {wanted}, item.where, what);
            dimensions.push_back(wanted);
        }
    }
    return dimensions;
}

/// O23: repeats a tensor, or a number.
Value Elaborator::expand(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "shape"});
    const syntax::CallArgument &given = arguments.require("x");
    const Value value = extent_for_dimension(context(), argument(given), given.where);
    const auto *tensor = value.get<TensorValue>();
    if (!tensor && !value.get<double>() && !value.get<std::int64_t>())
        fail_wrong_type(context(), given.where, arguments.what("x"), "a tensor or a number", value);
    const TensorValue x =
        tensor ? *tensor
               : constant(expect_number(context(), value, given.where, arguments.what("x")), frame_->element, where);
    std::vector<DimensionValue> dimensions = reshaped(x, arguments.require("shape"));
    for (const DimensionValue &own : x.dimensions) {
        const auto same = std::find_if(dimensions.begin(), dimensions.end(),
                                       [&](const DimensionValue &other) { return other.role == own.role; });
        if (same == dimensions.end() || same->extent != own.extent)
            fail(expand_loses, where, {to_string(x), to_string(dimensions), to_string(own)});
    }
    if (type_of(x).dimensions == type_of({x.id, x.element, dimensions}).dimensions)
        return {TensorValue{x.id, x.element, std::move(dimensions)}}; // nothing changes
    Operation operation;
    operation.kind = OperationKind::pointwise;
    operation.text = "identity";
    operation.operands = {x.id};
    return {append(std::move(operation), std::move(dimensions), x.element, where)};
}

Value Elaborator::reshape(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "shape"});
    const TensorValue x = tensor_argument(arguments, "x");
    std::vector<DimensionValue> dimensions = reshaped(x, arguments.require("shape"));
    if (count(dimensions) != count(x.dimensions))
        fail(reshape_mismatch, where, {to_string(x), to_string(dimensions), count(x.dimensions), count(dimensions)});
    if (const DimensionValue *dimension = mixed(x.dimensions, dimensions))
        fail(reshape_mixes, where, {to_string(x), to_string(dimensions), dimension->role},
             {hint("elements keep their row-major order: 'transpose' first, or give the dimension another name")});
    if (type_of(x).dimensions == type_of({x.id, x.element, dimensions}).dimensions)
        return {TensorValue{x.id, x.element, std::move(dimensions)}}; // nothing changes
    Operation operation;
    operation.kind = OperationKind::reshape;
    operation.operands = {x.id};
    return {append(std::move(operation), std::move(dimensions), x.element, where)};
}

} // namespace planc::sema

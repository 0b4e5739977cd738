// Calls of primitives: pointwise functions, reductions, softmax, and the functions of compile time.

#include "sema/names/check_names.h"
#include "sema/networks/elaborate.h"
#include "sema/primitives/primitives.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(no_such_dimension, error, "the tensor {1} has no dimension '{0}'");     // O3
PLANC_DIAGNOSTIC(dimension_named_twice, error, "dimension '{0}' is named twice");        // O3
PLANC_DIAGNOSTIC(no_dimensions, error, "'{0}' needs a tensor with dimensions, got {1}"); // O4
PLANC_DIAGNOSTIC(uneven_parts, error, "'{0}' does not divide into {1} equal parts");     // O18
PLANC_DIAGNOSTIC(zip_argument, error, "'zip' takes two lists or more");                  // O18
PLANC_DIAGNOSTIC(unequal_lists, error, "'zip' of lists of {0} and {1}");                 // O18

Value Elaborator::primitive(const syntax::Call &call, SourceRange where) {
    const std::string &name = call.callee.text;
    if (is_unary_function(name))
        return function(call, 1, where);
    if (is_binary_function(name))
        return function(call, 2, where);
    if (is_initializer(name))
        return initializer(call, where);
    if (name == "einsum")
        return einsum(call, where);
    if (name == "convolution" || name == "convolution_transpose")
        return convolution(call, where);
    if (name.starts_with("reduce_"))
        return reduce(call, where);
    if (name == "softmax" || name == "log_softmax")
        return softmax(call, where);
    if (name == "cross_entropy")
        return cross_entropy(call, where);
    if (name == "mean_square_error")
        return mean_square_error(call, where);
    if (name == "enumerate")
        return enumerate(call);
    if (name == "zip")
        return zip(call, where);
    if (name == "same_shape")
        return same_shape(call);
    if (name == "tail")
        return tail(call);
    if (name == "with_extents")
        return with_extents(call);
    if (name == "equal_parts")
        return equal_parts(call);
    using Primitive = Value (Elaborator::*)(const syntax::Call &, SourceRange);
    static const std::map<std::string, Primitive> others = {{"select", &Elaborator::select},
                                                            {"cast", &Elaborator::cast},
                                                            {"iota", &Elaborator::iota},
                                                            {"dropout", &Elaborator::dropout},
                                                            {"random_uniform", &Elaborator::random},
                                                            {"random_normal", &Elaborator::random},
                                                            {"embedding", &Elaborator::embedding},
                                                            {"fused_attention", &Elaborator::fused_attention},
                                                            {"rename", &Elaborator::rename},
                                                            {"slice", &Elaborator::slice},
                                                            {"transpose", &Elaborator::transpose},
                                                            {"concat", &Elaborator::concat},
                                                            {"reshape", &Elaborator::reshape},
                                                            {"expand", &Elaborator::expand},
                                                            {"batch_normalize", &Elaborator::batch_normalize},
                                                            {"spmm", &Elaborator::spmm},
                                                            {"sddmm", &Elaborator::sddmm},
                                                            {"edge_softmax", &Elaborator::edge_softmax},
                                                            {"edges", static_cast<Primitive>(&Elaborator::edges)},
                                                            {"columns_of", &Elaborator::columns_of},
                                                            {"max_pool", &Elaborator::max_pool},
                                                            {"average_pool", &Elaborator::average_pool},
                                                            {"global_average_pool", &Elaborator::global_average_pool}};
    if (const auto other = others.find(name); other != others.end())
        return (this->*other->second)(call, where);
    report_unknown_function(analysis_, name, call.callee.where, analysis_.declarations.unit_of(where));
    context().give_up();
}

Value Elaborator::function(const syntax::Call &call, std::size_t count, SourceRange where) {
    const Arguments arguments(context(), call,
                              count == 1 ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "y"});
    std::vector<Value> values;
    const TensorValue *any = nullptr;
    for (const char *name : {"x", "y"})
        if (values.size() < count) {
            const syntax::CallArgument &given = arguments.require(name);
            values.push_back(argument(given));
            values.back() = extent_for_dimension(context(), values.back(), given.where);
            if (!values.back().get<TensorValue>()) // a number is made a constant beside a tensor
                static_cast<void>(expect_number(context(), values.back(), given.where, arguments.what(name)));
        }
    for (const Value &value : values)
        if (value.get<TensorValue>())
            any = value.get<TensorValue>();
    if (!any)
        return compile_time_function(call.callee.text, values, where);
    std::vector<TensorValue> operands;
    for (const Value &value : values)
        operands.push_back(value.get<TensorValue>() ? *value.get<TensorValue>() : constant_beside(*any, value, where));
    return {pointwise(call.callee.text, operands, where)};
}

void Elaborator::fail_no_dimensions(const std::string &function, const TensorValue &tensor, SourceRange where) const {
    fail(no_dimensions, where, {function, to_string(tensor)});
}

std::vector<std::size_t> Elaborator::positions(const TensorValue &tensor, const std::vector<DimensionValue> &names,
                                               SourceRange where) const {
    std::vector<std::size_t> found;
    for (const DimensionValue &wanted : names) {
        const auto find = [&](auto &&same) {
            return std::find_if(tensor.dimensions.begin(), tensor.dimensions.end(), same);
        };
        auto place = find([&](const DimensionValue &dimension) {
            return wanted.symbol != DimensionValue::by_role && wanted.symbol == dimension.symbol;
        });
        if (place == tensor.dimensions.end())
            place = find([&](const DimensionValue &dimension) { return wanted.role == dimension.role; }); // D2, Y2
        if (place == tensor.dimensions.end()) {
            std::vector<std::string> candidates;
            for (const DimensionValue &dimension : tensor.dimensions)
                candidates.push_back(dimension.role);
            fail(no_such_dimension, where, {wanted.role, to_string(tensor)},
                 Context::suggestion(wanted.role, candidates));
        }
        const auto position = static_cast<std::size_t>(place - tensor.dimensions.begin());
        if (std::find(found.begin(), found.end(), position) != found.end())
            fail(dimension_named_twice, where, {wanted.role});
        found.push_back(position);
    }
    return found;
}

std::size_t Elaborator::position_over(const TensorValue &tensor, const Arguments &arguments,
                                      const syntax::CallArgument &over) {
    const Value value = constant_argument(over);
    const auto *dimension = value.get<DimensionValue>();
    if (!dimension)
        fail_wrong_type(context(), over.where, arguments.what("over"), "a dimension", value);
    return positions(tensor, {*dimension}, over.where).front();
}

TensorValue Elaborator::tensor_argument(const Arguments &arguments, const std::string &name) {
    const syntax::CallArgument &given = arguments.require(name);
    const Value value = argument(given);
    if (const auto *data = value.get<FieldValue>()) // one that an earlier use has given a type
        if (const auto known = fields_.find(data->name); known != fields_.end())
            return known->second;
    return expect_tensor(value, given.where, arguments.what(name));
}

Value Elaborator::reduce(const syntax::Call &call, SourceRange where) {
    const std::string &name = call.callee.text;
    const Arguments arguments(context(), call, {"x", "over"});
    const TensorValue x = tensor_argument(arguments, "x");
    check_floating(name, x, arguments.require("x").where);
    std::vector<bool> goes(x.dimensions.size(), true);
    if (const syntax::CallArgument *over = arguments.find("over")) {
        goes.assign(x.dimensions.size(), false);
        const std::vector<DimensionValue> names =
            expect_dimensions(context(), constant_argument(*over), over->where, arguments.what("over"));
        for (const std::size_t position : positions(x, names, over->where))
            goes[position] = true;
    }
    Operation operation;
    operation.kind = OperationKind::reduce;
    operation.text = name.substr(std::string("reduce_").size());
    operation.operands = {x.id};
    std::vector<DimensionValue> rest;
    for (std::size_t i = 0; i < x.dimensions.size(); ++i) {
        if (goes[i])
            operation.roles.push_back(x.dimensions[i].role);
        else
            rest.push_back(x.dimensions[i]);
    }
    if (operation.roles.empty())
        return {x}; // nothing goes
    return {append(std::move(operation), std::move(rest), x.element, where)};
}

Value Elaborator::softmax(const syntax::Call &call, SourceRange where) {
    const std::string &name = call.callee.text;
    const Arguments arguments(context(), call, {"x", "over"});
    const TensorValue x = tensor_argument(arguments, "x");
    check_floating(name, x, arguments.require("x").where);
    if (x.dimensions.empty())
        fail_no_dimensions(name, x, arguments.require("x").where);
    std::size_t position = x.dimensions.size() - 1;
    if (const syntax::CallArgument *over = arguments.find("over")) {
        position = position_over(x, arguments, *over);
    }
    Operation operation;
    operation.kind = OperationKind::softmax;
    operation.text = name;
    operation.operands = {x.id};
    operation.roles = {x.dimensions[position].role};
    return {append(std::move(operation), x.dimensions, x.element, where)};
}

Value Elaborator::enumerate(const syntax::Call &call) {
    const Arguments arguments(context(), call, {"values"});
    const syntax::CallArgument &given = arguments.require("values");
    const Value values = constant_argument(given);
    std::vector<Value> pairs;
    std::int64_t index = 0;
    for (const Value &value : expect_list(context(), values, given.where, arguments.what("values")))
        pairs.push_back(list_of({whole(index++), value}));
    return list_of(std::move(pairs));
}

/// Lists of equal length, value by value.
Value Elaborator::zip(const syntax::Call &call, SourceRange where) {
    std::vector<std::vector<Value>> tuples;
    for (const syntax::CallArgument &given : call.arguments) {
        if (given.kind != syntax::CallArgument::Kind::positional)
            fail(zip_argument, given.where, {});
        const Value values = argument(given, Meant::tensor);
        const std::vector<Value> &list = expect_list(context(), values, given.where, "what 'zip' joins");
        if (&given == &call.arguments.front())
            tuples.resize(list.size());
        if (list.size() != tuples.size())
            fail(unequal_lists, given.where, {count_of_values(tuples.size()), count_of_values(list.size())});
        for (std::size_t i = 0; i < list.size(); ++i)
            tuples[i].push_back(list[i]);
    }
    if (call.arguments.size() < 2)
        fail(zip_argument, where, {});
    std::vector<Value> all;
    for (std::vector<Value> &tuple : tuples)
        all.push_back(list_of(std::move(tuple)));
    return list_of(std::move(all));
}

Value Elaborator::same_shape(const syntax::Call &call) {
    const Arguments arguments(context(), call, {"a", "b"});
    std::vector<TensorValue> tensors;
    for (const char *name : {"a", "b"})
        tensors.push_back(tensor_argument(arguments, name));
    const auto &a = tensors[0].dimensions;
    const auto &b = tensors[1].dimensions;
    return {std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const DimensionValue &x, const DimensionValue &y) {
        return x.role == y.role && x.extent == y.extent;
    })};
}

/// A list without its first value.
Value Elaborator::tail(const syntax::Call &call) {
    const Arguments arguments(context(), call, {"values"});
    const syntax::CallArgument &given = arguments.require("values");
    const Value values = constant_argument(given);
    const std::vector<Value> &all = expect_list(context(), values, given.where, arguments.what("values"));
    return list_of(all.empty() ? all : std::vector<Value>(all.begin() + 1, all.end()));
}

/// Dimensions of the roles given at other extents.
Value Elaborator::with_extents(const syntax::Call &call) {
    const Arguments arguments(context(), call, {"dimensions", "extents"});
    const syntax::CallArgument &given = arguments.require("dimensions");
    std::vector<DimensionValue> dimensions =
        expect_dimensions(context(), constant_argument(given), given.where, arguments.what("dimensions"));
    static_cast<void>(arguments.require("extents"));
    const WindowSetting extents = *window_setting(arguments, "extents");
    for (std::size_t i = 0; const std::int64_t extent : window_numbers(context(), extents, dimensions, 1)) {
        dimensions[i].extent = extent;
        dimensions[i].symbol = DimensionValue::by_role;
        dimensions[i++].where = extents.where;
    }
    return list_of(dimensions);
}

/// The extent of one of so many equal parts of a dimension.
Value Elaborator::equal_parts(const syntax::Call &call) {
    const Arguments arguments(context(), call, {"dimension", "parts"});
    const syntax::CallArgument &whole_of = arguments.require("dimension");
    const syntax::CallArgument &parts_of = arguments.require("parts");
    const DimensionValue dimension =
        expect_dimension(context(), constant_argument(whole_of), whole_of.where, arguments.what("dimension"));
    const std::int64_t parts = expect_integer_in(context(), constant_argument(parts_of), parts_of.where,
                                                 arguments.what("parts"), 1, std::numeric_limits<std::int64_t>::max());
    if (dimension.extent % parts != 0)
        fail(uneven_parts, call.callee.where, {to_string(dimension), std::to_string(parts)});
    return whole(dimension.extent / parts);
}

} // namespace planc::sema

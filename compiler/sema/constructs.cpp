// Constructs that are checked but not lowered yet. Each gives a tensor of the shape that it will have, so that what
// follows can be checked too; the analysis ends with one diagnostic for the first of them.

#include "sema/elaborate.h"
#include "sema/expect.h"
#include "sema/primitives.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(not_an_image, error, "'{0}' takes a tensor [batch, height, width, channel], got {1}"); // O6
PLANC_DIAGNOSTIC(window_too_large, error,
                 "the window of '{0}' ({2}) is larger than dimension '{1}' with its padding ({3})"); // O6

namespace {

constexpr std::int64_t largest_window = 1'000'000;

} // namespace

TensorValue Elaborator::placeholder(std::vector<DimensionValue> dimensions, ElementType element, SourceRange where) {
    Operation operation;
    operation.kind = OperationKind::constant;
    return append(std::move(operation), std::move(dimensions), element, where);
}

Value Elaborator::construct(const syntax::Call &call, SourceRange where) {
    const std::string &name = call.callee.text;
    const auto record = [&] {
        analysis_.context.not_lowered(call.callee.where,
                                      std::string(not_lowered_construct(name)) + " ('" + name + "')");
    };
    std::optional<Value> value; // arguments first: of nested constructs the innermost is the first
    if (name == "conv")
        value = convolution(call, where);
    else if (name == "max_pool" || name == "average_pool")
        value = pooling(call, where);
    else if (name == "global_average_pool")
        value = global_average_pool(call, where);
    else if (name == "batch_norm")
        value = shape_preserving(call, where);
    record();
    // The shape of the others rests on rules that come with their lowering: nothing after them can be checked.
    if (!value)
        analysis_.context.fail_if_not_lowered();
    return value.value();
}

TensorValue Elaborator::image(const Arguments &arguments, const syntax::Call &call) {
    const syntax::CallArgument &given = arguments.require("x");
    TensorValue x = expect_tensor(argument(given), given.where, arguments.what("x"));
    if (x.dimensions.size() != 4)
        fail(not_an_image, given.where, {call.callee.text, to_string(x)});
    return x;
}

std::vector<std::int64_t> Elaborator::window_numbers(const Arguments &arguments, const std::string &name,
                                                     std::int64_t fallback, std::int64_t least) {
    const syntax::CallArgument *given = arguments.find(name);
    if (!given)
        return {fallback, fallback};
    const Value value = argument(*given);
    const std::string what = arguments.what(name);
    std::vector<std::int64_t> numbers;
    if (const auto *list = value.get<ListValue>())
        for (const Value &item : **list)
            numbers.push_back(expect_integer_in(context(), item, given->where, what, least, largest_window));
    else
        numbers.assign(2, expect_integer_in(context(), value, given->where, what, least, largest_window));
    if (numbers.size() != 2)
        fail_wrong_type(context(), given->where, what, "one number or [height, width]", value);
    return numbers;
}

void Elaborator::slide_window(std::vector<DimensionValue> &dimensions, const Arguments &arguments,
                              const syntax::Call &call) {
    static_cast<void>(arguments.require("kernel"));
    const std::vector<std::int64_t> kernel = window_numbers(arguments, "kernel", 1, 1);
    const bool pool = call.callee.text != "conv";
    std::vector<std::int64_t> stride = window_numbers(arguments, "stride", 1, 1);
    if (pool && !arguments.find("stride"))
        stride = kernel;
    const std::vector<std::int64_t> padding = window_numbers(arguments, "padding", 0, 0);
    for (std::size_t i = 0; i < 2; ++i) {
        DimensionValue &dimension = dimensions[1 + i];
        const std::int64_t room = dimension.extent + 2 * padding[i]; // extents are at most 2^60, windows a million
        if (kernel[i] > room)
            fail(window_too_large, call.callee.where,
                 {call.callee.text, dimension.role, std::to_string(kernel[i]), std::to_string(room)});
        dimension.extent = (room - kernel[i]) / stride[i] + 1;
    }
}

Value Elaborator::convolution(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "out", "kernel", "stride", "padding", "bias", "groups"});
    TensorValue x = image(arguments, call);
    const syntax::CallArgument &out = arguments.require("out");
    DimensionValue channel = expect_dimension(context(), argument(out), out.where, arguments.what("out"));
    slide_window(x.dimensions, arguments, call);
    if (const syntax::CallArgument *bias = arguments.find("bias"))
        static_cast<void>(expect_boolean(context(), argument(*bias), bias->where, arguments.what("bias")));
    if (const syntax::CallArgument *groups = arguments.find("groups"))
        static_cast<void>(expect_integer_in(context(), argument(*groups), groups->where, arguments.what("groups"), 1,
                                            x.dimensions.back().extent));
    x.dimensions.back() = channel;
    return {placeholder(x.dimensions, x.element, where)};
}

Value Elaborator::pooling(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "kernel", "stride", "padding"});
    TensorValue x = image(arguments, call);
    slide_window(x.dimensions, arguments, call);
    return {placeholder(x.dimensions, x.element, where)};
}

Value Elaborator::global_average_pool(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x"});
    TensorValue x = image(arguments, call);
    x.dimensions.erase(x.dimensions.begin() + 1, x.dimensions.begin() + 3);
    return {placeholder(x.dimensions, x.element, where)};
}

Value Elaborator::shape_preserving(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "over", "epsilon"});
    const syntax::CallArgument &given = arguments.require("x");
    const TensorValue x = expect_tensor(argument(given), given.where, arguments.what("x"));
    return {placeholder(x.dimensions, x.element, where)};
}

} // namespace planc::sema

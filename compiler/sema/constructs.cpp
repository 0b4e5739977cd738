// Constructs that are checked but not lowered yet. Each gives a tensor of the shape that it will have, so that what
// follows can be checked too; the analysis ends with one diagnostic for the first of them.

#include "sema/elaborate.h"
#include "sema/expect.h"
#include "sema/primitives.h"

#include <algorithm>

namespace planc::sema {

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
    if (name == "max_pool" || name == "average_pool")
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

void Elaborator::slide(TensorValue &x, const Arguments &arguments, const syntax::Call &call) {
    const std::vector<std::size_t> places = spatial_places(x, arguments, call);
    std::vector<DimensionValue> spatial;
    for (const std::size_t place : places)
        spatial.push_back(x.dimensions[place]);
    static_cast<void>(arguments.require("kernel"));
    const std::vector<std::int64_t> kernels =
        window_numbers(context(), *window_setting(arguments, "kernel"), spatial, 1);
    static_cast<void>(slide_windows(x, places, kernels, kernels, arguments, call));
}

Value Elaborator::pooling(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "kernel", "stride", "padding", "dilation", "spatial"});
    TensorValue x = tensor_argument(arguments, "x");
    slide(x, arguments, call);
    return {placeholder(x.dimensions, x.element, where)};
}

Value Elaborator::global_average_pool(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "spatial"});
    TensorValue x = tensor_argument(arguments, "x");
    std::vector<std::size_t> places = spatial_places(x, arguments, call);
    std::sort(places.rbegin(), places.rend());
    for (const std::size_t place : places)
        x.dimensions.erase(x.dimensions.begin() + static_cast<std::ptrdiff_t>(place));
    return {placeholder(x.dimensions, x.element, where)};
}

Value Elaborator::shape_preserving(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "over", "epsilon"});
    const syntax::CallArgument &given = arguments.require("x");
    const TensorValue x = expect_tensor(argument(given), given.where, arguments.what("x"));
    return {placeholder(x.dimensions, x.element, where)};
}

} // namespace planc::sema

// max_pool, average_pool and global_average_pool. An average is a sum over windows, divided by their numbers of
// elements.

#include "sema/networks/elaborate.h"
#include "sema/primitives/windows.h"
#include "sema/values/expect.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(
    window_without_element, error,
    "the window of '{0}' lies between the elements of dimension '{1}' at position {2}: it has none"); // O19

/// A pool of kind "max" or "sum"; `x` is replaced by its result.
std::vector<Window> Elaborator::pool(const std::string &kind, TensorValue &x, const Arguments &arguments,
                                     const syntax::Call &call, SourceRange where) {
    check_floating(call.callee.text, x, arguments.require("x").where);
    const std::vector<std::size_t> places = spatial_places(x, arguments, call);
    std::vector<DimensionValue> spatial;
    for (const std::size_t place : places)
        spatial.push_back(x.dimensions[place]);
    static_cast<void>(arguments.require("kernel"));
    const std::vector<std::int64_t> kernels =
        window_numbers(context(), *window_setting(arguments, "kernel"), spatial, 1);
    Operation operation;
    operation.kind = OperationKind::pool;
    operation.text = kind;
    operation.operands = {x.id};
    operation.windows = slide_windows(x, places, kernels, kernels, arguments, call);
    const std::vector<Window> windows = operation.windows;
    x = append(std::move(operation), x.dimensions, x.element, where);
    return windows;
}

/// A maximum, or a mean that is divided by the number of elements, needs at least one element in each window.
void Elaborator::check_elements(const std::vector<Window> &windows, const TensorValue &x,
                                const syntax::Call &call) const {
    for (const Window &window : windows)
        for (const DimensionValue &dimension : x.dimensions)
            if (dimension.role == window.role)
                if (const auto position = position_without_element(window, dimension.extent))
                    fail(window_without_element, call.callee.where,
                         {call.callee.text, window.role, std::to_string(*position)});
}

Value Elaborator::max_pool(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "kernel", "stride", "padding", "dilation", "spatial"});
    const TensorValue x = tensor_argument(arguments, "x");
    TensorValue result = x;
    check_elements(pool("max", result, arguments, call, where), x, call);
    return {result};
}

Value Elaborator::average_pool(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call,
                              {"x", "kernel", "stride", "padding", "dilation", "count_padding", "spatial"});
    const TensorValue x = tensor_argument(arguments, "x");
    TensorValue sums = x;
    const std::vector<Window> windows = pool("sum", sums, arguments, call, where);
    bool count_padding = true;
    if (const syntax::CallArgument *given = arguments.find("count_padding"))
        count_padding = expect_boolean(context(), argument(*given), given->where, arguments.what("count_padding"));
    if (!count_padding)
        check_elements(windows, x, call);
    double elements = 1; // of each window, as far as the number does not depend on the position
    for (const Window &window : windows) {
        if (count_padding || (window.before == 0 && window.behind == 0)) {
            elements *= static_cast<double>(window.kernel);
            continue;
        }
        const auto at = std::find_if(x.dimensions.begin(), x.dimensions.end(),
                                     [&](const DimensionValue &dimension) { return dimension.role == window.role; });
        const DimensionValue &positions = sums.dimensions[static_cast<std::size_t>(at - x.dimensions.begin())];
        sums = pointwise("div", {sums, elements_of_windows(window, positions, at->extent, x.element, where)}, where);
    }
    return {pointwise("mul", {sums, constant(1 / elements, x.element, where)}, where)};
}

/// The number of indices in [0, extent) that the window touches at each position. Below a limit are those with k <
/// (limit + before - p * stride) / dilation, rounded up. All numbers are whole, so quotients round to them in any type.
TensorValue Elaborator::elements_of_windows(const Window &window, const DimensionValue &positions, std::int64_t extent,
                                            ElementType element, SourceRange where) {
    Operation counting;
    counting.kind = OperationKind::iota;
    const TensorValue numbers = append(std::move(counting), {positions}, ElementType::i32, where);
    const auto number = [&](std::int64_t value) { return constant(static_cast<double>(value), element, where); };
    const TensorValue starts =
        pointwise("mul", {append_pointwise("identity", {numbers}, element, where), number(window.stride)}, where);
    const auto below = [&](std::int64_t limit) {
        TensorValue count = pointwise("sub", {number(limit + window.before + window.dilation - 1), starts}, where);
        if (window.dilation > 1)
            count =
                append_pointwise("floor", {pointwise("div", {count, number(window.dilation)}, where)}, element, where);
        return pointwise("minimum", {pointwise("maximum", {count, number(0)}, where), number(window.kernel)}, where);
    };
    return pointwise("sub", {below(extent), below(0)}, where);
}

Value Elaborator::global_average_pool(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "spatial"});
    const TensorValue x = tensor_argument(arguments, "x");
    check_floating(call.callee.text, x, arguments.require("x").where);
    std::vector<std::size_t> places = spatial_places(x, arguments, call);
    Operation operation;
    operation.kind = OperationKind::reduce;
    operation.text = "mean";
    operation.operands = {x.id};
    std::vector<DimensionValue> rest = x.dimensions;
    std::sort(places.rbegin(), places.rend());
    for (const std::size_t place : places) {
        operation.roles.push_back(x.dimensions[place].role);
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
    }
    return {append(std::move(operation), std::move(rest), x.element, where)};
}

} // namespace planc::sema

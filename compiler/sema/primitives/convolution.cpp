// convolution(x, w -> [.., out], padding = 1): an einsum with windows. A dimension of w that has the role of a spatial
// dimension of x is the window that moves over it. All others are loops like those of an einsum: summed over if the
// result lacks them; those that x, w and the result share are groups. convolution_transpose is the same with positions
// and elements exchanged: x has the positions, the result what the windows move over.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(convolution_without_window, error,
                 "'{2}' over '{0}' needs that dimension in the window {1}");                      // O17
PLANC_DIAGNOSTIC(convolution_without_position, error, "the result of '{1}' over '{0}' lacks it"); // O17
PLANC_DIAGNOSTIC(convolution_of_window, error,
                 "the result of '{1}' has dimension '{0}', which is summed over in the window"); // O17

namespace {

/// Finds where w has the windows over the dimensions of x at `places`. Their roles in w get an apostrophe, so that they
/// are separate loops.
std::vector<std::size_t> prime_windows(const Context &context, const std::string &function, TensorValue &w,
                                       SourceRange where, const TensorValue &x,
                                       const std::vector<std::size_t> &places) {
    std::vector<std::size_t> found;
    const TensorValue given = w;
    for (const std::size_t place : places) {
        const std::string &role = x.dimensions[place].role;
        const auto window = std::find_if(given.dimensions.begin(), given.dimensions.end(),
                                         [&](const DimensionValue &dimension) { return dimension.role == role; });
        if (window == given.dimensions.end())
            context.fail(convolution_without_window, where, {role, to_string(given), function});
        found.push_back(static_cast<std::size_t>(window - given.dimensions.begin()));
        DimensionValue &primed = w.dimensions[found.back()];
        primed.symbol = DimensionValue::by_role;
        primed.role += '\'';
    }
    return found;
}

} // namespace

Value Elaborator::convolution(const syntax::Call &call, SourceRange where) {
    const std::string &function = call.callee.text;
    const bool transposed = function == "convolution_transpose";
    std::vector<std::string> names{"x", "w", "spatial", "stride", "padding", "dilation"};
    if (transposed)
        names.emplace_back("output_padding");
    const Arguments arguments(context(), call, names, "w");
    TensorValue x = tensor_argument(arguments, "x");
    TensorValue w = tensor_argument(arguments, "w");
    const SourceRange of_w = arguments.require("w").where;
    check_floating(function, x, arguments.require("x").where);
    check_floating(function, w, of_w);
    check_same_element(function, {x, w}, where);

    Operation operation;
    operation.kind = OperationKind::convolution;
    operation.transposed = transposed;
    operation.operands = {x.id, w.id};
    const std::vector<std::size_t> places = spatial_places(x, arguments, call);
    const std::vector<std::size_t> windows = prime_windows(context(), function, w, of_w, x, places);
    std::vector<std::int64_t> kernels;
    for (const std::size_t window : windows)
        kernels.push_back(w.dimensions[window].extent);
    const std::vector<std::int64_t> ones(kernels.size(), 1);
    std::vector<TensorValue> operands{x, w};
    operation.windows = slide_windows(operands[0], places, kernels, ones, arguments, call); // to the result's extents

    std::vector<LoopOf> loops = loops_of(function, operands, operation, where);
    std::vector<DimensionValue> dimensions = einsum_result(function, *arguments.require("w").target, loops, operation);
    const auto has = [&](int loop) {
        return std::find(operation.result_loops.begin(), operation.result_loops.end(), loop) !=
               operation.result_loops.end();
    };
    const SourceRange of_result = arguments.require("w").target->where;
    for (std::size_t i = 0; i < places.size(); ++i) {
        operation.windows[i].loop = operation.operand_loops[0][places[i]];
        operation.windows[i].kernel_loop = operation.operand_loops[1][windows[i]];
        if (!has(operation.windows[i].loop))
            fail(convolution_without_position, of_result, {operation.windows[i].role, function});
        if (has(operation.windows[i].kernel_loop))
            fail(convolution_of_window, of_result,
                 {loops[static_cast<std::size_t>(operation.windows[i].kernel_loop)].name, function});
    }
    for (const LoopOf &loop : loops)
        operation.loops.push_back({loop.name, loop.first.extent});
    return {append(std::move(operation), std::move(dimensions), x.element, where)};
}

} // namespace planc::sema

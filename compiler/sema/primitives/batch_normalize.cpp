// batch_normalize(x, scale, b, mean, variance): the primitive on which batch_norm is built; batch_norm owns the
// parameters and the state.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(not_a_state, error, "{0} is written in training, so it must be a 'state', given by its name"); // O20
PLANC_DIAGNOSTIC(state_written_twice, error, "state '{0}' is written a second time");                           // O20
PLANC_DIAGNOSTIC(statistics_mismatch, error, "{0} is {1}, but {2} is {3}");                                     // O20
PLANC_DIAGNOSTIC(statistics_not_of_tensor, error, "'batch_normalize' of {1} cannot have statistics {0}");       // O20
PLANC_DIAGNOSTIC(one_value, error,
                 "'batch_normalize' of {0} has one value for each of {1}: there is no variance"); // O20

/// A state that nothing has written yet. From now on, this call writes it.
TensorValue Elaborator::written_state(const Arguments &arguments, const std::string &name) {
    const TensorValue tensor = tensor_argument(arguments, name);
    const SourceRange where = arguments.require(name).where;
    const Operation &read = network_->operations[static_cast<std::size_t>(tensor.id)];
    if (read.kind != OperationKind::parameter || read.trained)
        fail(not_a_state, where, {arguments.what(name)});
    // Each call of a shared layer writes once.
    const auto [first, fresh] = written_states_[tensor.id].emplace(frame_->shared ? frame_->shared->number : 0, where);
    if (!fresh)
        fail(state_written_twice, where, {read.text}, {{first->second, "the first time is here"}});
    return tensor;
}

Value Elaborator::batch_normalize(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "scale", "b", "mean", "variance", "epsilon", "momentum"});
    const TensorValue x = tensor_argument(arguments, "x");
    check_floating(call.callee.text, x, arguments.require("x").where);
    const TensorValue scale = tensor_argument(arguments, "scale");
    const std::vector<TensorValue> all{x, scale, tensor_argument(arguments, "b"), written_state(arguments, "mean"),
                                       written_state(arguments, "variance")};
    check_same_element(call.callee.text, all, where);
    const char *const names[] = {"x", "scale", "b", "mean", "variance"};
    for (std::size_t i = 2; i < all.size(); ++i)
        if (type_of(all[i]).dimensions != type_of(scale).dimensions)
            fail(statistics_mismatch, arguments.require(names[i]).where,
                 {arguments.what(names[i]), to_string(all[i]), arguments.what("scale"), to_string(scale)});

    Operation operation;
    operation.kind = OperationKind::batch_norm;
    for (const TensorValue &operand : all)
        operation.operands.push_back(operand.id);
    double values = 1; // normalised together
    for (const DimensionValue &dimension : x.dimensions)
        values *= static_cast<double>(dimension.extent);
    for (const DimensionValue &dimension : scale.dimensions) {
        if (std::none_of(x.dimensions.begin(), x.dimensions.end(), [&](const DimensionValue &of_x) {
                return of_x.role == dimension.role && of_x.extent == dimension.extent;
            }))
            fail(statistics_not_of_tensor, arguments.require("scale").where, {to_string(scale), to_string(x)});
        values /= static_cast<double>(dimension.extent);
    }
    if (values < 1.5) // rounded
        fail(one_value, where, {to_string(x), to_string(scale)});
    const auto fraction = [&](const char *name, double otherwise) {
        const syntax::CallArgument *given = arguments.find(name);
        return given ? expect_fraction(context(), argument(*given), given->where, arguments.what(name)) : otherwise;
    };
    operation.number = fraction("epsilon", 1e-5);
    operation.momentum = fraction("momentum", 0.1);
    return {append(std::move(operation), x.dimensions, x.element, where)};
}

} // namespace planc::sema

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
    if (name == "batch_norm")
        value = shape_preserving(call, where);
    record();
    // The shape of the others rests on rules that come with their lowering: nothing after them can be checked.
    if (!value)
        analysis_.context.fail_if_not_lowered();
    return value.value();
}

Value Elaborator::shape_preserving(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"x", "over", "epsilon"});
    const syntax::CallArgument &given = arguments.require("x");
    const TensorValue x = expect_tensor(argument(given), given.where, arguments.what("x"));
    return {placeholder(x.dimensions, x.element, where)};
}

} // namespace planc::sema

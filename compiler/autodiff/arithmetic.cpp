#include "autodiff/arithmetic.h"

namespace planc::autodiff {

using ir::type_of;
using mlir::Value;

Value Arithmetic::marked(Value made) {
    if (!parameter_.empty())
        made.getDefiningOp()->setAttr("parameter", build_.builder().getStringAttr(parameter_));
    return made;
}

Value Arithmetic::call(mlir::StringRef function, mlir::ArrayRef<Value> inputs) {
    Value like = inputs.front();
    for (Value input : inputs)
        if (type_of(input).getRoles().size() > type_of(like).getRoles().size())
            like = input;
    return marked(build_.pointwise(function, inputs, type_of(like)));
}

Value Arithmetic::convert(Value value, mlir::Type element) {
    return type_of(value).getElementType() == element ? value : marked(build_.convert(value, element));
}

Value Arithmetic::sum_of_squares(Value value) {
    const Value squares = square(value);
    if (type_of(value).getRoles().empty())
        return as_f64(squares);
    return as_f64(marked(build_.reduce_to("sum", squares, type_of(number(0, value)))));
}

} // namespace planc::autodiff

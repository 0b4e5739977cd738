#include "ir/nest.h"

#include "ir/pointwise.h"
#include "ir/subscripts.h"

#include <algorithm>

#include "ir/nest_interface.cpp.inc"

namespace planc::ir {

using sharding::LoopKind;
using sharding::Nest;

namespace {

TensorType tensor(mlir::Value value) {
    return mlir::cast<TensorType>(value.getType());
}

/// Index of the loop of this name; made if there is none yet.
int loop(Nest &nest, llvm::StringRef name, std::int64_t extent) {
    const auto at = std::find_if(nest.loops.begin(), nest.loops.end(), [&](const auto &l) { return l.name == name; });
    if (at != nest.loops.end())
        return static_cast<int>(at - nest.loops.begin());
    nest.loops.push_back({name.str(), extent, LoopKind::reduced});
    return static_cast<int>(nest.loops.size()) - 1;
}

std::vector<int> loops_by_role(Nest &nest, TensorType type) {
    std::vector<int> loops;
    for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents()))
        loops.push_back(loop(nest, role.getValue(), extent));
    return loops;
}

std::vector<int> loops_by_name(Nest &nest, const std::vector<std::string> &names, TensorType type) {
    std::vector<int> loops;
    for (auto [name, extent] : llvm::zip(names, type.getExtents()))
        loops.push_back(loop(nest, name, extent));
    return loops;
}

/// Loops that a result has are parallel; the others stay reduced.
void mark_parallel(Nest &nest) {
    for (const auto &result : nest.results)
        for (int index : result)
            nest.loops[static_cast<std::size_t>(index)].kind = LoopKind::parallel;
}

/// The nest of an operation whose dimensions correspond by role. Loops stand in the order of `order`'s dimensions.
Nest nest_by_role(mlir::Operation *op, TensorType order) {
    Nest nest;
    loops_by_role(nest, order);
    for (mlir::Value operand : op->getOperands())
        nest.operands.push_back(loops_by_role(nest, tensor(operand)));
    for (mlir::Value result : op->getResults())
        nest.results.push_back(loops_by_role(nest, tensor(result)));
    mark_parallel(nest);
    return nest;
}

/// Partial sums pass through sums and through products with numbers; a number in a sum would be added on every rank.
bool is_linear(PointwiseOp op) {
    const auto is_number = [](mlir::Value value) { return constant_value(value).has_value(); };
    const auto inputs = op.getInputs();
    if (op.getFunction() == "mul")
        return is_number(inputs[0]) != is_number(inputs[1]);
    if (op.getFunction() == "div")
        return !is_number(inputs[0]) && is_number(inputs[1]);
    const PointwiseFunction *function = find_pointwise(op.getFunction());
    return function->linear && llvm::none_of(inputs, is_number);
}

} // namespace

Nest nest_of(mlir::Operation *operation) {
    return mlir::cast<NestInterface>(operation).nest();
}

std::optional<double> constant_value(mlir::Value value) {
    if (auto constant = value.getDefiningOp<ConstantOp>())
        return constant.getValue().convertToDouble();
    return std::nullopt;
}

Nest ConstantOp::nest() {
    return nest_by_role(*this, getResult().getType());
}

Nest IotaOp::nest() {
    return nest_by_role(*this, getResult().getType());
}

Nest EinsumOp::nest() {
    const auto subscripts = parse_subscripts(getSubscripts());
    Nest nest;
    for (auto [names, input] : llvm::zip(subscripts->operands, getInputs()))
        nest.operands.push_back(loops_by_name(nest, names, tensor(input)));
    nest.results.push_back(loops_by_name(nest, subscripts->result, getResult().getType()));
    mark_parallel(nest);
    nest.linear = getInputs().size() == 1;
    return nest;
}

Nest PointwiseOp::nest() {
    Nest nest = nest_by_role(*this, getResult().getType());
    nest.linear = is_linear(*this);
    return nest;
}

Nest ReduceOp::nest() {
    Nest nest = nest_by_role(*this, getOperand().getType());
    nest.linear = getReduction() == "sum";
    if (getReduction() == "max")
        nest.reduction = sharding::Reduction::max;
    if (getReduction() == "min")
        nest.reduction = sharding::Reduction::min;
    return nest;
}

Nest SgdOp::nest() {
    return nest_by_role(*this, getParameter().getType());
}

Nest AdamOp::nest() {
    return nest_by_role(*this, getParameter().getType());
}

} // namespace planc::ir

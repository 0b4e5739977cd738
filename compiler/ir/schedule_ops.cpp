// Verifiers of the schedule's operations.

#include "ir/plan_dialect.h"

#include <algorithm>

namespace planc::ir {

using mlir::LogicalResult;
using mlir::success;
using mlir::Value;

namespace {

TensorType tensor(Value value) {
    return mlir::cast<TensorType>(value.getType());
}

/// Roles of a in groups: its dimensions in the order (batch, first, second).
bool matches(TensorType whole, size_t first, size_t count, TensorType other, size_t other_first) {
    for (size_t i = 0; i < count; ++i)
        if (whole.getExtents()[first + i] != other.getExtents()[other_first + i])
            return false;
    return true;
}

} // namespace

LogicalResult GemmOp::verify() {
    const auto batch = static_cast<size_t>(getBatch());
    const auto rows = static_cast<size_t>(getRows());
    const auto columns = static_cast<size_t>(getColumns());
    const auto summed = static_cast<size_t>(getSummed());
    const TensorType a = getA().getType();
    const TensorType b = getB().getType();
    const TensorType c = getResult().getType();
    if (a.getExtents().size() != batch + rows + summed || b.getExtents().size() != batch + summed + columns ||
        c.getExtents().size() != batch + rows + columns)
        return emitOpError() << "batch " << batch << ", rows " << rows << ", columns " << columns << ", summed "
                             << summed << " do not count the dimensions of " << a << ", " << b << ", " << c;
    const size_t a_rows = batch + (getTransposeA() ? summed : 0);
    const size_t a_summed = batch + (getTransposeA() ? 0 : rows);
    const size_t b_columns = batch + (getTransposeB() ? 0 : summed);
    const size_t b_summed = batch + (getTransposeB() ? columns : 0);
    if (!matches(c, 0, batch, a, 0) || !matches(c, 0, batch, b, 0) || !matches(c, batch, rows, a, a_rows) ||
        !matches(c, batch + rows, columns, b, b_columns) || !matches(a, a_summed, summed, b, b_summed))
        return emitOpError() << "extents of " << a << " and " << b << " do not fit " << c;
    if (getAccumulator() && getAccumulator().getType() != c)
        return emitOpError() << "the accumulator is " << getAccumulator().getType() << ", the result " << c;
    if (!c.getElementType().isF32() && !c.getElementType().isF64())
        return emitOpError() << "there is no matrix product of " << c.getElementType();
    return success();
}

LogicalResult PermuteOp::verify() {
    const TensorType from = getOperand().getType();
    const TensorType to = getResult().getType();
    if (from.getRoles().size() != to.getRoles().size())
        return emitOpError() << "the result " << to << " has not the dimensions of " << from;
    for (auto [role, extent] : llvm::zip(to.getRoles(), to.getExtents())) {
        const int64_t at = from.find(role);
        if (at < 0 || from.getExtents()[static_cast<size_t>(at)] != extent)
            return emitOpError() << "the result " << to << " has not the dimensions of " << from;
    }
    return success();
}

LogicalResult ViewOp::verify() {
    if (getOperand().getType().getExtents() != getResult().getType().getExtents())
        return emitOpError() << "the result " << getResult().getType() << " has not the extents of "
                             << getOperand().getType();
    return success();
}

LogicalResult StartOp::verify() {
    if (getInputs().empty() || getInputs().size() != getResults().size() || getInputs().size() != getTensors().size())
        return emitOpError() << "has " << getInputs().size() << " operands, " << getResults().size()
                             << " results and names for " << getTensors().size() << " tensors";
    if (getInputs().size() > 1 && getKind() != "all_reduce")
        return emitOpError() << "several members travel in an all_reduce only, not in '" << getKind() << "'";
    for (auto [from, to] : llvm::zip(getInputs(), getResults()))
        if (tensor(from).withoutLayout() != tensor(to).withoutLayout())
            return emitOpError() << "turns " << from.getType() << " into " << to.getType();
    return success();
}

LogicalResult WaitOp::verify() {
    if (!llvm::equal(getPending().getTypes(), getResults().getTypes()))
        return emitOpError() << "results are not of the types of what is waited for";
    auto start = getPending().empty() ? StartOp() : getPending().front().getDefiningOp<StartOp>();
    if (start && start.getNumber() != getNumber())
        return emitOpError() << "waits for collective " << getNumber() << ", but its operands are of collective "
                             << start.getNumber();
    return success();
}

LogicalResult LoopsOp::verify() {
    auto yield = mlir::dyn_cast<YieldOp>(getBody().front().getTerminator());
    if (!yield || !llvm::equal(yield.getValues().getTypes(), getResults().getTypes()))
        return emitOpError() << "yields values of other types than its results";
    return success();
}

LogicalResult YieldOp::verify() {
    return success();
}

} // namespace planc::ir

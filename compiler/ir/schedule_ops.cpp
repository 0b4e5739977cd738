// Verifiers of the schedule's operations.

#include "ir/collective_kind.h"
#include "ir/plan_dialect.h"
#include "ir/subscripts.h"
#include "ir/windows.h"

#include <map>

namespace planc::ir {

using mlir::LogicalResult;
using mlir::success;
using mlir::Value;

namespace {

TensorType tensor(Value value) {
    return mlir::cast<TensorType>(value.getType());
}

/// Records the extents of a tensor's loops. Returns false if they differ from those recorded before.
bool note_extents(const std::vector<std::string> &loops, TensorType type, std::map<std::string, int64_t> &extents) {
    return loops.size() == type.getExtents().size() &&
           llvm::all_of(llvm::zip(loops, type.getExtents()), [&](const auto &dimension) {
               const auto &[loop, extent] = dimension;
               return extents.try_emplace(loop, extent).first->second == extent;
           });
}

} // namespace

LogicalResult GemmOp::verify() {
    const TensorType a = getA().getType();
    const TensorType b = getB().getType();
    const TensorType c = getResult().getType();
    const auto subscripts = parse_subscripts(getSubscripts());
    if (!subscripts || subscripts->operands.size() != 2)
        return emitOpError() << "subscripts '" << getSubscripts() << "' are not those of a product of two operands";
    std::map<std::string, int64_t> extents;
    if (!note_extents(subscripts->operands[0], a, extents) || !note_extents(subscripts->operands[1], b, extents) ||
        !note_extents(subscripts->result, c, extents))
        return emitOpError() << "subscripts '" << getSubscripts() << "' do not fit " << a << ", " << b << " and " << c;
    for (const std::string &loop : subscripts->loops())
        if (llvm::is_contained(subscripts->operands[0], loop) + llvm::is_contained(subscripts->operands[1], loop) +
                llvm::is_contained(subscripts->result, loop) <
            2)
            return emitOpError() << "loop '" << loop << "' is in one tensor only";
    if (getAccumulator() && getAccumulator().getType() != c)
        return emitOpError() << "the accumulator is " << getAccumulator().getType() << ", the result " << c;
    if (getBeta() && !getAccumulator())
        return emitOpError() << "has beta, but no accumulator";
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
    if (getOperand().getType().elements() != getResult().getType().elements())
        return emitOpError() << "the result " << getResult().getType() << " has not the elements of "
                             << getOperand().getType();
    return success();
}

ConvOp PackOp::getConvolution() {
    for (mlir::Operation *user : getResult().getUsers())
        if (auto conv = mlir::dyn_cast<ConvOp>(user))
            return conv;
    return {};
}

LogicalResult PackOp::verify() {
    for (mlir::OpOperand &use : getResult().getUses()) {
        auto conv = mlir::dyn_cast<ConvOp>(use.getOwner());
        if (!conv || !conv->hasAttr("format") || conv.getKind() == "weight_gradient" || use.getOperandNumber() != 1)
            return emitOpError() << "is read by something else than a packed convolution";
    }
    if (getConvolution())
        return success();
    return emitOpError() << "is read by no convolution";
}

LogicalResult UnpackOp::verify() {
    auto conv = getOperand().getDefiningOp<ConvOp>();
    if (conv && conv->hasAttr("format") && conv.getKind() == "weight_gradient")
        return success();
    return emitOpError() << "takes something else than the weight gradient of a packed convolution";
}

LogicalResult MaxPoolOp::verify() {
    const TensorType maxima = getMaxima().getType();
    const TensorType numbers = getNumbers().getType();
    if (!numbers.getElementType().isSignlessInteger(32) || numbers.getRoles() != maxima.getRoles() ||
        numbers.getExtents() != maxima.getExtents() || numbers.getLayout() != maxima.getLayout())
        return emitOpError() << numbers << " does not number the elements of " << maxima;
    return check_window_numbers(*this, getWindows().size(), getKernels().size(), getStrides(), getDilations(),
                                getPaddings());
}

LogicalResult StartOp::verify() {
    if (getInputs().empty() || getInputs().size() != getResults().size() || getInputs().size() != getTensors().size())
        return emitOpError() << "has " << getInputs().size() << " operands, " << getResults().size()
                             << " results and names for " << getTensors().size() << " tensors";
    if (!collective_kind(getKind()))
        return emitOpError() << "there is no collective '" << getKind() << "'";
    if (getInputs().size() > 1 && getKind() != "all_reduce")
        return emitOpError() << "several members travel in an all_reduce only, not in '" << getKind() << "'";
    for (auto [from, to] : llvm::zip(getInputs(), getResults()))
        if (tensor(from).withoutLayout() != tensor(to).withoutLayout())
            return emitOpError() << "turns " << from.getType() << " into " << to.getType();
    return success();
}

LogicalResult WaitOp::verify() {
    if (!llvm::equal(getPending().getTypes(), getResults().getTypes()))
        return emitOpError() << "results must have the types of the pending operands";
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

// Verifiers of the plan dialect's operations. Their messages contain the values that conflict.

#include "ir/collective_kind.h"
#include "ir/plan_dialect.h"
#include "ir/pointwise.h"
#include "ir/subscripts.h"

#include <map>

#define GET_OP_CLASSES
#include "ir/plan_ops.cpp.inc"

namespace planc::ir {

using mlir::failure;
using mlir::LogicalResult;
using mlir::StringRef;
using mlir::success;
using mlir::Value;

namespace {

TensorType tensor(Value value) {
    return mlir::cast<TensorType>(value.getType());
}

bool same_shape(TensorType a, TensorType b) {
    return a.getRoles() == b.getRoles() && a.getExtents() == b.getExtents();
}

LogicalResult same_shape_as(mlir::Operation *op, StringRef what, TensorType got, StringRef wanted_of,
                            TensorType wanted) {
    if (same_shape(got, wanted))
        return success();
    return op->emitOpError() << what << " is " << got << ", but " << wanted_of << " is " << wanted;
}

/// Dimensions of `part` are dimensions of `whole` with the same extents.
LogicalResult contained(mlir::Operation *op, TensorType part, TensorType whole) {
    for (auto [role, extent] : llvm::zip(part.getRoles(), part.getExtents())) {
        const int64_t at = whole.find(role);
        if (at < 0)
            return op->emitOpError() << "dimension " << role << " of " << part << " is missing in " << whole;
        if (whole.getExtents()[static_cast<size_t>(at)] != extent)
            return op->emitOpError() << "dimension " << role << " has extent " << extent << " in " << part << " but "
                                     << whole.getExtents()[static_cast<size_t>(at)] << " in " << whole;
    }
    return success();
}

LogicalResult scalar(mlir::Operation *op, TensorType type) {
    if (type.getRoles().empty())
        return success();
    return op->emitOpError() << "the result is a scalar, not " << type;
}

LogicalResult refers_to_variable(mlir::Operation *op, mlir::FlatSymbolRefAttr name, TensorType type,
                                 mlir::SymbolTableCollection &symbols) {
    auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
    if (!variable)
        return op->emitOpError() << "there is no variable " << name;
    auto declared = mlir::cast<TensorType>(variable.getType());
    if (!same_shape(type, declared) || type.getElementType() != declared.getElementType())
        return op->emitOpError() << "variable " << name << " is " << declared << ", not " << type;
    return success();
}

} // namespace

LogicalResult VariableOp::verify() {
    if (!mlir::isa<TensorType>(getType()))
        return emitOpError() << "a variable is a !plan.tensor, not " << getType();
    return success();
}

LogicalResult ReadOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
    return refers_to_variable(*this, getVariableAttr(), getResult().getType(), symbols);
}

LogicalResult WriteOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
    return refers_to_variable(*this, getVariableAttr(), getValue().getType(), symbols);
}

LogicalResult ConstantOp::verify() {
    return scalar(*this, getResult().getType());
}

LogicalResult IotaOp::verify() {
    if (getResult().getType().getRoles().size() != 1)
        return emitOpError() << "the result has one dimension, not " << getResult().getType();
    return success();
}

LogicalResult RandomOp::verify() {
    if (getSamples() && getResult().getType().find(*getSamples()) < 0)
        return emitOpError() << getResult().getType() << " has no dimension '" << *getSamples() << "'";
    return success();
}

LogicalResult StepOp::verify() {
    return scalar(*this, getResult().getType());
}

LogicalResult AccumulateOp::verify() {
    return same_shape_as(*this, "the result", getResult().getType(), "the operand", getOperand().getType());
}

LogicalResult EinsumOp::verify() {
    const auto subscripts = parse_subscripts(getSubscripts());
    if (!subscripts)
        return emitOpError() << "subscripts '" << getSubscripts() << "' have no '->'";
    if (subscripts->operands.size() != getInputs().size() || getInputs().empty())
        return emitOpError() << "subscripts '" << getSubscripts() << "' are for " << subscripts->operands.size()
                             << " operands, got " << getInputs().size();
    std::map<std::string, int64_t> extents;
    const auto check = [&](const std::vector<std::string> &loops, TensorType type, bool is_result) -> LogicalResult {
        if (loops.size() != type.getExtents().size())
            return emitOpError() << "subscripts name " << loops.size() << " loops for " << type;
        std::map<std::string, int> seen;
        for (auto [loop, extent] : llvm::zip(loops, type.getExtents())) {
            if (++seen[loop] > 1)
                return emitOpError() << "loop '" << loop << "' appears twice for " << type;
            if (is_result && !extents.contains(loop))
                return emitOpError() << "loop '" << loop << "' of the result is in no operand";
            const auto [known, fresh] = extents.emplace(loop, extent);
            if (!fresh && known->second != extent)
                return emitOpError() << "loop '" << loop << "' runs over " << known->second << " and over " << extent;
        }
        return success();
    };
    for (auto [loops, input] : llvm::zip(subscripts->operands, getInputs()))
        if (failed(check(loops, tensor(input), false)))
            return failure();
    return check(subscripts->result, getResult().getType(), true);
}

LogicalResult PointwiseOp::verify() {
    const PointwiseFunction *function = find_pointwise(getFunction());
    if (function == nullptr)
        return emitOpError() << "there is no pointwise function '" << getFunction() << "'";
    if (static_cast<size_t>(function->operands) != getInputs().size())
        return emitOpError() << "'" << getFunction() << "' takes " << function->operands << " operands, got "
                             << getInputs().size();
    for (Value input : getInputs())
        if (failed(contained(*this, tensor(input), getResult().getType())))
            return failure();
    return success();
}

LogicalResult ReduceOp::verify() {
    if (getReduction() != "sum" && getReduction() != "max" && getReduction() != "min")
        return emitOpError() << "'" << getReduction() << "' is none of sum, max, min";
    return contained(*this, getResult().getType(), getOperand().getType());
}

LogicalResult MeanOp::verify() {
    return contained(*this, getResult().getType(), getOperand().getType());
}

LogicalResult SoftmaxOp::verify() {
    if (getOperand().getType().find(getDimension()) < 0)
        return emitOpError() << getOperand().getType() << " has no dimension '" << getDimension() << "'";
    return same_shape_as(*this, "the result", getResult().getType(), "the operand", getOperand().getType());
}

LogicalResult CrossEntropyOp::verify() {
    const TensorType logits = getLogits().getType();
    const TensorType labels = getLabels().getType();
    if (logits.find(getDimension()) < 0 || labels.find(getDimension()) >= 0)
        return emitOpError() << "'" << getDimension() << "' is a dimension of the logits only";
    if (!labels.getElementType().isSignlessInteger(32))
        return emitOpError() << "labels are i32, not " << labels.getElementType();
    if (labels.getRoles().size() + 1 != logits.getRoles().size())
        return emitOpError() << "labels " << labels << " do not fit logits " << logits;
    if (failed(contained(*this, labels, logits)))
        return failure();
    if (const Value weights = getWeights()) {
        const auto type = mlir::cast<TensorType>(weights.getType());
        const int64_t classes = logits.getExtents()[static_cast<size_t>(logits.find(getDimension()))];
        if (type.getRoles().size() != 1 || type.find(getDimension()) != 0 || type.getExtents()[0] != classes)
            return emitOpError() << "weights " << type << " do not have the dimension '" << getDimension() << "' alone";
    }
    return scalar(*this, getResult().getType());
}

LogicalResult MeanSquareErrorOp::verify() {
    if (failed(contained(*this, getTarget().getType(), getPrediction().getType())) ||
        failed(contained(*this, getPrediction().getType(), getTarget().getType())))
        return failure();
    return scalar(*this, getResult().getType());
}

LogicalResult DropoutOp::verify() {
    const double rate = getRate().convertToDouble();
    if (!(rate >= 0 && rate < 1))
        return emitOpError() << "the rate is in [0, 1), not " << rate;
    return same_shape_as(*this, "the result", getResult().getType(), "the operand", getOperand().getType());
}

LogicalResult BatchNormOp::verify() {
    const TensorType kept = getScale().getType();
    for (Value statistic : {getB(), getMean(), getVariance()})
        if (failed(same_shape_as(*this, "a statistic", tensor(statistic), "the scale", kept)))
            return failure();
    for (Value running : {getMean(), getVariance()})
        if (!running.getDefiningOp<ReadOp>())
            return emitOpError() << "running statistics are read from variables";
    if (failed(contained(*this, kept, getX().getType())))
        return failure();
    return same_shape_as(*this, "the result", getResult().getType(), "the operand", getX().getType());
}

LogicalResult CollectiveOp::verify() {
    if (!collective_kind(getKind()))
        return emitOpError() << "there is no collective '" << getKind() << "'";
    if (!getOperand().getType().getLayout() || !getResult().getType().getLayout())
        return emitOpError() << "operand and result have layouts";
    return same_shape_as(*this, "the result", getResult().getType(), "the operand", getOperand().getType());
}

} // namespace planc::ir

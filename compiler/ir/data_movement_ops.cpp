// Verifiers of the operations that look up, cut and join: embedding, slice, pad, concat, reshape.

#include "ir/layer_builder.h"
#include "ir/plan_dialect.h"

namespace planc::ir {

using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::StringAttr;
using mlir::StringRef;
using mlir::success;
using mlir::Value;

namespace {

int64_t extent(TensorType type, StringRef role) {
    return type.getExtents()[static_cast<size_t>(type.find(role))];
}

LogicalResult has_dimension(Operation *op, TensorType type, StringRef dimension) {
    if (type.find(dimension) >= 0)
        return success();
    return op->emitOpError() << type << " has no dimension '" << dimension << "'";
}

/// Checks that both have the same dimensions in the same order; `except` may have another extent.
LogicalResult same_but(Operation *op, TensorType a, TensorType b, StringRef except) {
    const bool same = a.getRoles() == b.getRoles() && llvm::all_of(a.getRoles(), [&](StringAttr role) {
                          return role == except || extent(a, role) == extent(b, role);
                      });
    if (same)
        return success();
    return op->emitOpError() << a << " and " << b << " differ not only in '" << except << "'";
}

/// Checks that `rows` has the dimensions of the indices, followed by those of the table except the one looked up.
LogicalResult check_rows(Operation *op, TensorType indices, TensorType table, TensorType rows, StringRef dimension) {
    if (!indices.getElementType().isSignlessInteger(32))
        return op->emitOpError() << "indices are i32, not " << indices.getElementType();
    if (failed(has_dimension(op, table, dimension)))
        return failure();
    mlir::SmallVector<StringAttr> roles(indices.getRoles());
    mlir::SmallVector<int64_t> extents(indices.getExtents());
    for (auto [role, size] : llvm::zip(table.getRoles(), table.getExtents())) {
        if (role == dimension)
            continue;
        roles.push_back(role);
        extents.push_back(size);
    }
    if (rows.getRoles() == mlir::ArrayRef(roles) && rows.getExtents() == mlir::ArrayRef(extents))
        return success();
    return op->emitOpError() << "rows of " << table << " at " << indices << " are not " << rows;
}

/// Checks that [begin, begin + part's extent) lies within `whole`.
LogicalResult check_part(Operation *op, TensorType part, TensorType whole, StringRef dimension, int64_t begin) {
    if (failed(has_dimension(op, whole, dimension)) || failed(same_but(op, part, whole, dimension)))
        return failure();
    const int64_t end = begin + extent(part, dimension);
    if (begin >= 0 && end <= extent(whole, dimension))
        return success();
    return op->emitOpError() << "[" << begin << ", " << end << ") is not a part of '" << dimension << "' of " << whole;
}

} // namespace

LogicalResult EmbeddingOp::verify() {
    return check_rows(*this, getIndices().getType(), getTable().getType(), getResult().getType(), getDimension());
}

LogicalResult EmbeddingGradientOp::verify() {
    return check_rows(*this, getIndices().getType(), getResult().getType(), getGradient().getType(), getDimension());
}

LogicalResult SliceOp::verify() {
    return check_part(*this, getResult().getType(), getOperand().getType(), getDimension(),
                      static_cast<int64_t>(getBegin()));
}

LogicalResult PadOp::verify() {
    return check_part(*this, getOperand().getType(), getResult().getType(), getDimension(),
                      static_cast<int64_t>(getBefore()));
}

LogicalResult ConcatOp::verify() {
    const TensorType whole = getResult().getType();
    if (failed(has_dimension(*this, whole, getDimension())))
        return failure();
    int64_t sum = 0;
    for (Value input : getInputs()) {
        if (failed(same_but(*this, type_of(input), whole, getDimension())))
            return failure();
        sum += extent(type_of(input), getDimension());
    }
    if (sum == extent(whole, getDimension()))
        return success();
    return emitOpError() << "operands have " << sum << " of '" << getDimension() << "' together, the result is "
                         << whole;
}

} // namespace planc::ir

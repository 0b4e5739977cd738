#include "ir/method.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace planc::ir {

planrt::Method method_of(mlir::Operation *op) {
    planrt::Method method;
    const auto word = op->getAttrOfType<mlir::StringAttr>("algorithm");
    const auto shape = op->getAttrOfType<mlir::DenseI64ArrayAttr>("shape");
    if (!word || !shape)
        return method;
    for (const planrt::Algorithm algorithm : planrt::algorithms)
        if (word == planrt::name_of(algorithm))
            method.algorithm = algorithm;
    for (const int64_t size : shape.asArrayRef())
        method.shape.push_back(static_cast<int>(size));
    return method;
}

void set_method(mlir::Operation *op, const planrt::Method &method) {
    if (method.algorithm == planrt::Algorithm::mpi)
        return;
    mlir::Builder builder(op->getContext());
    op->setAttr("algorithm", builder.getStringAttr(planrt::name_of(method.algorithm)));
    const llvm::SmallVector<int64_t> shape(method.shape.begin(), method.shape.end());
    op->setAttr("shape", builder.getDenseI64ArrayAttr(shape));
}

} // namespace planc::ir

#include "spmd/originals.h"

namespace planc::spmd {

using mlir::Operation;
using mlir::Value;

static bool has_phase(Operation &op, llvm::StringRef phase) {
    const auto own = op.getAttrOfType<mlir::StringAttr>("phase");
    return own && own.getValue() == phase;
}

Originals::Originals(mlir::func::FuncOp function) {
    mlir::Block &body = function.getBody().front();
    if (llvm::none_of(body, [](Operation &op) { return has_phase(op, "recompute"); }))
        return;
    for (Operation &op : body)
        if (has_phase(op, "forward")) {
            known_.try_emplace(key(op), &op);
        } else if (has_phase(op, "recompute")) {
            const auto original = known_.find(key(op));
            if (original != known_.end())
                of_[&op] = original->second;
        }
}

Operation *Originals::of(Operation *op) const {
    const auto original = of_.find(op);
    return original == of_.end() ? nullptr : original->second;
}

Value Originals::of(Value value) const {
    Operation *original = of(value.getDefiningOp());
    return original == nullptr ? Value() : original->getResult(mlir::cast<mlir::OpResult>(value).getResultNumber());
}

Originals::Key Originals::key(Operation &op) const {
    mlir::NamedAttrList attributes(op.getAttrDictionary());
    attributes.erase("phase");
    std::vector<void *> operands;
    for (Value operand : op.getOperands()) {
        const Value original = of(operand);
        operands.push_back((original ? original : operand).getAsOpaquePointer());
    }
    return {op.getName().getAsOpaquePointer(), attributes.getDictionary(op.getContext()).getAsOpaquePointer(),
            std::move(operands)};
}

} // namespace planc::spmd

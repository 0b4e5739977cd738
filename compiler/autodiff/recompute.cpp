// Activations inside a group of layers are not kept for the backward pass. What the backward pass needs of them is
// computed again just before its first use, from the group's inputs and outputs (Chen et al. 2016, "Training deep nets
// with sublinear memory cost").

#include "autodiff/passes.h"
#include "ir/entry_functions.h"

#include "llvm/ADT/MapVector.h"

namespace planc::autodiff {

#define GEN_PASS_DEF_RECOMPUTEACTIVATIONS
#include "autodiff/passes.h.inc"

using mlir::Operation;
using mlir::StringRef;
using mlir::Value;

namespace {

StringRef phase_of(Operation *op) {
    const auto phase = op->getAttrOfType<mlir::StringAttr>("phase");
    return phase ? phase.getValue() : StringRef();
}

bool is_source(Operation *op) {
    return mlir::isa<ir::ReadOp, ir::ConstantOp, ir::IotaOp, ir::RandomOp, ir::StepOp>(op);
}

class Recomputation {
  public:
    Recomputation(mlir::func::FuncOp function, mlir::DictionaryAttr groups)
        : block_(function.getBody().front()), groups_(groups) {}

    void run() {
        std::vector<Operation *> backward;
        for (Operation &op : block_)
            if (const StringRef phase = phase_of(&op); phase == "input gradient" || phase == "weight gradient")
                backward.push_back(&op);
        for (Operation *op : backward)
            for (mlir::OpOperand &operand : op->getOpOperands())
                if (Operation *producer = operand.get().getDefiningOp(); producer && is_inner(producer))
                    operand.set(recomputed(producer, op)
                                    ->getResult(mlir::cast<mlir::OpResult>(operand.get()).getResultNumber()));
    }

  private:
    StringRef group_of(Operation *op) {
        const auto layer = op->getAttrOfType<mlir::StringAttr>("layer");
        const auto group = layer ? groups_.getAs<mlir::StringAttr>(layer) : mlir::StringAttr();
        return group && phase_of(op) == "forward" ? group.getValue() : StringRef();
    }

    /// Whether it belongs to a group and no forward operation outside the group uses the result.
    bool is_inner(Operation *op) {
        const StringRef group = group_of(op);
        if (group.empty() || is_source(op))
            return false;
        return llvm::none_of(op->getUsers(), [&](Operation *user) {
            const StringRef phase = phase_of(user);
            return phase == "loss" || user->hasTrait<mlir::OpTrait::IsTerminator>() ||
                   (phase == "forward" && group_of(user) != group);
        });
    }

    /// A copy of the operation after everything else that its group has recomputed; the first one comes before `use`.
    Operation *recomputed(Operation *op, Operation *use) {
        const auto known = copies_.find(op);
        if (known != copies_.end())
            return known->second;
        llvm::SmallVector<Value> operands;
        for (Value operand : op->getOperands()) {
            Operation *producer = operand.getDefiningOp();
            if (producer && is_inner(producer))
                operand = recomputed(producer, use)->getResult(mlir::cast<mlir::OpResult>(operand).getResultNumber());
            operands.push_back(operand);
        }
        const auto place = places_.try_emplace(group_of(op), use).first->second;
        mlir::OpBuilder builder(place);
        Operation *copy = builder.clone(*op);
        copy->setOperands(operands);
        copy->setAttr("phase", builder.getStringAttr("recompute"));
        return copies_[op] = copy;
    }

    mlir::Block &block_;
    mlir::DictionaryAttr groups_;
    llvm::DenseMap<Operation *, Operation *> copies_;
    llvm::StringMap<Operation *> places_; ///< per group, the first operation that needs something recomputed
};

struct RecomputeActivations : impl::RecomputeActivationsBase<RecomputeActivations> {
    void runOnOperation() override {
        const auto groups = getOperation()->getAttrOfType<mlir::DictionaryAttr>("plan.recompute");
        if (!groups)
            return;
        for (mlir::func::FuncOp function : ir::entry_functions(getOperation()))
            if (ir::is_training(function))
                Recomputation(function, groups).run();
    }
};

} // namespace

} // namespace planc::autodiff

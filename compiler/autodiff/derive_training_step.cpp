#include "autodiff/evaluation.h"
#include "autodiff/gradients.h"
#include "autodiff/passes.h"
#include "autodiff/update.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace planc::autodiff {

#define GEN_PASS_DEF_DERIVETRAININGSTEP
#include "autodiff/passes.h.inc"

using mlir::func::FuncOp;
using mlir::func::ReturnOp;

namespace {

ReturnOp return_of(FuncOp function) {
    return mlir::cast<ReturnOp>(function.getBody().front().getTerminator());
}

/// Erases what no result needs and marks that have served, and makes the function's type that of its arguments and of
/// what it returns.
void settle(FuncOp function, bool keep_arguments) {
    mlir::Block &block = function.getBody().front();
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (mlir::isOpTriviallyDead(&op))
            op.erase();
        else
            op.removeAttr("plan.sample_loss");
    function.setFunctionType(mlir::FunctionType::get(function.getContext(), block.getArgumentTypes(),
                                                     return_of(function).getOperandTypes()));
    if (keep_arguments)
        return;
    llvm::BitVector unused(function.getNumArguments());
    for (mlir::BlockArgument argument : block.getArguments())
        unused[argument.getArgNumber()] = argument.use_empty();
    function.eraseArguments(unused);
}

class Derivation {
  public:
    Derivation(mlir::ModuleOp module, FuncOp loss) : module_(module), loss_(loss), builder_(module.getContext()) {}

    mlir::LogicalResult run() {
        if (failed(train()))
            return mlir::failure();
        evaluate();
        predict();
        loss_.erase();
        return mlir::success();
    }

  private:
    FuncOp copy(mlir::StringRef name) {
        builder_.setInsertionPointToEnd(module_.getBody());
        auto function = mlir::cast<FuncOp>(builder_.clone(*loss_));
        function.setName(name);
        for (mlir::StringRef attribute : {"plan.label", "plan.class", "plan.optimizer"})
            function->removeAttr(attribute);
        function->setAttr("plan.role", builder_.getStringAttr(name));
        return function;
    }

    mlir::LogicalResult train() {
        FuncOp function = copy("train");
        ReturnOp end = return_of(function);
        end->eraseOperand(1);
        // Before gradients: what only the prediction needs is no part of the step.
        settle(function, true);
        builder_.setInsertionPoint(end);
        const auto gradients = add_gradients(end.getOperand(0), builder_);
        if (failed(gradients))
            return mlir::failure();
        add_updates(module_, *gradients, loss_->getAttrOfType<mlir::DictionaryAttr>("plan.optimizer"), builder_);
        settle(function, true);
        return mlir::success();
    }

    void evaluate() {
        FuncOp function = copy("evaluate");
        const auto label = loss_->getAttrOfType<mlir::IntegerAttr>("plan.label");
        const auto class_role = loss_->getAttrOfType<mlir::StringAttr>("plan.class");
        std::optional<unsigned> argument;
        if (label && class_role)
            argument = static_cast<unsigned>(label.getInt());
        if (make_evaluation(function, argument, class_role ? class_role.getValue() : mlir::StringRef()))
            settle(function, false);
        else
            function.erase();
    }

    void predict() {
        FuncOp function = copy("predict");
        return_of(function)->eraseOperand(0);
        settle(function, false);
    }

    mlir::ModuleOp module_;
    FuncOp loss_;
    mlir::OpBuilder builder_;
};

/// @loss(…) -> (loss, prediction) with its optimizer, as import_program() makes it.
mlir::LogicalResult check(mlir::ModuleOp module, FuncOp loss) {
    if (!loss)
        return module.emitError("there is no function @loss to derive a training step from");
    if (loss.getNumResults() != 2)
        return loss.emitError("@loss returns the loss and the prediction, not ") << loss.getNumResults() << " values";
    if (!loss->hasAttrOfType<mlir::DictionaryAttr>("plan.optimizer"))
        return loss.emitError("@loss has no plan.optimizer");
    return mlir::success();
}

struct DeriveTrainingStep : impl::DeriveTrainingStepBase<DeriveTrainingStep> {
    void runOnOperation() override {
        auto loss = getOperation().lookupSymbol<FuncOp>("loss");
        if (failed(check(getOperation(), loss)) || failed(Derivation(getOperation(), loss).run()))
            signalPassFailure();
    }
};

} // namespace

} // namespace planc::autodiff

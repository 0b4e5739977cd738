#include "autodiff/batch_norm.h"
#include "autodiff/dropout.h"
#include "autodiff/evaluation.h"
#include "autodiff/gradients.h"
#include "autodiff/micro_batch.h"
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
    Derivation(mlir::ModuleOp module, FuncOp loss)
        : module_(module), loss_(loss), builder_(module.getContext()), parts_(batch(), count()) {}

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
        if (parts_.count == 1)
            return step("train", parts_.samples, std::int64_t{0});
        const auto larger = parts_.firsts_of_larger();
        const auto others = parts_.firsts_of_others();
        if (!larger.empty() && failed(step("accumulate_rest", parts_.samples + 1, larger)))
            return mlir::failure();
        if (!others.empty() && failed(step("accumulate", parts_.samples, others)))
            return mlir::failure();
        return step("train", parts_.samples, parts_.first_of_last());
    }

    std::int64_t count() {
        const auto count = module_->getAttrOfType<mlir::IntegerAttr>("plan.microbatches");
        return count ? count.getInt() : 1;
    }

    std::int64_t batch() {
        if (loss_.getNumArguments() == 0 || ir::type_of(loss_.getArgument(0)).getExtents().empty())
            return 1;
        return ir::type_of(loss_.getArgument(0)).getExtents().front();
    }

    /// The step on the parts of the batch that begin at `firsts`; @train updates, the others only accumulate.
    mlir::LogicalResult step(mlir::StringRef name, std::int64_t samples, mlir::ArrayRef<std::int64_t> firsts) {
        FuncOp function = copy(name);
        ReturnOp end = return_of(function);
        end->eraseOperand(1);
        // Before gradients: what only the prediction needs is no part of the step.
        settle(function, true);
        apply_dropout(function);
        if (parts_.count > 1 && failed(restrict_to_micro_batch(function, samples, parts_.count)))
            return mlir::failure();
        if (failed(apply_batch_norm(function)))
            return mlir::failure();
        builder_.setInsertionPoint(end);
        auto gradients = add_gradients(end.getOperand(0), builder_);
        if (failed(gradients))
            return mlir::failure();
        if (parts_.count > 1) {
            function->setAttr("plan.firsts", builder_.getDenseI64ArrayAttr(firsts));
            accumulate(*gradients, end);
        }
        if (name == "train")
            add_updates(module_, *gradients, loss_->getAttrOfType<mlir::DictionaryAttr>("plan.optimizer"), builder_);
        else
            end->eraseOperand(0);
        settle(function, true);
        return mlir::success();
    }

    /// The loss and every gradient become sums over the micro-batches.
    void accumulate(std::vector<ParameterGradient> &gradients, ReturnOp end) {
        const auto sum = [&](mlir::Value value, const std::string &name, mlir::StringAttr layer,
                             mlir::StringRef phase) {
            return builder_
                .create<ir::AccumulateOp>(value.getLoc(), value.getType(), value, builder_.getStringAttr(name), layer,
                                          builder_.getStringAttr(phase), ir::StrategyAttr())
                .getResult();
        };
        end->setOperand(0, sum(end.getOperand(0), "loss", builder_.getStringAttr("loss"), "loss"));
        for (ParameterGradient &entry : gradients) {
            ir::ReadOp read = entry.parameter;
            entry.gradient =
                sum(entry.gradient, "gradient of " + read.getVariable().str(), read.getLayerAttr(), "weight gradient");
        }
    }

    void evaluate() {
        FuncOp function = copy("evaluate");
        remove_dropout(function);
        fix_batch_norm(function);
        const auto label = loss_->getAttrOfType<mlir::IntegerAttr>("plan.label");
        const auto class_role = loss_->getAttrOfType<mlir::StringAttr>("plan.class");
        std::optional<unsigned> argument;
        if (label && class_role)
            argument = static_cast<unsigned>(label.getInt());
        if (make_evaluation(function, argument, class_role ? class_role.getValue() : mlir::StringRef()))
            finish(function);
        else
            function.erase();
    }

    void predict() {
        FuncOp function = copy("predict");
        remove_dropout(function);
        fix_batch_norm(function);
        return_of(function)->eraseOperand(0);
        finish(function);
    }

    /// What does not train takes no more samples at once than the step does: else it would decide the memory.
    void finish(FuncOp function) {
        settle(function, false);
        if (parts_.count > 1)
            shorten_batch(function, parts_.largest());
    }

    mlir::ModuleOp module_;
    FuncOp loss_;
    mlir::OpBuilder builder_;
    MicroBatches parts_;
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

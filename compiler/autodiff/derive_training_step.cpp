#include "autodiff/arithmetic.h"
#include "autodiff/batch_norm.h"
#include "autodiff/dropout.h"
#include "autodiff/evaluation.h"
#include "autodiff/gradients.h"
#include "autodiff/micro_batch.h"
#include "autodiff/passes.h"
#include "autodiff/ratio.h"
#include "autodiff/update.h"
#include "autodiff/valid_samples.h"
#include "ir/entry_functions.h"
#include "ir/layer_builder.h"
#include "ir/pipeline_attribute.h"
#include "program/micro_batches.h"

#include <algorithm>
#include <numeric>

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

/// Erases operations that no result needs and marks that are no longer used, and sets the function's type from its
/// arguments and results.
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

constexpr std::int64_t most_gathered = std::int64_t{1} << 28; ///< bytes of a prediction, which rank 0 gets whole

class Derivation {
  public:
    /// `sampled`: what the step minimises instead of the loss of all vertices, or none.
    Derivation(mlir::ModuleOp module, FuncOp loss, FuncOp sampled)
        : module_(module), loss_(loss), minimised_(sampled ? sampled : loss), builder_(module.getContext()),
          micro_batches_(program::micro_batches(ir::samples_of(minimised_), ir::micro_batch_count(module),
                                                ir::updates_of(module))),
          kinds_(program::kinds(micro_batches_, ir::updates_of(module).weights)) {}

    mlir::LogicalResult run() {
        if (failed(train()))
            return mlir::failure();
        if (failed(evaluate()))
            return mlir::failure();
        predict();
        if (minimised_ != loss_)
            minimised_.erase();
        loss_.erase();
        return mlir::success();
    }

  private:
    FuncOp copy(FuncOp of, mlir::StringRef name, mlir::StringRef purpose) {
        builder_.setInsertionPointToEnd(module_.getBody());
        auto function = mlir::cast<FuncOp>(builder_.clone(*of));
        function.setName(name);
        mlir::SymbolTable(module_).insert(function); // another name where a variable has this one
        for (mlir::StringRef attribute : {"plan.label", "plan.class", "plan.ignored", "plan.keeps_least_loss",
                                          "plan.optimizer", "plan.all_samples", "plan.fanout", "plan.batch_vertices"})
            function->removeAttr(attribute);
        function->setAttr("plan.purpose", builder_.getStringAttr(purpose));
        return function;
    }

    mlir::LogicalResult train() {
        if (has_parts())
            module_->setAttr("plan.batch", builder_.getI64IntegerAttr(ir::samples_of(minimised_)));
        if (!has_updates()) {
            for (const program::MicroBatchKind &kind : kinds_)
                if (failed(step(kind)))
                    return mlir::failure();
            return mlir::success();
        }
        for (size_t kind = kinds_.size(); kind-- > 0;) // that of the last micro-batch first: plans are priced by it
            if (failed(step(kinds_[kind], static_cast<int>(kind))))
                return mlir::failure();
        return mlir::success();
    }

    [[nodiscard]] bool has_parts() const { return micro_batches_.size() > 1; }
    /// Whether some update takes sums over micro-batches. One that is alone in its update, where others are not, lays
    /// its gradients out as a sum all the same: plans are priced by it.
    [[nodiscard]] bool has_sums() const {
        return has_parts() && !std::ranges::all_of(kinds_, &program::MicroBatchKind::updates);
    }
    /// Whether the step has several updates.
    [[nodiscard]] bool has_updates() const { return micro_batches_.back().update > 0; }

    /// "accumulate" for micro-batches as large as the last one, "accumulate_rest" for larger ones. With several updates
    /// the kinds are numbered.
    [[nodiscard]] std::string name_of(const program::MicroBatchKind &kind, int number) const {
        if (number >= 0 && number + 1 < static_cast<int>(kinds_.size()))
            return (kind.updates ? "train_" : "accumulate_") + std::to_string(number);
        if (kind.updates)
            return "train";
        return kind.samples == micro_batches_.back().samples ? "accumulate" : "accumulate_rest";
    }

    /// The code of one kind of micro-batch; `number` as in ir::kind_number().
    mlir::LogicalResult step(const program::MicroBatchKind &kind, int number = -1) {
        FuncOp function = copy(minimised_, name_of(kind, number), "training");
        if (number >= 0)
            function->setAttr("plan.kind", builder_.getI64IntegerAttr(number));
        if (kind.begins)
            function->setAttr("plan.begins", builder_.getUnitAttr());
        ReturnOp end = return_of(function);
        end->eraseOperand(1);
        if (minimised_->hasAttr("plan.all_samples") && failed(weigh_samples(function)))
            return mlir::failure();
        // Done before gradients are added: computations that only the prediction needs are not part of the step.
        settle(function, true);
        apply_dropout(function);
        const bool is_ratio = has_parts() && returns_ratio(function);
        if (has_parts() && failed(restrict_to_micro_batch(function, kind.samples, share_of_terms(kind))))
            return mlir::failure();
        std::vector<StatisticChange> statistics;
        if (failed(apply_batch_norm(function, has_sums() ? &statistics : nullptr)))
            return mlir::failure();
        builder_.setInsertionPoint(end);
        const mlir::Value loss = end.getOperand(0);
        auto gradients = add_gradients(is_ratio ? loss : derived_loss(loss, kind), builder_);
        if (failed(gradients))
            return mlir::failure();
        if (has_parts())
            accumulate(*gradients, end);
        if (is_ratio)
            divide(*gradients, end, kind.updates);
        accumulate_statistics(statistics, builder_);
        if (kind.updates) {
            add_updates(module_, *gradients, loss_->getAttrOfType<mlir::DictionaryAttr>("plan.optimizer"), state_,
                        builder_);
            const std::int64_t parts = has_updates() ? kind.update_parts : std::ssize(micro_batches_);
            advance_statistics(statistics, static_cast<int>(parts), builder_);
        } else {
            function->setAttr("plan.accumulates", builder_.getUnitAttr());
            end->eraseOperand(0);
        }
        settle(function, true);
        return mlir::success();
    }

    /// The share that a micro-batch has of terms of parameters alone, such that the losses of all add up to that of the
    /// batch.
    [[nodiscard]] double share_of_terms(const program::MicroBatchKind &kind) const {
        return has_updates() ? share_of_update(kind) / static_cast<double>(kind.update_parts)
                             : 1 / static_cast<double>(micro_batches_.size());
    }
    /// The share of the batch's samples whose gradients one update takes.
    [[nodiscard]] double share_of_update(const program::MicroBatchKind &kind) const {
        return static_cast<double>(kind.update_samples) / static_cast<double>(ir::samples_of(minimised_));
    }

    /// What is derived: an update takes the gradients of the mean loss of its own samples.
    mlir::Value derived_loss(mlir::Value loss, const program::MicroBatchKind &kind) {
        if (!has_updates())
            return loss;
        const ir::TensorType type = ir::type_of(loss);
        ir::LayerBuilder build(builder_, loss.getLoc(), "loss", "loss");
        const mlir::Value factor = build.constant(1 / share_of_update(kind), type.getElementType());
        return build.pointwise("mul", {loss, factor}, type);
    }

    mlir::Value sum_of(mlir::Value value, const std::string &name, mlir::StringAttr layer, mlir::StringRef phase) {
        return builder_
            .create<ir::AccumulateOp>(value.getLoc(), value.getType(), value, builder_.getStringAttr(name), layer,
                                      builder_.getStringAttr(phase), ir::StrategyAttr(), mlir::FloatAttr(),
                                      mlir::FloatAttr())
            .getResult();
    }

    /// The loss becomes a sum over the micro-batches, and every gradient a sum over those of its update.
    void accumulate(std::vector<ParameterGradient> &gradients, ReturnOp end) {
        end->setOperand(0, sum_of(end.getOperand(0), ir::sum_of_loss, builder_.getStringAttr("loss"), "loss"));
        if (!has_sums())
            return;
        for (ParameterGradient &entry : gradients) {
            ir::ReadOp read = entry.parameter;
            entry.gradient = sum_of(entry.gradient, "gradient of " + read.getVariable().str(), read.getLayerAttr(),
                                    "weight gradient");
        }
    }

    /// If the loss is a ratio, whose parts do not add up to the whole: returns its numerator, which is derived, and its
    /// denominator.
    bool returns_ratio(FuncOp function) {
        ReturnOp end = return_of(function);
        builder_.setInsertionPoint(end);
        ir::LayerBuilder build(builder_, end.getLoc(), "loss", "loss");
        const std::optional<Ratio> ratio = as_ratio(build, end.getOperand(0));
        if (!ratio)
            return false;
        end->setOperands({ratio->numerator, ratio->denominator});
        settle(function, true); // the quotient is no part of the step
        return true;
    }

    /// Divides the sums of both: the loss by the denominator of the step, gradients by that of their update.
    void divide(std::vector<ParameterGradient> &gradients, ReturnOp end, bool updates) {
        const mlir::Value divisor = end.getOperand(1);
        const mlir::StringAttr layer = builder_.getStringAttr("loss");
        const mlir::Value of_step = sum_of(divisor, ir::divisor_of_loss, layer, "loss");
        const mlir::Value of_update = !has_updates() ? of_step
                                      : has_sums()   ? sum_of(divisor, "divisor of the gradients", layer, "loss")
                                                     : divisor;
        ir::LayerBuilder build(builder_, end.getLoc(), "loss", "loss");
        end->setOperands(build.pointwise("div", {end.getOperand(0), of_step}, ir::type_of(of_step)));
        if (!updates)
            return;
        Arithmetic of_loss(builder_, end.getLoc(), "loss", "");
        // Where each stage updates its weights on its own, the divisor passes through the stages as gradients do.
        const mlir::Value factor = has_updates() ? build.pointwise("reciprocal", of_update, ir::type_of(of_update))
                                                 : of_loss.call("reciprocal", {of_update});
        for (ParameterGradient &entry : gradients) {
            ir::ReadOp read = entry.parameter;
            const mlir::StringRef layer_of_parameter = read.getLayer().value_or("");
            if (has_updates()) {
                ir::LayerBuilder of(builder_, read.getLoc(), layer_of_parameter, "weight gradient");
                entry.gradient = of.pointwise("mul", {entry.gradient, factor}, ir::type_of(entry.gradient));
            } else {
                Arithmetic of(builder_, read.getLoc(), layer_of_parameter, read.getVariable());
                entry.gradient = of.mul(entry.gradient, factor);
            }
        }
    }

    mlir::LogicalResult evaluate() {
        FuncOp function = copy(loss_, "evaluate", "evaluation");
        remove_dropout(function);
        fix_batch_norm(function);
        const auto label = loss_->getAttrOfType<mlir::IntegerAttr>("plan.label");
        const auto class_role = loss_->getAttrOfType<mlir::StringAttr>("plan.class");
        std::optional<unsigned> argument;
        if (label && class_role)
            argument = static_cast<unsigned>(label.getInt());
        std::optional<std::int64_t> ignored;
        if (const auto number = loss_->getAttrOfType<mlir::IntegerAttr>("plan.ignored"))
            ignored = number.getInt();
        const bool evaluated =
            make_evaluation(function, argument, class_role ? class_role.getValue() : mlir::StringRef(), ignored);
        const bool has_loss = evaluated && llvm::is_contained(function->getAttrOfType<mlir::ArrayAttr>("plan.results"),
                                                              mlir::Attribute(builder_.getStringAttr("loss")));
        if (evaluated)
            finish(function);
        else
            function.erase();
        if (loss_->hasAttr("plan.keeps_least_loss") && !has_loss)
            return mlir::emitError(return_of(loss_).getOperand(0).getLoc())
                   << "'keep = best(loss)' needs the loss of the validation part, but this loss is neither a sum over "
                      "samples nor a ratio of two";
        return mlir::success();
    }

    void predict() {
        FuncOp function = copy(loss_, "predict", "prediction");
        remove_dropout(function);
        fix_batch_norm(function);
        return_of(function)->eraseOperand(0);
        finish(function, bytes_of_sample(return_of(function).getOperand(0)));
    }

    /// What a prediction has of one sample; 0 if it is not by sample.
    [[nodiscard]] std::int64_t bytes_of_sample(mlir::Value prediction) {
        if (loss_.getNumArguments() == 0)
            return 0;
        const auto type = mlir::cast<ir::TensorType>(prediction.getType());
        const auto input = mlir::cast<ir::TensorType>(loss_.getArgument(0).getType());
        if (input.getRoles().empty() || type.find(input.getRoles().front().getValue()) < 0)
            return 0;
        const auto extents = type.getExtents();
        return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>()) /
               ir::samples_of(loss_) * (type.getElementType().getIntOrFloatBitWidth() / 8);
    }

    /// Evaluation and prediction process no more samples at once than the step does, and no more than are gathered
    /// easily; otherwise they would determine the memory. `gathered`: bytes of each sample.
    void finish(FuncOp function, std::int64_t gathered = 0) {
        settle(function, false);
        if (loss_->hasAttr("plan.all_samples"))
            return;
        const std::int64_t samples =
            std::min(micro_batches_.front().samples, gathered == 0 ? INT64_MAX : most_gathered / gathered);
        if (samples < ir::samples_of(function))
            shorten_batch(function, std::max<std::int64_t>(samples, 1));
    }

    mlir::ModuleOp module_;
    FuncOp loss_;
    FuncOp minimised_;
    mlir::OpBuilder builder_;
    std::vector<program::MicroBatch> micro_batches_;
    std::vector<program::MicroBatchKind> kinds_;
    OptimizerState state_;
};

/// Checks @loss(…) -> (loss, prediction) with its optimizer, as import_program() makes it.
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
        if (failed(check(getOperation(), loss)) ||
            failed(Derivation(getOperation(), loss, getOperation().lookupSymbol<FuncOp>("sampled_loss")).run()))
            signalPassFailure();
    }
};

} // namespace

} // namespace planc::autodiff

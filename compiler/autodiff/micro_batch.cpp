#include "autodiff/micro_batch.h"

#include "ir/layer_builder.h"
#include "ir/nest.h"

#include "llvm/ADT/DenseMap.h"

namespace planc::autodiff {

using ir::TensorType;
using ir::type_of;
using mlir::LogicalResult;
using mlir::StringRef;
using mlir::Value;

namespace {

/// How a value depends on the samples of a batch.
enum class Form : std::uint8_t {
    shared,  ///< depends only on parameters and numbers
    samples, ///< one part for each sample
    sum      ///< a sum over samples
};

class Restriction {
  public:
    Restriction(mlir::func::FuncOp loss, std::int64_t samples, double share)
        : loss_(loss), samples_(samples), share_(share) {}

    /// For a function whose results are not parts of a loss: nothing is divided.
    Restriction(mlir::func::FuncOp function, std::int64_t samples) : Restriction(function, samples, 1) {}

    LogicalResult run() {
        if (loss_.getNumArguments() == 0 || type_of(loss_.getArgument(0)).getRoles().empty())
            return loss_.emitError("micro-batches need an input with a batch");
        batch_ = type_of(loss_.getArgument(0)).getRoles().front();
        for (mlir::BlockArgument argument : loss_.getArguments())
            forms_[argument] = has_batch(argument) ? Form::samples : Form::shared;
        mlir::Block &block = loss_.getBody().front();
        for (mlir::Operation &op : llvm::make_early_inc_range(block.without_terminator()))
            if (failed(classify(op)))
                return mlir::failure();
        for (mlir::OpOperand &result : block.getTerminator()->getOpOperands())
            divide_shared(result);
        change_extents(block);
        return mlir::success();
    }

  private:
    bool has_batch(Value value) const { return type_of(value).find(batch_.getValue()) >= 0; }

    bool any_operand(mlir::Operation &op, Form form) {
        return llvm::any_of(op.getOperands(), [&](Value operand) { return forms_.lookup(operand) == form; });
    }

    LogicalResult refuse(mlir::Operation &op, const llvm::Twine &reason) {
        const auto layer = op.getAttrOfType<mlir::StringAttr>("layer");
        return op.emitError("micro-batches need a loss that is a sum over samples, or one ratio of two; ")
               << (layer ? "layer '" + layer.str() + "' " : "this ") << reason;
    }

    LogicalResult classify(mlir::Operation &op) {
        for (mlir::Value result : op.getResults())
            forms_[result] = Form::shared;
        if (op.getNumResults() != 1)
            return mlir::success();
        const Value result = op.getResult(0);
        if (mlir::isa<ir::SpmmOp, ir::EdgesOp>(op) && of_whole_batch(op)) // its matrix has all rows and columns
            return refuse(op, "combines the samples of a batch with each other");
        if (auto norm = mlir::dyn_cast<ir::BatchNormOp>(op)) // by the statistics of the part
            return of_batch_norm(norm);
        if (any_operand(op, Form::sum))
            return of_sums(op, result);
        if (any_operand(op, Form::samples))
            return of_samples(op, result);
        if (!has_batch(result))
            return mlir::success();
        forms_[result] = Form::samples;
        return mlir::isa<ir::IotaOp>(op) ? refuse(op, "counts the samples of the batch") : mlir::success();
    }

    bool of_whole_batch(mlir::Operation &op) const {
        return has_batch(op.getResult(0)) ||
               llvm::any_of(op.getOperands(), [&](Value operand) { return has_batch(operand); });
    }

    LogicalResult of_batch_norm(ir::BatchNormOp op) {
        for (mlir::OpOperand &operand : op->getOpOperands())
            if (forms_.lookup(operand.get()) == Form::sum ||
                (operand.getOperandNumber() > 0 && forms_.lookup(operand.get()) == Form::samples))
                return refuse(*op, "uses a value of the whole batch");
        forms_[op.getResult()] = forms_.lookup(op.getX());
        return mlir::success();
    }

    /// Sums may only be scaled, added, and summed further.
    LogicalResult of_sums(mlir::Operation &op, Value result) {
        const auto sums = llvm::count_if(op.getOperands(), [&](Value v) { return forms_.lookup(v) == Form::sum; });
        bool linear = mlir::isa<ir::SliceOp, ir::PadOp, ir::ConcatOp, ir::ReshapeOp>(op);
        if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
            linear = reduce.getReduction() == "sum";
        if (auto pool = mlir::dyn_cast<ir::PoolOp>(op))
            linear = pool.getKind() == "sum";
        if (mlir::isa<ir::EinsumOp, ir::ConvOp>(op))
            linear = sums == 1;
        if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op))
            linear = is_linear(pointwise.getFunction(), sums, forms_.lookup(op.getOperand(0)) == Form::sum);
        auto quotient = mlir::dyn_cast<ir::PointwiseOp>(op);
        if (sums == 2 && quotient && quotient.getFunction() == "div")
            return refuse(op, "divides by a sum over the batch, by which not all other terms are divided");
        if (!linear || any_operand(op, Form::samples) || has_batch(result))
            return refuse(op, "uses a value of the whole batch");
        if (mlir::isa<ir::PointwiseOp>(op) && op.getNumOperands() == 2 && is_sum_of_terms(op))
            for (mlir::OpOperand &operand : op.getOpOperands())
                divide_shared(operand);
        forms_[result] = Form::sum;
        return mlir::success();
    }

    static bool is_linear(StringRef function, std::ptrdiff_t sums, bool first_is_sum) {
        if (function == "mul")
            return sums == 1;
        if (function == "div")
            return sums == 1 && first_is_sum;
        return llvm::is_contained({"add", "sub", "neg", "identity", "stop_gradient"}, function);
    }

    static bool is_sum_of_terms(mlir::Operation &op) {
        const StringRef function = mlir::cast<ir::PointwiseOp>(op).getFunction();
        return function == "add" || function == "sub";
    }

    LogicalResult of_samples(mlir::Operation &op, Value result) {
        const sharding::Nest nest = ir::nest_of(&op);
        int loop = -1;
        for (auto [operand, loops] : llvm::zip(op.getOperands(), nest.operands)) {
            const int64_t at = type_of(operand).find(batch_.getValue());
            if (at < 0)
                continue;
            const int of_operand = loops[static_cast<size_t>(at)];
            if (loop >= 0 && of_operand != loop)
                return refuse(op, "combines the samples of a batch with each other");
            loop = of_operand;
        }
        for (const sharding::NestWindow &window : nest.windows)
            if (nest.operands[static_cast<size_t>(window.operand)][static_cast<size_t>(window.dimension)] == loop)
                return refuse(op, window.blocks_only ? "reshapes, cuts or joins the batch"
                                                     : "combines the samples of a batch with each other");
        const int64_t at = type_of(result).find(batch_.getValue());
        const int result_loop = at < 0 ? -1 : nest.results[0][static_cast<size_t>(at)];
        if (nest.loops[static_cast<size_t>(loop)].kind == sharding::LoopKind::whole)
            return refuse(op, "reshapes, cuts or joins the batch");
        if (llvm::is_contained(nest.results[0], loop) ? result_loop != loop : result_loop >= 0)
            return refuse(op, "renames the batch");
        if (result_loop < 0 && nest.reduction != sharding::Reduction::sum)
            return refuse(op, "takes an extremum over the batch");
        forms_[result] = result_loop < 0 ? Form::sum : Form::samples;
        return mlir::success();
    }

    /// A term of parameters alone would be counted once in each part.
    void divide_shared(mlir::OpOperand &operand) {
        const Value value = operand.get();
        if (share_ == 1 || forms_.lookup(value) != Form::shared)
            return;
        mlir::OpBuilder builder(operand.getOwner());
        mlir::Operation *producer = value.getDefiningOp();
        const auto text = [&](StringRef name) {
            const auto attribute = producer ? producer->getAttrOfType<mlir::StringAttr>(name) : mlir::StringAttr();
            return attribute ? attribute.getValue() : StringRef("loss");
        };
        ir::LayerBuilder build(builder, value.getLoc(), text("layer"), text("phase"));
        const Value share = build.constant(share_, type_of(value).getElementType());
        operand.set(build.pointwise("mul", {value, share}, type_of(value)));
    }

    void change_extents(mlir::Block &block) {
        const auto change = [&](Value value) {
            const TensorType type = type_of(value);
            const int64_t at = type.find(batch_.getValue());
            if (at < 0)
                return;
            llvm::SmallVector<int64_t> extents(type.getExtents());
            extents[static_cast<size_t>(at)] = samples_;
            value.setType(
                TensorType::get(type.getContext(), type.getRoles(), extents, type.getElementType(), type.getLayout()));
        };
        for (mlir::BlockArgument argument : block.getArguments())
            change(argument);
        for (mlir::Operation &op : block)
            for (Value result : op.getResults())
                change(result);
        loss_.setFunctionType(mlir::FunctionType::get(loss_.getContext(), block.getArgumentTypes(),
                                                      block.getTerminator()->getOperandTypes()));
    }

    mlir::func::FuncOp loss_;
    std::int64_t samples_;
    double share_; ///< of terms that all parts have
    mlir::StringAttr batch_;
    llvm::DenseMap<Value, Form> forms_;
};

} // namespace

mlir::LogicalResult restrict_to_micro_batch(mlir::func::FuncOp loss, std::int64_t samples, double share) {
    return Restriction(loss, samples, share).run();
}

bool shorten_batch(mlir::func::FuncOp function, std::int64_t samples) {
    const mlir::ScopedDiagnosticHandler silent(function.getContext(), [](mlir::Diagnostic &) {});
    return succeeded(Restriction(function, samples).run());
}

} // namespace planc::autodiff

#include "autodiff/batch_norm.h"

#include "autodiff/arithmetic.h"
#include "ir/layer_builder.h"

#include <cmath>

namespace planc::autodiff {

using ir::BatchNormOp;
using ir::LayerBuilder;
using ir::TensorType;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

namespace {

/// How the calls so far change a running statistic: a shared layer has several, one after another.
struct Advance {
    int calls_left = 0;
    double kept = 1; ///< the statistic is multiplied by it
    Value change;    ///< and this is added; null: nothing yet
};
/// By the value that was read.
using Advances = llvm::DenseMap<Value, Advance>;

class Decomposition {
  public:
    Decomposition(BatchNormOp op, mlir::OpBuilder &builder)
        : op_(op), builder_(builder),
          build_(builder, op.getLoc(), op.getLayer().value_or(""), op.getPhase().value_or("")),
          type_(op.getResult().getType()), kept_(type_of(op.getMean())),
          count_(static_cast<double>(type_.elements()) / static_cast<double>(kept_.elements())) {}

    [[nodiscard]] double count() const { return count_; }

    /// Computes the mean first, then the squares of the centred values: E[x²] - E[x]² would cancel.
    /// `changes`: see apply_batch_norm().
    Value by_statistics_of_the_batch(Advances &advances, std::vector<StatisticChange> *changes) {
        const Value mean = average(op_.getX());
        // The variance does not depend on the mean that is subtracted: d/dm sum (x - m)² = -2 sum (x - m) = 0.
        const Value fixed = build_.pointwise("stop_gradient", mean, kept_);
        const Value variance =
            average(build_.pointwise("square", build_.pointwise("sub", {op_.getX(), fixed}, type_), type_));
        advance(op_.getMean(), mean, 1, advances, changes);
        advance(op_.getVariance(), variance, count_ / (count_ - 1), advances, changes); // an unbiased estimate
        return normalized(mean, variance);
    }

    Value by_running_statistics() { return normalized(op_.getMean(), op_.getVariance()); }

  private:
    Value number(double value) { return build_.constant(value, type_.getElementType()); }

    Value average(Value x) {
        return build_.pointwise("mul", {build_.reduce_to("sum", x, kept_), number(1 / count_)}, kept_);
    }

    Value normalized(Value mean, Value variance) {
        const Value deviation = build_.pointwise(
            "rsqrt", build_.pointwise("add", {variance, number(op_.getEpsilon().convertToDouble())}, kept_), kept_);
        const Value factor = build_.pointwise("mul", {deviation, op_.getScale()}, kept_);
        const Value centred = build_.pointwise("sub", {op_.getX(), mean}, type_);
        return build_.pointwise("add", {build_.pointwise("mul", {centred, factor}, type_), op_.getB()}, type_);
    }

    /// running <- (1 - momentum) running + momentum · factor · value for each call, once each time that the function
    /// runs, or once for all micro-batches of an update. It is placed like the optimizer state of the scale.
    void advance(Value running, Value value, double factor, Advances &advances, std::vector<StatisticChange> *changes) {
        const double momentum = op_.getMomentum().convertToDouble();
        auto read = running.getDefiningOp<ir::ReadOp>();
        Advance &all = advances[running];
        all.kept *= 1 - momentum;
        const bool last = --all.calls_left == 0;
        const bool summed = changes != nullptr || !last; // not written here
        const auto placed = [&](Value made) { return summed ? made : follow(made); };
        const Value earlier =
            all.change ? placed(build_.pointwise("mul", {all.change, number(1 - momentum)}, kept_)) : Value();
        const Value kept = summed ? Value() : follow(build_.pointwise("mul", {running, number(all.kept)}, kept_));
        all.change = placed(build_.pointwise("mul", {value, number(momentum * factor)}, kept_));
        if (earlier)
            all.change = placed(build_.pointwise("add", {earlier, all.change}, kept_));
        if (last && changes != nullptr)
            changes->push_back({read, all.change, all.kept, followed().str()});
        if (summed)
            return;
        const Value next = follow(build_.pointwise("add", {kept, all.change}, kept_));
        builder_.create<ir::WriteOp>(op_.getLoc(), next, read.getVariableAttr(), op_.getLayerAttr(), op_.getPhaseAttr(),
                                     ir::StrategyAttr());
    }

    /// Empty if the scale is an expression.
    StringRef followed() {
        auto scale = op_.getScale().getDefiningOp<ir::ReadOp>();
        return scale ? scale.getVariable() : StringRef();
    }

    Value follow(Value made) {
        if (const StringRef parameter = followed(); !parameter.empty())
            made.getDefiningOp()->setAttr("parameter", builder_.getStringAttr(parameter));
        return made;
    }

    BatchNormOp op_;
    mlir::OpBuilder &builder_;
    LayerBuilder build_;
    TensorType type_;
    TensorType kept_;
    double count_; ///< of the values that are normalised together
};

} // namespace

mlir::LogicalResult apply_batch_norm(mlir::func::FuncOp function, std::vector<StatisticChange> *changes) {
    mlir::OpBuilder builder(function.getContext());
    Advances advances;
    function.walk([&](BatchNormOp op) {
        for (const Value running : {op.getMean(), op.getVariance()})
            ++advances[running].calls_left;
    });
    const mlir::WalkResult walk = function.walk([&](BatchNormOp op) {
        builder.setInsertionPoint(op);
        Decomposition decomposition(op, builder);
        if (decomposition.count() < 2) {
            op.emitError("batch normalisation in layer '")
                << op.getLayer().value_or("")
                << "' has one value for each element of its statistics, which has no variance"
                << (function->getParentOp()->hasAttr("plan.microbatches")
                        ? ": a micro-batch of one sample is too small for it"
                        : "");
            return mlir::WalkResult::interrupt();
        }
        op.getResult().replaceAllUsesWith(decomposition.by_statistics_of_the_batch(advances, changes));
        op.erase();
        return mlir::WalkResult::advance();
    });
    return mlir::failure(walk.wasInterrupted());
}

void accumulate_statistics(std::vector<StatisticChange> &changes, mlir::OpBuilder &builder) {
    for (StatisticChange &each : changes) {
        auto sum =
            builder.create<ir::AccumulateOp>(each.running.getLoc(), each.change.getType(), each.change,
                                             builder.getStringAttr("change of " + each.running.getVariable()),
                                             each.running.getLayerAttr(), builder.getStringAttr("weight gradient"),
                                             ir::StrategyAttr(), builder.getF64FloatAttr(each.kept), mlir::FloatAttr());
        if (!each.parameter.empty())
            sum->setAttr("parameter", builder.getStringAttr(each.parameter));
        each.change = sum.getResult();
    }
}

void advance_statistics(mlir::ArrayRef<StatisticChange> sums, int micro_batches, mlir::OpBuilder &builder) {
    for (StatisticChange each : sums) {
        auto running = mlir::cast<ir::ReadOp>(builder.clone(*each.running));
        running.setPhase("update");
        Arithmetic of(builder, running.getLoc(), running.getLayer().value_or(""), each.parameter);
        const Value next = of.add(of.mul(running.getResult(), std::pow(each.kept, micro_batches)), each.change);
        builder.create<ir::WriteOp>(running.getLoc(), next, running.getVariableAttr(), running.getLayerAttr(),
                                    running.getPhaseAttr(), ir::StrategyAttr());
    }
}

void fix_batch_norm(mlir::func::FuncOp function) {
    mlir::OpBuilder builder(function.getContext());
    function.walk([&](BatchNormOp op) {
        builder.setInsertionPoint(op);
        op.getResult().replaceAllUsesWith(Decomposition(op, builder).by_running_statistics());
        op.erase();
    });
}

} // namespace planc::autodiff

#include "autodiff/passes.h"

#include "ir/layer_builder.h"
#include "ir/nest.h"
#include "ir/pointwise.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace planc::autodiff {

#define GEN_PASS_DEF_SIMPLIFY
#include "autodiff/passes.h.inc"

using ir::constant_value;
using ir::PointwiseOp;
using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::StringRef;
using mlir::Value;

namespace {

PointwiseOp pointwise(Value value, StringRef function) {
    auto op = value.getDefiningOp<PointwiseOp>();
    return op && op.getFunction() == function ? op : PointwiseOp();
}

bool is_number(Value value, double number) {
    return constant_value(value) == number;
}

/// Rewrites of one pointwise operation. Each keeps the result's type, and the operation's layer, phase and place.
class Rewrite {
  public:
    Rewrite(PointwiseOp op, PatternRewriter &rewriter) : op_(op), rewriter_(rewriter) {}

    bool run() {
        if (fold_numbers())
            return true;
        const StringRef function = op_.getFunction();
        if (op_->hasAttr("plan.sample_loss") && function == "identity") // its operand may have other uses
            return false;
        if (function == "identity" || function == "stop_gradient")
            return forward(0) || (function == "stop_gradient" && change("identity", {input(0)}));
        if (function == "neg")
            return negation();
        if (function == "add")
            return sum();
        if (function == "sub")
            return difference();
        if (function == "mul")
            return product();
        return function == "div" && is_number(input(1), 1) && forward(0);
    }

  private:
    Value input(unsigned index) { return op_.getInputs()[index]; }

    Value number(double value) {
        const auto type =
            ir::TensorType::get(op_.getContext(), {}, {}, op_.getResult().getType().getElementType(), ir::LayoutAttr());
        return rewriter_.create<ir::ConstantOp>(op_.getLoc(), type, rewriter_.getF64FloatAttr(value),
                                                op_.getLayerAttr(), op_.getPhaseAttr(), ir::StrategyAttr());
    }

    bool change(StringRef function, std::initializer_list<Value> inputs) {
        const mlir::DictionaryAttr others = op_->getDiscardableAttrDictionary();
        auto changed =
            rewriter_.replaceOpWithNewOp<PointwiseOp>(op_, op_.getResult().getType(), rewriter_.getStringAttr(function),
                                                      mlir::ValueRange(mlir::ArrayRef<Value>(inputs)),
                                                      op_.getLayerAttr(), op_.getPhaseAttr(), ir::StrategyAttr());
        changed->setDiscardableAttrs(others);
        return true;
    }

    /// Replaces the operation by an operand, if that has the result's type.
    bool forward(unsigned index) { return forward(input(index)); }
    bool forward(Value value) {
        if (value.getType() != op_.getResult().getType())
            return false;
        rewriter_.replaceOp(op_, value);
        return true;
    }

    bool fold_numbers() {
        std::vector<double> numbers;
        for (Value value : op_.getInputs())
            if (const auto known = constant_value(value))
                numbers.push_back(*known);
        if (numbers.size() != op_.getInputs().size() || !op_.getResult().getType().getRoles().empty())
            return false;
        rewriter_.replaceOp(op_, number(ir::find_pointwise(op_.getFunction())->value(numbers.data())));
        return true;
    }

    bool negation() {
        if (auto inner = pointwise(input(0), "neg"))
            return forward(inner.getInputs()[0]);
        auto product = pointwise(input(0), "mul");
        if (!product || !product->hasOneUse())
            return false;
        const auto factor = constant_value(product.getInputs()[1]);
        return factor && change("mul", {product.getInputs()[0], number(-*factor)});
    }

    bool sum() {
        if (is_number(input(1), 0) && forward(0))
            return true;
        if (is_number(input(0), 0) && forward(1))
            return true;
        if (auto negative = pointwise(input(1), "neg"))
            return change("sub", {input(0), negative.getInputs()[0]});
        if (auto negative = pointwise(input(0), "neg"))
            return change("sub", {input(1), negative.getInputs()[0]});
        return false;
    }

    bool difference() {
        if (is_number(input(1), 0) && forward(0))
            return true;
        if (is_number(input(0), 0))
            return change("neg", {input(1)});
        if (auto negative = pointwise(input(1), "neg"))
            return change("add", {input(0), negative.getInputs()[0]});
        return false;
    }

    /// Puts numbers second and collects factors: (x · a) · b = x · (ab), (−x) · a = x · (−a).
    bool product() {
        const auto factor = constant_value(input(1));
        if (!factor)
            return constant_value(input(0)) && change("mul", {input(1), input(0)});
        if (*factor == 1 && forward(0))
            return true;
        if (*factor == -1)
            return change("neg", {input(0)});
        if (auto negative = pointwise(input(0), "neg"))
            return change("mul", {negative.getInputs()[0], number(-*factor)});
        auto inner = pointwise(input(0), "mul");
        if (!inner || !inner->hasOneUse())
            return false;
        const auto other = constant_value(inner.getInputs()[1]);
        return other && change("mul", {inner.getInputs()[0], number(*factor * *other)});
    }

    PointwiseOp op_;
    PatternRewriter &rewriter_;
};

struct SimplifyPointwise : mlir::OpRewritePattern<PointwiseOp> {
    using OpRewritePattern::OpRewritePattern;
    LogicalResult matchAndRewrite(PointwiseOp op, PatternRewriter &rewriter) const override {
        return mlir::success(Rewrite(op, rewriter).run());
    }
};

bool has_any(Value value, mlir::ArrayRef<mlir::StringAttr> roles) {
    const auto type = mlir::cast<ir::TensorType>(value.getType());
    return llvm::any_of(roles, [&](mlir::StringAttr role) { return type.find(role) >= 0; });
}

/// Moves factors that lack the summed dimensions, and signs, out of sums: sum (x · a) = (sum x) · a. Then equal sums,
/// such as those of a bias's gradient and of a mean, are computed once.
struct SimplifySum : mlir::OpRewritePattern<ir::ReduceOp> {
    using OpRewritePattern::OpRewritePattern;
    LogicalResult matchAndRewrite(ir::ReduceOp op, PatternRewriter &rewriter) const override {
        auto inner = op.getOperand().getDefiningOp<PointwiseOp>();
        if (op.getReduction() != "sum" || !inner)
            return mlir::failure();
        const ir::TensorType result = op.getResult().getType();
        llvm::SmallVector<mlir::StringAttr> summed;
        for (mlir::StringAttr role : inner.getResult().getType().getRoles())
            if (result.find(role) < 0)
                summed.push_back(role);
        if (inner.getFunction() == "neg")
            return pull_out(op, "neg", inner.getInputs()[0], {}, rewriter);
        if (inner.getFunction() != "mul")
            return mlir::failure();
        for (unsigned factor : {0U, 1U}) {
            const Value other = inner.getInputs()[factor];
            const Value term = inner.getInputs()[1 - factor];
            if (!constant_value(other) && !has_any(other, summed) && term.getType() == inner.getResult().getType())
                return pull_out(op, "mul", term, other, rewriter);
        }
        return mlir::failure();
    }

  private:
    static LogicalResult pull_out(ir::ReduceOp op, StringRef function, Value term, Value factor,
                                  PatternRewriter &rewriter) {
        auto sum = mlir::cast<ir::ReduceOp>(rewriter.clone(*op));
        sum.setOperand(term);
        llvm::SmallVector<Value> inputs{sum.getResult()};
        if (factor)
            inputs.push_back(factor);
        rewriter.replaceOpWithNewOp<PointwiseOp>(op, op.getResult().getType(), rewriter.getStringAttr(function), inputs,
                                                 op.getLayerAttr(), op.getPhaseAttr(), ir::StrategyAttr());
        return mlir::success();
    }
};

bool is_difference_of_share(Value value) {
    PointwiseOp difference = pointwise(value, "sub");
    return difference && pointwise(difference.getInputs()[0], "div");
}

/// Simplifies the combined gradient of exp, sum and quotient in a softmax P = e / s: e · (g/s − Σ (g/s) · P) = P · (g −
/// Σ g · P). Then e need not be kept for the backward pass, which does not divide.
struct SimplifySoftmaxGradient : mlir::OpRewritePattern<PointwiseOp> {
    using OpRewritePattern::OpRewritePattern;
    LogicalResult matchAndRewrite(PointwiseOp op, PatternRewriter &rewriter) const override {
        if (op.getFunction() != "mul")
            return mlir::failure();
        for (unsigned at : {0U, 1U}) {
            auto difference = pointwise(op.getInputs()[1 - at], "sub");
            auto share = difference ? pointwise(difference.getInputs()[0], "div") : PointwiseOp();
            auto sum = share ? difference.getInputs()[1].getDefiningOp<ir::ReduceOp>() : ir::ReduceOp();
            auto product = sum && sum.getReduction() == "sum" ? pointwise(sum.getOperand(), "mul") : PointwiseOp();
            if (!product || !difference->hasOneUse())
                continue;
            for (unsigned factor : {0U, 1U}) {
                auto softmax = pointwise(product.getInputs()[factor], "div");
                if (product.getInputs()[1 - factor] != share.getResult() || !softmax ||
                    softmax.getInputs()[0] != op.getInputs()[at] || softmax.getInputs()[1] != share.getInputs()[1] ||
                    !has_only(softmax.getInputs()[1], sum.getResult()))
                    continue;
                rewrite(op, softmax, share.getInputs()[0], difference, sum, product, rewriter);
                return mlir::success();
            }
        }
        return mlir::failure();
    }

  private:
    /// s may leave the sum only if it lacks the summed dimensions.
    static bool has_only(Value value, Value roles) {
        const auto type = mlir::cast<ir::TensorType>(roles.getType());
        return llvm::all_of(mlir::cast<ir::TensorType>(value.getType()).getRoles(),
                            [&](mlir::StringAttr role) { return type.find(role) >= 0; });
    }

    static void rewrite(PointwiseOp op, PointwiseOp softmax, Value gradient, PointwiseOp difference, ir::ReduceOp sum,
                        PointwiseOp product, PatternRewriter &rewriter) {
        const auto with = [&](mlir::Operation *old, std::initializer_list<Value> operands) {
            mlir::Operation *fresh = rewriter.clone(*old);
            fresh->setOperands(mlir::ValueRange(mlir::ArrayRef<Value>(operands)));
            return fresh->getResult(0);
        };
        const Value sum_of_products = with(sum, {with(product, {gradient, softmax.getResult()})});
        const Value rest = with(difference, {gradient, sum_of_products});
        rewriter.replaceOp(op, with(op, {rest, softmax.getResult()}));
    }
};

/// An einsum of one operand that does not sum, permute or rename.
struct SimplifyEinsum : mlir::OpRewritePattern<ir::EinsumOp> {
    using OpRewritePattern::OpRewritePattern;
    LogicalResult matchAndRewrite(ir::EinsumOp op, PatternRewriter &rewriter) const override {
        if (op.getInputs().size() != 1 || op.getInputs()[0].getType() != op.getResult().getType())
            return mlir::failure();
        const auto subscripts = ir::parse_subscripts(op.getSubscripts());
        if (subscripts->operands[0] != subscripts->result)
            return mlir::failure();
        rewriter.replaceOp(op, op.getInputs()[0]);
        return mlir::success();
    }
};

/// If a sum is both the gradient of a weight and needed for that of an input, it is computed with the latter, because
/// other operations wait for that.
void share_sums(mlir::func::FuncOp function) {
    const auto is_gradient = [](ir::ReduceOp op) { return op.getPhase() && op.getPhase()->ends_with("gradient"); };
    llvm::DenseMap<Value, llvm::SmallVector<ir::ReduceOp, 2>> seen; // by what is summed
    for (auto op : llvm::make_early_inc_range(function.getOps<ir::ReduceOp>())) {
        if (!is_gradient(op))
            continue;
        llvm::SmallVector<ir::ReduceOp, 2> &others = seen[op.getOperand()];
        auto *same = llvm::find_if(others, [&](ir::ReduceOp other) {
            return other.getReduction() == op.getReduction() &&
                   other.getResult().getType() == op.getResult().getType() && other.getLayerAttr() == op.getLayerAttr();
        });
        if (same == others.end()) {
            others.push_back(op);
            continue;
        }
        if (op.getPhase() == "input gradient")
            same->setPhaseAttr(op.getPhaseAttr());
        op.getResult().replaceAllUsesWith(same->getResult());
        op.erase();
    }
}

struct Simplify : impl::SimplifyBase<Simplify> {
    void runOnOperation() override {
        mlir::RewritePatternSet patterns(&getContext());
        patterns.add<SimplifyPointwise, SimplifySum, SimplifyEinsum>(&getContext());
        mlir::RewritePatternSet patterns_of_equals(&getContext()); // that compare operands
        patterns_of_equals.add<SimplifySoftmaxGradient>(&getContext());
        // Each rewrite removes an operation or moves a sign or a number outwards, so the rewriting ends for chains of
        // any length.
        mlir::GreedyRewriteConfig config;
        config.maxIterations = mlir::GreedyRewriteConfig::kNoLimit;
        config.enableRegionSimplification = mlir::GreedySimplifyRegionLevel::Disabled; // there is one block
        if (failed(mlir::applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config)))
            return signalPassFailure();
        mlir::DominanceInfo dominance(getOperation());
        mlir::IRRewriter rewriter(&getContext());
        mlir::eliminateCommonSubExpressions(rewriter, dominance, getOperation());
        llvm::SmallVector<mlir::Operation *> products;
        getOperation().walk([&](PointwiseOp op) {
            if (op.getFunction() == "mul" && llvm::any_of(op.getInputs(), is_difference_of_share))
                products.push_back(op);
        });
        if (failed(mlir::applyOpPatternsAndFold(products, std::move(patterns_of_equals), config)))
            return signalPassFailure();
        getOperation().walk([](mlir::func::FuncOp function) { share_sums(function); });
    }
};

} // namespace

} // namespace planc::autodiff

// Turns convolutions and pools into kernels. Their dimensions get the order that the kernels need
// (planrt/convolution.h, planrt/pooling.h), by permutations where necessary. Convolutions of f32 use weights in a
// special format: the weights are packed once for all convolutions of a part of the step that have the same geometry,
// and a weight gradient is unpacked. A maximum and its argmax are found in one pass.

#include "ir/pipeline_attribute.h"
#include "ir/subscripts.h"
#include "ir/windows.h"
#include "schedule/convolution.h"
#include "schedule/functions.h"
#include "schedule/passes.h"

#include <planrt/windows.h>

#include <algorithm>

namespace planc::schedule {

namespace {

using mlir::Operation;
using mlir::Value;

/// The same buffer under another type.
Value view(mlir::OpBuilder &builder, Operation *place, Value value, ir::TensorType type) {
    if (value.getType() == type)
        return value;
    auto op = builder.create<ir::ViewOp>(place->getLoc(), type, value, mlir::StringAttr(), mlir::StringAttr(),
                                         ir::StrategyAttr());
    set_place(op, place);
    return op.getResult();
}

/// The value with its dimensions in another order: named by their loops, permuted.
Value permuted(mlir::OpBuilder &builder, Operation *place, const ConvolutionTensor &from, const Loops &order) {
    if (from.loops == order)
        return from.value;
    const ir::TensorType named = with_roles(tensor(from.value), from.loops);
    auto permute = builder.create<ir::PermuteOp>(place->getLoc(), with_dimensions(named, order),
                                                 view(builder, place, from.value, named), mlir::StringAttr(),
                                                 mlir::StringAttr(), ir::StrategyAttr());
    set_place(permute, place);
    return permute.getResult();
}

/// Lets the operation make a result with dimensions `wanted` in the order `made`, and permutes it for its users.
void order_result(Value result, const Loops &wanted, const Loops &made) {
    Operation *op = result.getDefiningOp();
    const ir::TensorType type = tensor(result);
    llvm::SmallVector<mlir::OpOperand *> uses;
    for (mlir::OpOperand &use : result.getUses())
        uses.push_back(&use);
    result.setType(with_dimensions(with_roles(type, wanted), made));
    mlir::OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    const Value back = view(builder, op, permuted(builder, op, {result, made}, wanted), type);
    for (mlir::OpOperand *use : uses)
        use->set(back);
}

class ConvolutionLowering {
  public:
    /// `packs`: the packs of the function so far.
    ConvolutionLowering(ir::ConvOp op, std::vector<ir::PackOp> &packs)
        : op_(op), builder_(op), parts_(op), packs_(packs), mesh_(ir::mesh_of_ranks(op)) {}

    mlir::LogicalResult run() {
        const mlir::Type element = op_.getResult().getType().getElementType();
        if (!element.isF32() && !element.isF64())
            return op_.emitOpError() << "there is no convolution of " << element;
        if (parts_.windows.size() > planrt::most_windows)
            return op_.emitOpError() << "has " << parts_.windows.size() << " windows, the kernel has "
                                     << planrt::most_windows << " at most";
        if (op_.getAccumulator()) // like the previous part: by taps on plain weights
            return mlir::success();
        if (!parts_.alone.empty())
            pair_loops();
        order();
        if (element.isF32())
            pack();
        return mlir::success();
    }

  private:
    /// A gradient may lack dimensions that its tensor has, but the kernel has no loops of one operand only. The second
    /// operand is summed over the loops that only it has, and broadcast along those that only the first has. The first
    /// operand is not summed, because a partial sum cannot have windows.
    void pair_loops() {
        ir::Subscripts subscripts = *ir::parse_subscripts(op_.getSubscripts());
        const auto is_alone = [&](const std::string &loop) { return llvm::is_contained(parts_.alone, loop); };
        Loops kept;
        Loops added;
        llvm::copy_if(subscripts.operands[1], std::back_inserter(kept),
                      [&](const std::string &loop) { return !is_alone(loop); });
        llvm::copy_if(subscripts.operands[0], std::back_inserter(added), is_alone);
        sum_second(subscripts, kept);
        stretch_second(subscripts, added);
        op_.setSubscripts(subscripts.text());
        parts_ = ConvolutionParts(op_);
    }

    void sum_second(ir::Subscripts &subscripts, const Loops &kept) {
        Loops &loops = subscripts.operands[1];
        if (kept == loops)
            return;
        const Value named = view(builder_, op_, op_.getSecond(), with_roles(tensor(op_.getSecond()), loops));
        auto sum = builder_.create<ir::ReduceOp>(op_.getLoc(), summed_type(tensor(named), kept, mesh_), "sum", named,
                                                 mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(sum, op_);
        op_.getSecondMutable().assign(sum.getResult());
        loops = kept;
    }

    void stretch_second(ir::Subscripts &subscripts, const Loops &added) {
        if (added.empty())
            return;
        Loops &loops = subscripts.operands[1];
        const ir::TensorType lent = with_dimensions(with_roles(tensor(op_.getFirst()), subscripts.operands[0]), added);
        const Value named = view(builder_, op_, op_.getSecond(), with_roles(tensor(op_.getSecond()), loops));
        auto stretched =
            builder_.create<ir::PointwiseOp>(op_.getLoc(), joined_type(lent, tensor(named), mesh_), "identity", named,
                                             mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(stretched, op_);
        op_.getSecondMutable().assign(stretched.getResult());
        loops.insert(loops.begin(), added.begin(), added.end());
    }

    /// The dimensions of both, with how they are cut.
    static ir::TensorType joined_type(ir::TensorType first, ir::TensorType second, ir::MeshAttr mesh) {
        llvm::SmallVector<mlir::StringAttr> roles(first.getRoles());
        llvm::SmallVector<std::int64_t> extents(first.getExtents());
        roles.append(second.getRoles().begin(), second.getRoles().end());
        extents.append(second.getExtents().begin(), second.getExtents().end());
        const auto type = ir::TensorType::get(first.getContext(), roles, extents, second.getElementType(), {});
        if (!second.getLayout())
            return type;
        planrt::Placement placement = ir::placement_of(second, mesh);
        const auto more = ir::placement_of(first, mesh).dimensions;
        placement.dimensions.insert(placement.dimensions.begin(), more.begin(), more.end());
        return type.withLayout(ir::layout_of(placement, type, mesh));
    }

    /// Permutes the operands to the kernel's order, and the result from it.
    void order() {
        const bool forward = op_.getKind() == "forward";
        const bool input = op_.getKind() == "input_gradient";
        const Loops x = parts_.order_of_x();
        const Loops w = parts_.order_of_w();
        const Loops y = parts_.order_of_y();
        const ir::Subscripts ordered{{input ? y : x, forward || input ? w : y}, forward ? y : input ? x : w};
        const auto subscripts = *ir::parse_subscripts(op_.getSubscripts());
        if (ordered.text() == subscripts.text())
            return;
        op_.getFirstMutable().assign(
            permuted(builder_, op_, {op_.getFirst(), subscripts.operands[0]}, ordered.operands[0]));
        op_.getSecondMutable().assign(
            permuted(builder_, op_, {op_.getSecond(), subscripts.operands[1]}, ordered.operands[1]));
        op_.setSubscripts(ordered.text());
        if (ordered.result != subscripts.result)
            order_result(op_.getResult(), subscripts.result, ordered.result);
        parts_ = ConvolutionParts(op_);
    }

    void pack() {
        const bool winograd = planrt::winograd_pays(largest_convolution(op_, mesh_));
        op_->setAttr("format", builder_.getStringAttr(winograd ? winograd_format : packed_format));
        if (op_.getKind() != "weight_gradient") {
            op_.getSecondMutable().assign(packed_weights());
            return;
        }
        builder_.setInsertionPointAfter(op_);
        auto unpack = builder_.create<ir::UnpackOp>(op_.getLoc(), op_.getResult(), mlir::StringAttr(),
                                                    mlir::StringAttr(), ir::StrategyAttr());
        set_place(unpack, op_);
        op_.getResult().replaceAllUsesExcept(unpack.getResult(), unpack);
    }

    Value packed_weights() {
        for (ir::PackOp pack : packs_)
            if (pack.getOperand() == op_.getSecond() && part_of(pack) == part_of(op_) &&
                has_geometry(pack.getConvolution()))
                return pack.getResult();
        auto pack = builder_.create<ir::PackOp>(op_.getLoc(), op_.getSecond(), mlir::StringAttr(), mlir::StringAttr(),
                                                ir::StrategyAttr());
        set_place(pack, op_);
        packs_.push_back(pack);
        return pack.getResult();
    }

    /// Whether the other convolution has the same geometry, on which the format depends.
    bool has_geometry(ir::ConvOp other) {
        return other.getKind() == op_.getKind() && other.getSubscripts() == op_.getSubscripts() &&
               other.getFirst().getType() == op_.getFirst().getType() &&
               other.getResult().getType() == op_.getResult().getType() && other.getWindows() == op_.getWindows() &&
               other.getKernels() == op_.getKernels() && other.getStrides() == op_.getStrides() &&
               other.getDilations() == op_.getDilations() && other.getPaddings() == op_.getPaddings();
    }

    ir::ConvOp op_;
    mlir::OpBuilder builder_;
    ConvolutionParts parts_;
    std::vector<ir::PackOp> &packs_;
    ir::MeshAttr mesh_;
};

class PoolLowering {
  public:
    explicit PoolLowering(ir::PoolOp op) : op_(op), builder_(op), windows_(ir::names_of(op.getWindows())) {}

    mlir::LogicalResult run() {
        const mlir::Type element = tensor(op_.getInputs()[0]).getElementType();
        if (!element.isF32() && !element.isF64())
            return op_.emitOpError() << "there is no pool of " << element;
        if (windows_.size() > planrt::most_windows)
            return op_.emitOpError() << "has " << windows_.size() << " windows, the kernel has " << planrt::most_windows
                                     << " at most";
        order();
        return mlir::success();
    }

  private:
    /// Permutes to the kernel's order: samples, windows in the operation's order, channels.
    void order() {
        Loops roles;
        for (mlir::StringAttr role : op_.getResult().getType().getRoles())
            roles.push_back(role.str());
        const auto is_window = [&](const std::string &role) { return llvm::is_contained(windows_, role); };
        const auto first = std::find_if(roles.begin(), roles.end(), is_window);
        Loops wanted(roles.begin(), first);
        wanted.insert(wanted.end(), windows_.begin(), windows_.end());
        std::copy_if(first, roles.end(), std::back_inserter(wanted),
                     [&](const std::string &role) { return !is_window(role); });
        if (wanted == roles)
            return;
        for (mlir::OpOperand &operand : op_.getInputsMutable())
            operand.set(permuted(builder_, op_, {operand.get(), roles}, wanted));
        order_result(op_.getResult(), roles, wanted);
    }

    ir::PoolOp op_;
    mlir::OpBuilder builder_;
    Loops windows_;
};

bool has_same_windows(ir::PoolOp a, ir::PoolOp b) {
    return a.getInputs() == b.getInputs() && a.getWindows() == b.getWindows() && a.getKernels() == b.getKernels() &&
           a.getStrides() == b.getStrides() && a.getDilations() == b.getDilations() &&
           a.getPaddings() == b.getPaddings() &&
           a.getResult().getType().getLayout() == b.getResult().getType().getLayout() && part_of(a) == part_of(b);
}

/// Makes the argmax and, if there is one, the maximum of the same windows by one operation.
void join(ir::PoolOp numbers, ir::PoolOp maxima) {
    ir::PoolOp first = maxima && maxima->isBeforeInBlock(numbers) ? maxima : numbers;
    const ir::TensorType type = numbers.getResult().getType();
    const auto maxima_type = ir::TensorType::get(type.getContext(), type.getRoles(), type.getExtents(),
                                                 tensor(numbers.getInputs()[0]).getElementType(), type.getLayout());
    mlir::OpBuilder builder(first);
    auto both = builder.create<ir::MaxPoolOp>(first.getLoc(), maxima_type, type, numbers.getInputs()[0],
                                              numbers.getWindows(), numbers.getKernels(), numbers.getStrides(),
                                              numbers.getDilations(), numbers.getPaddings(), mlir::StringAttr(),
                                              mlir::StringAttr(), ir::StrategyAttr());
    set_place(both, first);
    numbers.getResult().replaceAllUsesWith(both.getNumbers());
    numbers.erase();
    if (!maxima)
        return;
    maxima.getResult().replaceAllUsesWith(both.getMaxima());
    maxima.erase();
}

void join_maxima(mlir::func::FuncOp function) {
    std::vector<ir::PoolOp> maxima;
    std::vector<ir::PoolOp> numbers;
    for (auto op : function.getOps<ir::PoolOp>())
        if (op.getKind() == "max" || op.getKind() == "argmax")
            (op.getKind() == "max" ? maxima : numbers).push_back(op);
    for (ir::PoolOp op : numbers) {
        const auto at = llvm::find_if(maxima, [&](ir::PoolOp other) { return has_same_windows(other, op); });
        join(op, at == maxima.end() ? ir::PoolOp() : *at);
        if (at != maxima.end())
            maxima.erase(at);
    }
}

struct LowerConvolutions : mlir::PassWrapper<LowerConvolutions, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerConvolutions)

    llvm::StringRef getArgument() const override { return "lower-convolutions"; }
    llvm::StringRef getDescription() const override {
        return "Put the dimensions of convolutions and pools into the order of the kernels, pack and unpack weights, "
               "join maxima with their numbers";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        std::vector<ir::PackOp> packs;
        for (auto op : llvm::to_vector(function.getOps<ir::ConvOp>()))
            if (failed(ConvolutionLowering(op, packs).run()))
                return mlir::failure();
        for (auto op : llvm::to_vector(function.getOps<ir::PoolOp>()))
            if (failed(PoolLowering(op).run()))
                return mlir::failure();
        join_maxima(function);
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> lower_convolutions() {
    return std::make_unique<LowerConvolutions>();
}

} // namespace planc::schedule

// A convolution of a split image computes with the rank's own rows while the halo travels, and adds what the halo gives
// when it is there: a convolution is linear in what it reads. Own rows are read where they lie; only the parts of the
// halo have buffers: before and behind the own block along each split dimension, corners with the first of them. Weight
// gradients, linear in the same way, use the same parts.
//
//   %h = collective "exchange" %x : own rows -> own rows with halo     %0 = conv (%x, %w)
//   %y = conv (%h, %w)                                            =>   %b = collective "exchange" %x : -> rows before
//                                                                      %1 = conv (%b, %w, %0), likewise rows behind
//
// Not where that costs more than it saves, which is the copy of the own rows to a buffer with room for the halo: each
// part goes through the rows of the result that it meets, or through a whole weight gradient, once more for every few
// taps.

#include "ir/subscripts.h"
#include "ir/windows.h"
#include "schedule/convolution.h"
#include "schedule/functions.h"
#include "schedule/passes.h"

#include <algorithm>

namespace planc::schedule {

namespace {

using mlir::Value;
using planrt::Box;
using planrt::Placement;
using planrt::Range;
using planrt::WindowPart;

/// What the call of a kernel costs, in elements moved: some ten microseconds.
constexpr std::int64_t elements_of_a_call = 32768;

/// Does the exchange bring what the windows of a cut dimension touch beyond the own block, and nothing else?
bool brings_halos(const Placement &from, const Placement &to) {
    for (std::size_t d = 0; d < from.dimensions.size(); ++d)
        if (from.dimensions[d].axes != to.dimensions[d].axes)
            return false;
    return planrt::is_windowed(to) && from.partial.empty() && from.stored.empty();
}

/// A part of the halo: beyond the own block along one dimension, within it along those before, all along those behind.
/// Together with the own block the parts are what the windows touch.
struct HaloPart {
    std::string name; ///< "height before"
    Placement placement;
};

std::vector<HaloPart> halo_parts(ir::TensorType type, const Placement &whole, const planrt::Mesh &mesh) {
    std::vector<HaloPart> parts;
    Placement rest = whole;
    for (auto [role, dimension] : llvm::zip(type.getRoles(), rest.dimensions)) {
        if (!dimension.window)
            continue;
        for (const auto &[part, name] : {std::pair{WindowPart::before, " before"}, {WindowPart::behind, " behind"}}) {
            dimension.window->part = part;
            if (planrt::largest_volume(rest, mesh) > 0)
                parts.push_back({role.str() + name, rest});
        }
        dimension.window->part = WindowPart::within;
    }
    return parts;
}

/// One rank's part of a convolution of own rows.
class OwnRows {
  public:
    OwnRows(ir::ConvOp conv, const ConvolutionParts &parts, ir::TensorType own, ir::MeshAttr mesh, int rank)
        : conv_(conv), parts_(parts), transposed_(conv.getKind() == "input_gradient"),
          of_weights_(conv.getKind() == "weight_gradient") {
        const auto box = [&](Value value) {
            const ir::TensorType type = value == conv.getFirst() ? own : tensor(value);
            return planrt::local_box(ir::placement_of(type, mesh), ir::mesh_of(mesh), rank);
        };
        x_ = box(parts.x.value);
        y_ = box(parts.y.value);
        w_ = box(parts.w.value);
    }

    /// Has each position a row of its own to read, and each row a position? Else the kernels are slow, or lack it.
    [[nodiscard]] bool suit_kernels() const {
        return llvm::all_of(parts_.windows, [&](const std::string &loop) {
            const std::size_t i = parts_.window(loop);
            const ir::WindowNumbers numbers(conv_, i);
            const Range x = of(parts_.x, x_, loop);
            const Range y = of(parts_.y, y_, loop);
            const std::int64_t reach = (kernel(loop) - 1) * numbers.dilation + 1;
            const std::int64_t before = numbers.before + x.begin - y.begin * numbers.stride;
            const std::int64_t behind = (y.size() - 1) * numbers.stride + reach - before - x.size();
            return x.size() > 0 && y.size() > 0 && before >= 0 && before < reach && behind > -numbers.stride &&
                   behind < reach;
        });
    }

    /// Elements that are moved to add what this part of the first operand gives.
    [[nodiscard]] std::int64_t moved_for(const Box &part) const {
        if (planrt::volume(part) == 0)
            return 0;
        std::int64_t far = planrt::volume(transposed_ ? x_ : y_); // of the other activation, what the part meets
        for (const std::string &loop : parts_.windows) {
            const Range whole = transposed_ ? of(parts_.x, x_, loop) : of(parts_.y, y_, loop);
            far = far / std::max<std::int64_t>(whole.size(), 1) * meets(part, loop, whole);
        }
        // Read and written, twice: the rows of few taps stay in cache.
        return elements_of_a_call + 4 * (of_weights_ ? planrt::volume(w_) : far);
    }

  private:
    [[nodiscard]] static Range of(const ConvolutionTensor &tensor, const Box &box, const std::string &loop) {
        return box[static_cast<std::size_t>(llvm::find(tensor.loops, loop) - tensor.loops.begin())];
    }

    [[nodiscard]] std::int64_t kernel(const std::string &loop) const {
        const auto at = llvm::find(parts_.windows, loop) - parts_.windows.begin();
        return of(parts_.w, w_, parts_.kernels[static_cast<std::size_t>(at)]).size();
    }

    /// Rows of `whole` that touch, or transposed are touched by, those of the part.
    [[nodiscard]] std::int64_t meets(const Box &part, const std::string &loop, Range whole) const {
        const ir::WindowNumbers numbers(conv_, parts_.window(loop));
        const planrt::Window window{1, kernel(loop), numbers.stride, numbers.dilation, numbers.before, !transposed_};
        const Range rows = of(transposed_ ? parts_.y : parts_.x, part, loop);
        return planrt::intersect({planrt::touched(window, rows, whole.end)}, {whole})[0].size();
    }

    ir::ConvOp conv_;
    const ConvolutionParts &parts_;
    bool transposed_;
    bool of_weights_;
    Box x_;
    Box y_;
    Box w_;
};

class Exchange {
  public:
    Exchange(ir::CollectiveOp op, ir::MeshAttr mesh)
        : op_(op), mesh_(mesh), ranks_(ir::mesh_of(mesh)), own_(tensor(op.getOperand())),
          from_(ir::placement_of(own_, mesh)), to_(ir::placement_of(tensor(op.getResult()), mesh)) {}

    /// `always`: even where it does not pay.
    void overlap(bool always) {
        if (op_.getKind() != "exchange" || !brings_halos(from_, to_) || !is_read_by_convolutions())
            return;
        halo_ = halo_parts(own_, to_, ranks_);
        if (!always && !pays())
            return;
        mlir::OpBuilder builder(op_);
        std::vector<Value> parts;
        for (const HaloPart &part : halo_)
            parts.push_back(exchanged(builder, part));
        for (ir::ConvOp conv : convolutions_)
            add_parts(conv, parts);
        op_.erase();
    }

  private:
    /// By nothing else, with all dimensions where the kernels want them.
    bool is_read_by_convolutions() {
        for (mlir::OpOperand &use : op_.getResult().getUses()) {
            auto conv = mlir::dyn_cast<ir::ConvOp>(use.getOwner());
            if (!conv || use.getOperandNumber() != 0)
                return false;
            const ConvolutionParts parts(conv);
            if (!parts.alone.empty() || parts.x.loops != parts.order_of_x() || parts.w.loops != parts.order_of_w() ||
                parts.y.loops != parts.order_of_y())
                return false;
            convolutions_.push_back(conv);
        }
        return !convolutions_.empty();
    }

    /// On every rank: own rows that the kernels can use, no more moved to add parts than to copy the own rows.
    bool pays() {
        for (int rank = 0; rank < ranks_.ranks(); ++rank) {
            const Box own = planrt::local_box(from_, ranks_, rank);
            std::int64_t moved = 0;
            for (ir::ConvOp conv : convolutions_) {
                const ConvolutionParts parts(conv);
                const OwnRows rows(conv, parts, own_, mesh_, rank);
                if (!rows.suit_kernels())
                    return false;
                for (const HaloPart &part : halo_)
                    moved += rows.moved_for(planrt::local_box(part.placement, ranks_, rank));
            }
            const std::int64_t copied =
                2 * planrt::volume(planrt::intersect(own, planrt::local_box(to_, ranks_, rank)));
            if (copied == 0 || moved > copied)
                return false;
        }
        return true;
    }

    Value exchanged(mlir::OpBuilder &builder, const HaloPart &part) {
        const ir::TensorType type = own_.withLayout(ir::layout_of(part.placement, own_, mesh_));
        auto exchange =
            builder.create<ir::CollectiveOp>(op_.getLoc(), type, op_.getKindAttr(), op_.getOperand(), op_.getAxesAttr(),
                                             op_.getLayerAttr(), op_.getPhaseAttr(), op_.getStrategyAttr());
        if (const auto name = op_->getAttrOfType<mlir::StringAttr>("tensor"))
            exchange->setAttr("tensor", builder.getStringAttr(name.str() + " " + part.name));
        return exchange.getResult();
    }

    void add_parts(ir::ConvOp conv, const std::vector<Value> &parts) {
        conv.getFirstMutable().assign(op_.getOperand());
        mlir::OpBuilder builder(conv);
        builder.setInsertionPointAfter(conv);
        Value sum = conv.getResult();
        llvm::SmallVector<mlir::OpOperand *> uses;
        for (mlir::OpOperand &use : sum.getUses())
            uses.push_back(&use);
        for (Value part : parts)
            sum = builder.create<ir::ConvOp>(conv.getLoc(), tensor(sum), conv.getKindAttr(), conv.getSubscriptsAttr(),
                                             part, conv.getSecond(), sum, conv.getWindowsAttr(), conv.getKernelsAttr(),
                                             conv.getStridesAttr(), conv.getDilationsAttr(), conv.getPaddingsAttr(),
                                             conv.getLayerAttr(), conv.getPhaseAttr(), conv.getStrategyAttr());
        for (mlir::OpOperand *use : uses)
            use->set(sum);
    }

    ir::CollectiveOp op_;
    ir::MeshAttr mesh_;
    planrt::Mesh ranks_;
    ir::TensorType own_;
    Placement from_;
    Placement to_;
    std::vector<ir::ConvOp> convolutions_;
    std::vector<HaloPart> halo_;
};

struct OverlapHalos : mlir::PassWrapper<OverlapHalos, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OverlapHalos)

    OverlapHalos() = default;
    explicit OverlapHalos(bool all) : all_(all) {}
    OverlapHalos(const OverlapHalos &other) : PassWrapper(other), all_(other.all_) {}

    llvm::StringRef getArgument() const override { return "overlap-halos"; }
    llvm::StringRef getDescription() const override {
        return "Let convolutions compute with own rows while their halos travel, and add what these give";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        const ir::MeshAttr mesh = ir::mesh_attribute(getOperation());
        for (auto op : llvm::to_vector(function.getOps<ir::CollectiveOp>()))
            Exchange(op, mesh).overlap(all_);
        return mlir::success();
    }

  private:
    bool all_ = false;
};

} // namespace

std::unique_ptr<mlir::Pass> overlap_halos(bool all) {
    return std::make_unique<OverlapHalos>(all);
}

} // namespace planc::schedule

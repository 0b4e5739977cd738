// A convolution of a split image computes on the rank's own rows while the halo travels, and adds the contribution of
// the halo when that has arrived; this is possible because a convolution is linear in its input. Own rows are read in
// place; only the parts of the halo have buffers: those before and after the own block along each split dimension, with
// the corners in the first of them. Weight gradients are linear too and use the same parts.
//
//   %h = collective "exchange" %x : own rows -> own rows with halo     %0 = conv (%x, %w)
//   %y = conv (%h, %w)                                            =>   %b = collective "exchange" %x : -> rows before
//                                                                      %1 = conv (%b, %w, %0), likewise rows after
//
// This is not done where it costs more than it saves. It saves the copy of the own rows to a buffer with room for the
// halo. Each part passes once more over the rows of the result that it meets, or over a whole weight gradient, for
// every few taps.

#include "ir/pipeline_attribute.h"
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

/// The cost of calling a kernel, in elements moved: about ten microseconds.
constexpr std::int64_t elements_of_a_call = 32768;

/// Whether the exchange brings exactly what the windows of a split dimension touch outside the own block.
bool brings_halos(const Placement &from, const Placement &to) {
    for (std::size_t d = 0; d < from.dimensions.size(); ++d)
        if (from.dimensions[d].axes != to.dimensions[d].axes || to.dimensions[d].is_sparse())
            return false;
    return planrt::is_windowed(to) && from.partial.empty() && from.stored.empty();
}

/// A part of the halo: outside the own block along one dimension, within it along earlier dimensions, and the whole
/// range along later ones. Together with the own block, the parts are what the windows touch.
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

/// One rank's part of a convolution on own rows.
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

    /// Whether each position has an own row to read, and each row a position. Otherwise the kernels are slow or do not
    /// exist.
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

    /// The elements that are moved to add the contribution of this part of the first operand.
    [[nodiscard]] std::int64_t moved_for(const Box &part) const {
        if (planrt::volume(part) == 0)
            return 0;
        // the part of the other activation that this part meets
        std::int64_t far = planrt::volume(transposed_ ? x_ : y_);
        for (const std::string &loop : parts_.windows) {
            const Range whole = transposed_ ? of(parts_.x, x_, loop) : of(parts_.y, y_, loop);
            far = far / std::max<std::int64_t>(whole.size(), 1) * meets(part, loop, whole);
        }
        // Read and written, twice: the rows of a few taps stay in the cache.
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

    /// The rows of `whole` that touch those of the part or, transposed, are touched by them.
    [[nodiscard]] std::int64_t meets(const Box &part, const std::string &loop, Range whole) const {
        const ir::WindowNumbers numbers(conv_, parts_.window(loop));
        const planrt::Window window{1, kernel(loop), numbers.stride, numbers.dilation, numbers.before, !transposed_};
        const Range rows = of(transposed_ ? parts_.y : parts_.x, part, loop);
        return planrt::intersect(planrt::touched(window, rows, whole.end), whole).size();
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
    /// Whether only convolutions read it, with all dimensions in the order of the kernels.
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

    /// Whether, on every rank, the kernels can use the own rows, and adding the parts moves no more than copying the
    /// own rows.
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
        for (Value part : parts) {
            sum = builder.create<ir::ConvOp>(conv.getLoc(), tensor(sum), conv.getKindAttr(), conv.getSubscriptsAttr(),
                                             part, conv.getSecond(), sum, conv.getWindowsAttr(), conv.getKernelsAttr(),
                                             conv.getStridesAttr(), conv.getDilationsAttr(), conv.getPaddingsAttr(),
                                             conv.getLayerAttr(), conv.getPhaseAttr(), conv.getStrategyAttr());
            set_place(sum.getDefiningOp(), conv);
        }
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
        return "Let convolutions compute with own rows while their halos travel, and then add the contributions of the "
               "halos";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        const ir::MeshAttr mesh = ir::mesh_of_ranks(function);
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

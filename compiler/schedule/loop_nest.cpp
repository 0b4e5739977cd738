#include "schedule/loop_nest.h"

#include "ir/pointwise.h"
#include "schedule/functions.h"

#include <algorithm>

namespace planc::schedule {

LoopSpace dimensions_of(ir::TensorType type) {
    LoopSpace space;
    const ir::LayoutAttr layout = type.getLayout();
    for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents())) {
        LoopDimension dimension{role.str(), extent, {}, {}, {}};
        if (layout)
            for (auto [cut, axes, window] : llvm::zip(layout.getRoles(), layout.getAxes(), layout.getWindows())) {
                if (cut != role)
                    continue;
                for (mlir::Attribute axis : axes)
                    dimension.axes.push_back(mlir::cast<mlir::StringAttr>(axis).str());
                dimension.window = ir::LayoutAttr::windowOf(window);
            }
        space.push_back(std::move(dimension));
    }
    return space;
}

LoopSpace space_of(ir::TensorType type) {
    const LoopSpace dimensions = dimensions_of(type);
    if (!type.getLayout() || type.getLayout().getStored().empty())
        return dimensions;
    LoopDimension share{"share", type.elements(), {}, dimensions};
    for (mlir::StringAttr axis : type.getLayout().getStored())
        share.axes.push_back(axis.str());
    return {share};
}

bool is_loop(mlir::Operation *op) {
    return mlir::isa<ir::PointwiseOp, ir::ReduceOp>(op);
}

bool is_inline(mlir::Operation *op) {
    if (op == nullptr)
        return false;
    if (mlir::isa<ir::ConstantOp, ir::IotaOp, ir::RandomOp, ir::StepOp>(op))
        return true;
    return mlir::isa<ir::PointwiseOp>(op) && !tensor(op->getResult(0)).getRoles().empty() &&
           llvm::all_of(op->getUsers(), is_loop) &&
           llvm::all_of(op->getOperands(), [](mlir::Value operand) { return is_inline(operand.getDefiningOp()); });
}

LoopSpace space_of(mlir::Operation *op) {
    if (mlir::isa<ir::ReduceOp>(op))
        return space_of(tensor(op->getOperand(0)));
    return space_of(tensor(op->getResult(0)));
}

int depth_of(ir::TensorType type) {
    const bool is_share = type.getLayout() && !type.getLayout().getStored().empty();
    return is_share ? 1 : static_cast<int>(type.getRoles().size());
}

int depth_of(mlir::Operation *op) {
    return depth_of(tensor(mlir::isa<ir::ReduceOp>(op) ? op->getOperand(0) : op->getResult(0)));
}

bool is_prefix(const LoopSpace &prefix, const LoopSpace &space) {
    return prefix.size() <= space.size() && std::equal(prefix.begin(), prefix.end(), space.begin());
}

const LoopMember *LoopNest::producer(mlir::Value value) const {
    const mlir::Operation *op = value.getDefiningOp();
    const auto at = std::find_if(members.begin(), members.end(), [&](const LoopMember &m) { return m.op == op; });
    return op == nullptr || at == members.end() ? nullptr : &*at;
}

namespace {

LoopRole role_of(mlir::Operation *op, const LoopNest &nest, bool inner) {
    if (!mlir::isa<ir::ReduceOp>(op))
        return LoopRole::element;
    const ir::TensorType result = tensor(op->getResult(0));
    const bool row = inner && depth_of(result) == nest.outer && is_prefix(space_of(result), nest.space);
    return row ? LoopRole::reduces_row : LoopRole::accumulates;
}

int sweep_of(mlir::Operation *op, const LoopNest &nest) {
    int sweep = 0;
    for (mlir::Value operand : op->getOperands())
        if (const LoopMember *producer = nest.producer(operand))
            sweep = std::max(sweep, producer->sweep + (producer->role == LoopRole::reduces_row ? 1 : 0));
    return sweep;
}

/// Computes elements in the sweep that needs them first.
void delay(LoopNest &nest) {
    for (LoopMember &member : llvm::reverse(nest.members)) {
        if (!member.inner || member.role != LoopRole::element)
            continue;
        int first = nest.sweeps;
        for (const LoopMember &user : nest.members)
            for (mlir::Value operand : user.op->getOperands())
                if (operand.getDefiningOp() == member.op)
                    first = std::min(first, user.sweep);
        if (first < nest.sweeps)
            member.sweep = first;
    }
}

void find_kept(LoopNest &nest) {
    for (const LoopMember &member : nest.members)
        for (mlir::Value operand : member.op->getOperands()) {
            const LoopMember *producer = nest.producer(operand);
            if (producer != nullptr && producer->inner && producer->role == LoopRole::element && member.inner &&
                producer->sweep < member.sweep && !nest.is_made_again(*producer) &&
                !llvm::is_contained(nest.kept, operand))
                nest.kept.push_back(operand);
        }
}

} // namespace

bool LoopNest::is_made_again(const LoopMember &member) const {
    auto function = mlir::dyn_cast<ir::PointwiseOp>(member.op);
    if (!function || !member.inner || ir::find_pointwise(function.getFunction().str())->flops > 1)
        return false;
    return llvm::all_of(function.getInputs(), [&](mlir::Value operand) {
        const LoopMember *made = producer(operand);
        return made == nullptr ? depth_of(tensor(operand)) < static_cast<int>(space.size())
                               : !made->inner || made->role == LoopRole::reduces_row;
    });
}

LoopNest analyze_loops(const std::vector<mlir::Operation *> &operations, int outer) {
    LoopNest nest;
    nest.outer = outer;
    std::vector<mlir::Operation *> ops;
    for (mlir::Operation *op : operations)
        if (is_loop(op) && !is_inline(op))
            ops.push_back(op);
    mlir::Operation *deepest = nullptr;
    for (mlir::Operation *op : ops)
        if (deepest == nullptr || depth_of(op) >= depth_of(deepest))
            deepest = op;
    if (deepest != nullptr)
        nest.space = space_of(deepest);
    for (mlir::Operation *op : ops) {
        const bool inner = depth_of(op) == static_cast<int>(nest.space.size());
        nest.members.push_back({op, role_of(op, nest, inner), inner, sweep_of(op, nest)});
        nest.sweeps = std::max(nest.sweeps, nest.members.back().sweep + (inner ? 1 : 0));
    }
    delay(nest);
    find_kept(nest);
    return nest;
}

LoopNest analyze_loops(ir::LoopsOp loops) {
    std::vector<mlir::Operation *> operations;
    for (mlir::Operation &op : loops.getBody().front())
        operations.push_back(&op);
    return analyze_loops(operations, static_cast<int>(loops.getOuter()));
}

} // namespace planc::schedule

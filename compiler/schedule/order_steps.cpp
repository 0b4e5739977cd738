// Orders the operations: sources first, then forward, backward and update. Equal scalars are computed once. Within a
// layer's backward part, operations for which a collective waits come first, so that the rest of the layer is computed
// while the collective runs.

#include "schedule/functions.h"
#include "schedule/passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <map>
#include <vector>

namespace planc::schedule {

namespace {

bool is_source(mlir::Operation *op) {
    return mlir::isa<ir::ReadOp, ir::ConstantOp, ir::IotaOp, ir::RandomOp, ir::StepOp>(op);
}

bool communicates(mlir::Operation *op) {
    return llvm::any_of(op->getUsers(), [](mlir::Operation *user) {
        auto collective = mlir::dyn_cast<ir::CollectiveOp>(user);
        return collective && collective.getKind() != "slice";
    });
}

bool is_compute(mlir::Operation *op) {
    return is_kernel(op) || mlir::isa<ir::ReduceOp>(op);
}

/// The rank of an operation by its phase, but no lower than that of the operations whose results it takes.
int rank(mlir::Operation *op, llvm::DenseMap<mlir::Operation *, int> &ranks) {
    int result = is_source(op) ? -1 : section_of(op);
    for (mlir::Value operand : op->getOperands())
        if (mlir::Operation *producer = operand.getDefiningOp())
            result = std::max(result, ranks.lookup(producer));
    return ranks[op] = result;
}

void sort_by_part(mlir::Block &block) {
    llvm::DenseMap<mlir::Operation *, int> ranks;
    std::vector<mlir::Operation *> ops;
    for (mlir::Operation &op : block.without_terminator()) {
        rank(&op, ranks);
        ops.push_back(&op);
    }
    std::stable_sort(ops.begin(), ops.end(),
                     [&](mlir::Operation *a, mlir::Operation *b) { return ranks.lookup(a) < ranks.lookup(b); });
    for (mlir::Operation *op : ops)
        op->moveBefore(block.getTerminator());
}

/// What is made of sums over micro-batches, and runs once a step.
llvm::DenseSet<mlir::Operation *> made_of_sums(mlir::Block &block) {
    llvm::DenseSet<mlir::Operation *> made;
    mlir::SymbolTableCollection symbols;
    for (mlir::Operation &op : block)
        if (llvm::any_of(op.getOperands(), [&](mlir::Value operand) {
                return reads_accumulator(operand, symbols) || made.contains(operand.getDefiningOp());
            }))
            made.insert(&op);
    return made;
}

/// In a stage of a pipeline that defers weight gradients: everything of the backward pass for which no other stage
/// waits in this micro-batch. It is the same for all micro-batches, whose gradients are then added in their order; that
/// stages exchange sums after the last one does not matter.
void defer(mlir::func::FuncOp function) {
    const llvm::DenseSet<mlir::Operation *> once_a_step = made_of_sums(function.getBody().front());
    llvm::DenseSet<mlir::Operation *> needed;
    std::vector<mlir::Value> open;
    mlir::Operation *returned = function.getBody().front().getTerminator();
    for (mlir::OpOperand &result : returned->getOpOperands())
        if (is_sent(result) && !once_a_step.contains(result.get().getDefiningOp()))
            open.push_back(result.get());
    while (!open.empty()) {
        mlir::Operation *producer = open.back().getDefiningOp();
        open.pop_back();
        if (producer != nullptr && needed.insert(producer).second)
            open.insert(open.end(), producer->operand_begin(), producer->operand_end());
    }
    for (mlir::Operation &op : function.getBody().front().without_terminator())
        if (part_of(&op) == Part::backward && !is_source(&op) && !needed.contains(&op))
            op.setAttr("deferred", mlir::UnitAttr::get(function.getContext()));
}

/// Of two gradients of one layer, the one that is communicated comes first; if both are, the input's, for which the
/// layers below wait, comes before the weight's.
bool goes_before(mlir::Operation *op, mlir::Operation *previous) {
    if (!is_compute(op) || !is_compute(previous) || layer_of(op) != layer_of(previous) ||
        section_of(op) != section_of(previous) || llvm::is_contained(op->getOperands(), previous->getResult(0)) ||
        !communicates(op))
        return false;
    const bool input = phase_of(op) == "input gradient" && phase_of(previous) == "weight gradient";
    const bool weight = phase_of(op) == "weight gradient" && phase_of(previous) == "input gradient";
    return input || (weight && !communicates(previous));
}

void hoist_communicated(mlir::Block &block) {
    for (mlir::Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
        mlir::Operation *place = op.getPrevNode();
        mlir::Operation *target = nullptr;
        for (; place != nullptr && goes_before(&op, place); place = place->getPrevNode())
            target = place;
        if (target != nullptr)
            op.moveBefore(target);
    }
}

/// Computes equal scalars once: the rate in the parameters' element type, the factor of clipping.
void share_scalars(mlir::Block &block) {
    std::map<std::vector<const void *>, mlir::Value> known; // by what the scalar is made of
    for (auto op : llvm::make_early_inc_range(block.getOps<ir::PointwiseOp>())) {
        if (!tensor(op.getResult()).getRoles().empty())
            continue;
        std::vector<const void *> parts = {op.getFunctionAttr().getAsOpaquePointer(),
                                           op.getResult().getType().getAsOpaquePointer()};
        for (mlir::Value input : op.getInputs())
            parts.push_back(input.getAsOpaquePointer());
        if (const auto [same, is_new] = known.try_emplace(std::move(parts), op.getResult()); !is_new) {
            op.getResult().replaceAllUsesWith(same->second);
            op.erase();
        }
    }
}

struct OrderSteps : mlir::PassWrapper<OrderSteps, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderSteps)

    llvm::StringRef getArgument() const override { return "order-steps"; }
    llvm::StringRef getDescription() const override {
        return "Order the step: sources, forward, backward, update; gradients that are communicated before others of "
               "their layer";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        if (function->hasAttr("plan.defers"))
            defer(function);
        sort_by_part(function.getBody().front());
        share_scalars(function.getBody().front());
        hoist_communicated(function.getBody().front());
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> order_steps() {
    return std::make_unique<OrderSteps>();
}

} // namespace planc::schedule

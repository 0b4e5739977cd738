// A parameter whose gradient is not communicated is updated as soon as its old value is no longer needed. The gradient
// is then still in the cache, and its buffer becomes free for the next one. In a stage of a pipeline that passes
// gradients on, the stages before it wait for the end of its backward pass, so all updates come behind it.

#include "schedule/functions.h"
#include "schedule/micro_batch_kind.h"
#include "schedule/passes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

namespace planc::schedule {

namespace {

using mlir::Operation;
using mlir::Value;

bool is_source(Operation *op) {
    return mlir::isa<ir::ReadOp, ir::ConstantOp, ir::IotaOp, ir::RandomOp, ir::StepOp>(op);
}

/// Whether another stage waits for the backward pass of this one.
bool passes_gradients_on(mlir::func::FuncOp function) {
    return llvm::any_of(function.getBody().front().getTerminator()->getOpOperands(), [](mlir::OpOperand &result) {
        Operation *producer = result.get().getDefiningOp();
        return is_sent(result) && producer != nullptr && part_of(producer) == Part::backward;
    });
}

/// Whether an update may overwrite another version of the weights than it reads, which the backward pass still needs.
bool alternates(mlir::func::FuncOp function) {
    const program::Versions versions = kind_of(function).versions;
    return versions.written != versions.changed;
}

class Advance {
  public:
    explicit Advance(mlir::Block &block) : block_(block) {}

    void run(bool with_updates) {
        advance_numbers();
        if (!with_updates)
            return;
        collect();
        // All places are found before anything moves, because after a move MLIR numbers the whole block again.
        std::vector<Move> moves;
        for (const auto &[parameter, ops] : updates_)
            if (llvm::none_of(ops, [&](Operation *op) { return late_.contains(op); }))
                if (Operation *after = place_of(ops))
                    moves.push_back({after, &ops});
        for (const Move &move : moves)
            advance(move);
    }

  private:
    struct Move {
        Operation *after;
        const std::vector<Operation *> *ops;
    };

    /// Moves rates and similar values, which depend only on the number of the step, after the sources.
    void advance_numbers() {
        Operation *last = nullptr;
        for (Operation &op : block_.without_terminator())
            if (is_source(&op))
                last = &op;
        for (Operation &op : llvm::make_early_inc_range(block_.without_terminator())) {
            const bool known = part_of(&op) == Part::update && mlir::isa<ir::PointwiseOp>(op) &&
                               tensor(op.getResult(0)).getRoles().empty() &&
                               llvm::all_of(op.getOperands(), [&](Value operand) {
                                   Operation *producer = operand.getDefiningOp();
                                   return producer && !mlir::isa<ir::ReadOp>(producer) &&
                                          (is_source(producer) || numbers_.contains(producer));
                               });
            if (!known || last == nullptr)
                continue;
            op.moveAfter(last);
            last = &op;
            numbers_.insert(&op);
        }
    }

    /// The operations of each parameter's update, its writes last.
    void collect() {
        for (Operation &op : block_.without_terminator()) {
            if (part_of(&op) != Part::update || numbers_.contains(&op))
                continue;
            if (waits_for_communication(op) || section_of(&op) > first_update)
                late_.insert(&op);
            mlir::Attribute parameter = op.getAttr("parameter");
            if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
                if (Operation *producer = write.getValue().getDefiningOp())
                    parameter = producer->getAttr("parameter");
            if (parameter)
                updates_[parameter].push_back(&op);
        }
    }

    bool waits_for_communication(Operation &op) const {
        return llvm::any_of(op.getOperands(), [&](Value operand) {
            Operation *producer = operand.getDefiningOp();
            return producer && (mlir::isa<ir::CollectiveOp>(producer) || late_.contains(producer));
        });
    }

    /// The operation after which they can be placed: the last one that they need; null if they stay.
    static Operation *place_of(const std::vector<Operation *> &ops) {
        Operation *last = nullptr;
        for (Operation *op : ops)
            note_needed(*op, [&](Operation *other) {
                if (!llvm::is_contained(ops, other) && (last == nullptr || last->isBeforeInBlock(other)))
                    last = other;
            });
        const bool used_before = last == nullptr || llvm::any_of(ops, [&](Operation *op) {
                                     return llvm::any_of(op->getUsers(), [&](Operation *user) {
                                         return !llvm::is_contained(ops, user) && user->isBeforeInBlock(last);
                                     });
                                 });
        return used_before ? nullptr : last;
    }

    /// Moves all of them to one place, so that they become one loop.
    static void advance(const Move &move) {
        Operation *last = move.after;
        for (const bool writes : {false, true})
            for (Operation *op : *move.ops)
                if (mlir::isa<ir::WriteOp>(op) == writes) {
                    op->moveAfter(last);
                    last = op;
                }
    }

    /// Calls `note` for the operations that make the operands, and for those that need a variable before it is
    /// overwritten.
    static void note_needed(Operation &op, llvm::function_ref<void(Operation *)> note) {
        for (Value operand : op.getOperands())
            if (Operation *producer = operand.getDefiningOp()) {
                note(producer);
                if (mlir::isa<ir::ReadOp>(producer))
                    note_users(operand, note);
            }
    }

    static void note_users(Value value, llvm::function_ref<void(Operation *)> note) {
        for (Operation *user : value.getUsers()) {
            if (part_of(user) == Part::update || user->hasTrait<mlir::OpTrait::IsTerminator>())
                continue;
            note(user);
            if (mlir::isa<ir::ViewOp>(user))
                note_users(user->getResult(0), note);
            else if (auto collective = mlir::dyn_cast<ir::CollectiveOp>(user);
                     collective && collective.getKind() != "slice")
                note_first_user(collective.getResult(), note);
        }
    }

    /// A collective is under way, and reads the variable, until something needs its result.
    static void note_first_user(Value moved, llvm::function_ref<void(Operation *)> note) {
        Operation *first = nullptr;
        for (Operation *user : moved.getUsers())
            first = first == nullptr || user->isBeforeInBlock(first) ? user : first;
        if (first != nullptr && part_of(first) != Part::update && !first->hasTrait<mlir::OpTrait::IsTerminator>())
            note(first);
    }

    mlir::Block &block_;
    llvm::DenseSet<Operation *> numbers_; ///< that depend on the step's number alone
    llvm::DenseSet<Operation *> late_;    ///< updates of what is communicated
    llvm::MapVector<mlir::Attribute, std::vector<Operation *>> updates_;
};

struct AdvanceUpdates : mlir::PassWrapper<AdvanceUpdates, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AdvanceUpdates)

    llvm::StringRef getArgument() const override { return "advance-updates"; }
    llvm::StringRef getDescription() const override {
        return "Update parameters whose gradients are not communicated as soon as the old value is no longer needed";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        if (!ir::accumulates(function) && ir::is_training(function))
            Advance(function.getBody().front()).run(!passes_gradients_on(function) && !alternates(function));
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> advance_updates() {
    return std::make_unique<AdvanceUpdates>();
}

} // namespace planc::schedule

// Pointwise operations, reductions and updates become plan.loops; those over the same iteration space share one where
// that saves a pass over memory. An operation joins an earlier nest if
//   - it belongs to the same part of the step, and to the same layer where one of them belongs to the loss,
//   - it reads a value that the nest reads or makes, or has the nest's layer and iteration space,
//   - its operands are available at the place of the nest; or the nest can move to the operation, since nothing needs
//     it earlier,
//   - the values that it reads from the nest are complete where it runs; a sum over the outer loops is not,
//   - its iteration space is the nest's, a prefix of it, or longer than it with the nest's as a prefix.

#include "schedule/loop_nest.h"

#include "schedule/functions.h"
#include "schedule/passes.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace planc::schedule {

namespace {

using mlir::Operation;
using mlir::Value;

constexpr int undecided = -1;

/// Properties of an operation that are needed for each group that it may join.
struct Traits {
    LoopSpace space;
    std::string layer;
    int section;

    explicit Traits(Operation *op) : space(space_of(op)), layer(layer_of(op)), section(section_of(op)) {}
    [[nodiscard]] bool updates() const { return section >= first_update; }
};

struct Group {
    std::vector<Operation *> ops;
    Traits first; ///< of the first operation
    LoopSpace space;
    int outer = undecided;
    int place = 0;               ///< where it will stand: index in the block of the operation `anchor`
    Operation *anchor = nullptr; ///< one of its operations

    bool contains(Operation *op) const { return op != nullptr && llvm::is_contained(ops, op); }
};

/// How a group would look with one more operation.
struct Fit {
    LoopSpace space;
    int outer = undecided;
};

/// `shorter` runs once per iteration of the outer loops: these must be exactly its own.
bool decide_outer(int &outer, size_t shorter) {
    if (outer != undecided && outer != static_cast<int>(shorter))
        return false;
    outer = static_cast<int>(shorter);
    return true;
}

/// Whether this reduction of `space` would be complete after each row. Decides the outer loops if they are still open.
bool reduces_row(Operation *op, const LoopSpace &space, int &outer) {
    if (!mlir::isa<ir::ReduceOp>(op))
        return false;
    const LoopSpace result = space_of(tensor(op->getResult(0)));
    return !result.empty() && result.size() < space.size() && is_prefix(result, space) &&
           decide_outer(outer, result.size());
}

std::optional<Fit> fit(const Group &group, Operation *op, const LoopSpace &space) {
    if (!is_prefix(space, group.space) && !is_prefix(group.space, space))
        return std::nullopt;
    Fit fit{space.size() > group.space.size() ? space : group.space, group.outer};
    const size_t shorter = std::min(space.size(), group.space.size());
    if (space.size() != group.space.size() && (shorter == 0 || !decide_outer(fit.outer, shorter)))
        return std::nullopt;
    if (space.size() == fit.space.size())
        reduces_row(op, fit.space, fit.outer);
    return fit;
}

class Fusion {
  public:
    explicit Fusion(mlir::Block &block) : block_(block) {
        int index = 0;
        for (Operation &op : block)
            place_[&op] = index++;
    }

    void run() {
        for (Operation &op : block_)
            if (is_loop(&op) && !is_inline(&op))
                add(&op);
        for (Group &group : groups_)
            build(group);
    }

  private:
    void add(Operation *op) {
        const Traits traits(op);
        for (const size_t number : candidates(op)) {
            Group &group = groups_[number];
            if (const auto joined = may_join(group, op, traits)) {
                group.space = joined->space;
                group.outer = joined->outer;
                group.ops.push_back(op);
                if (!is_ready(group, op)) {
                    group.anchor = op;
                    group.place = place_.lookup(op);
                }
                for (Operation *member : group.ops)
                    place_[member] = group.place;
                return note(op, number);
            }
        }
        Group group{{op}, traits, traits.space, undecided, place_.lookup(op), op};
        reduces_row(op, group.space, group.outer);
        groups_.push_back(std::move(group));
        of_layer_[op->getAttr("layer")].push_back(groups_.size() - 1);
        note(op, groups_.size() - 1);
    }

    void note(Operation *op, size_t group) {
        makers_[op] = group;
        for (const Value operand : op->getOperands())
            if (may_be_shared(operand, groups_[group]))
                readers_[operand].push_back(group);
    }

    /// The groups that make or read a value of the operation's, and those of its layer; the latest first.
    std::vector<size_t> candidates(Operation *op) const {
        std::vector<size_t> numbers = of_layer_.lookup(op->getAttr("layer"));
        for (const Value operand : op->getOperands()) {
            if (const auto maker = makers_.find(operand.getDefiningOp()); maker != makers_.end())
                numbers.push_back(maker->second);
            if (const auto readers = readers_.find(operand); readers != readers_.end())
                numbers.insert(numbers.end(), readers->second.begin(), readers->second.end());
        }
        std::sort(numbers.begin(), numbers.end(), std::greater<>());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        return numbers;
    }

    std::optional<Fit> may_join(const Group &group, Operation *op, const Traits &traits) const {
        const Traits &first = group.first;
        const bool loss = first.layer == "loss" || traits.layer == "loss";
        // Only the loss is fused across sections: its forward with its backward pass.
        const bool may_differ = loss && !first.updates() && !traits.updates();
        if ((first.section != traits.section && !may_differ) || (loss && first.layer != traits.layer) ||
            !(shares_a_value(group, op) || is_alike(group, traits)))
            return std::nullopt;
        if (!is_ready(group, op) && !may_move(group, op))
            return std::nullopt;
        auto fitting = fit(group, op, traits.space);
        if (fitting && !uses_are_complete(group, *fitting, op))
            return std::nullopt;
        return fitting;
    }

    /// A scalar that both read is no reason to share a nest, because nothing is saved.
    static bool may_be_shared(Value value, const Group &group) {
        return (!tensor(value).getRoles().empty() || group.space.empty()) && !is_inline(value.getDefiningOp());
    }

    static bool shares_a_value(const Group &group, Operation *op) {
        return llvm::any_of(op->getOperands(), [&](Value operand) {
            return may_be_shared(operand, group) &&
                   (group.contains(operand.getDefiningOp()) || llvm::any_of(group.ops, [&](Operation *other) {
                        return llvm::is_contained(other->getOperands(), operand);
                    }));
        });
    }

    static bool is_alike(const Group &group, const Traits &traits) {
        return group.first.layer == traits.layer && traits.space == group.space && !group.space.empty();
    }

    /// Whether the operands are available at the place of the group.
    bool is_ready(const Group &group, Operation *op) const {
        return llvm::all_of(op->getOperands(), [&](Value operand) {
            Operation *producer = operand.getDefiningOp();
            return producer == nullptr || is_inline(producer) || group.contains(producer) ||
                   place_.lookup(producer) < group.place;
        });
    }

    /// Whether no operation before `op` uses the group's results.
    bool may_move(const Group &group, Operation *op) const {
        return llvm::all_of(group.ops, [&](Operation *member) {
            return llvm::all_of(member->getUsers(), [&](Operation *user) {
                return group.contains(user) || place_.lookup(user) >= place_.lookup(op);
            });
        });
    }

    /// Whether the operation uses only elements and complete rows of the values made in the nest.
    static bool uses_are_complete(const Group &group, const Fit &fit, Operation *op) {
        std::vector<Operation *> ops = group.ops;
        ops.push_back(op);
        const int rank = static_cast<int>(fit.space.size());
        const LoopNest nest = analyze_loops(ops, fit.outer == undecided ? rank : fit.outer);
        for (Operation *user : ops)
            for (Value operand : user->getOperands()) {
                const LoopMember *producer = nest.producer(operand);
                if (producer != nullptr && producer->role == LoopRole::accumulates)
                    return false;
            }
        return true;
    }

    void build(Group &group) {
        const int outer = group.outer == undecided ? static_cast<int>(group.space.size()) : group.outer;
        const LoopNest nest = analyze_loops(group.ops, outer);
        llvm::SmallVector<Value> results;
        for (Operation *op : group.ops)
            for (Value value : op->getResults()) {
                const bool leaves = llvm::any_of(value.getUsers(), [&](Operation *u) { return !group.contains(u); });
                if (leaves || llvm::is_contained(nest.kept, value))
                    results.push_back(value);
            }
        Operation *first = group.ops.front();
        mlir::OpBuilder builder(group.anchor);
        auto loops = builder.create<ir::LoopsOp>(first->getLoc(), mlir::ValueRange(results).getTypes(), outer,
                                                 mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(loops, first);
        mlir::Block *body = builder.createBlock(&loops.getBody());
        clone_sources(group, body);
        for (Operation *op : group.ops)
            op->moveBefore(body, body->end());
        builder.setInsertionPointToEnd(body);
        builder.create<ir::YieldOp>(first->getLoc(), results);
        for (auto [inside, outside] : llvm::zip(results, loops.getResults()))
            inside.replaceUsesWithIf(outside, [&](mlir::OpOperand &use) { return use.getOwner()->getBlock() != body; });
    }

    /// Copies operations that are computed inline into the nest that uses them.
    static void clone_sources(const Group &group, mlir::Block *body) {
        mlir::OpBuilder builder(body, body->end());
        llvm::DenseMap<Value, Value> clones;
        for (Operation *op : group.ops)
            for (mlir::OpOperand &operand : op->getOpOperands())
                if (is_inline(operand.get().getDefiningOp()))
                    operand.set(clone_source(operand.get(), builder, clones));
    }

    static Value clone_source(Value value, mlir::OpBuilder &builder, llvm::DenseMap<Value, Value> &clones) {
        if (const Value clone = clones.lookup(value))
            return clone;
        llvm::SmallVector<Value> operands;
        for (Value operand : value.getDefiningOp()->getOperands())
            operands.push_back(clone_source(operand, builder, clones));
        Operation *clone = builder.clone(*value.getDefiningOp());
        clone->setOperands(operands);
        return clones[value] = clone->getResult(0);
    }

    mlir::Block &block_;
    llvm::DenseMap<Operation *, int> place_; ///< of a member: its group's
    std::vector<Group> groups_;
    // Numbers of groups.
    llvm::DenseMap<Operation *, size_t> makers_;
    llvm::DenseMap<Value, std::vector<size_t>> readers_;
    llvm::DenseMap<mlir::Attribute, std::vector<size_t>> of_layer_; ///< of a group's first operation
};

/// A source that is used outside of loops needs a buffer, which a loop of its own fills.
void store_sources(mlir::Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
        if (!is_inline(&op))
            continue;
        const Value source = op.getResult(0);
        const auto stored = [](mlir::OpOperand &use) { return !is_loop(use.getOwner()); };
        if (!llvm::any_of(source.getUses(), stored))
            continue;
        mlir::OpBuilder builder(op.getContext());
        builder.setInsertionPointAfter(&op);
        auto copy = builder.create<ir::PointwiseOp>(op.getLoc(), source.getType(), "identity", source,
                                                    mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(copy, &op);
        op.getResult(0).replaceUsesWithIf(copy.getResult(), stored);
    }
}

struct FuseLoops : mlir::PassWrapper<FuseLoops, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseLoops)

    llvm::StringRef getArgument() const override { return "fuse-loops"; }
    llvm::StringRef getDescription() const override {
        return "Put pointwise operations, reductions and updates into loops, those over the same iteration space into "
               "one";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        mlir::Block &block = function.getBody().front();
        store_sources(block);
        Fusion(block).run();
        for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
            if (is_inline(&op) && op.use_empty())
                op.erase();
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> fuse_loops() {
    return std::make_unique<FuseLoops>();
}

} // namespace planc::schedule

// Every value gets its place in one arena: variables first, then a step's inputs, then temporaries by their lifetimes.
// Entry functions never run at the same time, so all of them begin after the variables. If several micro-batches are in
// flight, values that outlive a body, inputs included, lie in slots after the variables, one slot for each micro-batch;
// temporaries follow. Where a role has several stages of a pipeline, a slot has a place for each of them, and so has
// the memory for evaluation and for prediction: what one stage passes on is still there while others run.
//
// A result takes over the buffer of an operand that dies there if that is safe: in loops, if each point is read before
// it is written; in products and convolutions, for the accumulator; in all-reduces, for the input. In loops, it may
// also take over the buffer of another result that only the loops themselves read. An updated variable is written in
// place.

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "schedule/arena.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/loop_nest.h"
#include "schedule/passes.h"
#include "schedule/segments.h"
#include "schedule/slots.h"
#include "schedule/stage_transfers.h"
#include "schedule/staged.h"
#include "schedule/step_program.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace planc::schedule {

namespace {

using mlir::Operation;
using mlir::Value;

/// The last sweep of a nest that reads `root`, or its buffer; -1 if it is not read point by point.
int last_pointwise_read(const LoopNest &nest, Value root) {
    int last = 0;
    for (const LoopMember &member : nest.members)
        for (Value operand : member.op->getOperands()) {
            if (buffer_root(operand) != root)
                continue;
            if (!member.inner || space_of(tensor(operand)) != nest.space)
                return -1;
            last = std::max(last, member.sweep);
        }
    return last;
}

class Assignment {
  public:
    Assignment(mlir::func::FuncOp function, ScratchSizes &sizes)
        : function_(function), mesh_(ir::mesh_of_ranks(function)), sizes_(sizes), builder_(function.getContext()) {}

    /// Reserves memory beside the inputs for a transfer between stages. `placed` gets the place.
    void reserve(int64_t bytes, std::function<void(int64_t)> placed) {
        scratch_of_transfers_.emplace_back(bytes, std::move(placed));
    }

    /// Places everything after the inputs by lifetime, from `base` on. Returns the end of what the function uses.
    int64_t run(int64_t base) {
        base_ = base;
        find_buffers();
        const Placed placed = place(lifetimes_);
        for (int64_t offset : placed.offsets)
            offsets_.push_back(inputs_end_ + offset);
        write_all();
        return inputs_end_ + placed.bytes;
    }

    /// With slots there are two steps. The first places the values in one slot, from `base` on, and returns the bytes
    /// that they take there.
    int64_t run_in_slots(int64_t base) {
        base_ = base;
        find_buffers();
        std::vector<Lifetime> kept;
        for (const Lifetime &lifetime : lifetimes_)
            if (outlives_its_body(lifetime))
                kept.push_back(lifetime);
        in_slot_ = place(kept);
        return inputs_end_ - base_ + aligned(in_slot_.bytes);
    }
    /// The second step: places the rest after the slots, which all have the same size. `last`: how far behind the first
    /// the last slot is that the function uses. Returns the end of what it uses.
    int64_t place_behind_slots(int64_t last, int64_t slots_end) {
        std::vector<Lifetime> passing;
        for (const Lifetime &lifetime : lifetimes_)
            if (!outlives_its_body(lifetime))
                passing.push_back(lifetime);
        const Placed placed = place(passing);
        auto kept = in_slot_.offsets.begin();
        auto other = placed.offsets.begin();
        for (const Lifetime &lifetime : lifetimes_)
            offsets_.push_back(outlives_its_body(lifetime) ? inputs_end_ + *kept++ : slots_end + *other++);
        write_all();
        return placed.bytes > 0 ? slots_end + placed.bytes : last + inputs_end_ + in_slot_.bytes;
    }

  private:
    static constexpr int in_variable = -1;

    /// Where a value lies: in a buffer of its own or taken over, or in a variable.
    struct Location {
        int buffer = in_variable;
        int64_t offset = 0; ///< of the variable
    };

    mlir::Block &block() { return function_.getBody().front(); }

    void find_buffers() {
        number_operations();
        find_last_uses();
        inputs_end_ = place_inputs();
        for (Operation &op : block())
            visit(&op);
    }

    void write_all() {
        for (Operation &op : block())
            write_offsets(&op);
    }

    /// Whether the value is used in another body than the one in which it begins.
    bool outlives_its_body(const Lifetime &lifetime) {
        if (body_of_.empty()) {
            body_of_.resize(index_.size(), -1);
            const Segments parts = segments(block());
            for (size_t part = 0; part < parts.size(); ++part)
                for (Operation *op : parts[part])
                    body_of_[static_cast<size_t>(index_.lookup(op))] = body(static_cast<int>(part));
        }
        int body = -1;
        for (int at = lifetime.begin; at <= lifetime.end; ++at) {
            const int here = body_of_[static_cast<size_t>(at)];
            if (here >= 0 && body >= 0 && here != body)
                return true;
            body = here >= 0 ? here : body;
        }
        return lifetime.end == index_.lookup(block().getTerminator()); // a result
    }

    /// Where the weights change within the step, an update runs at once behind the backward pass of its micro-batch:
    /// nothing comes between, and they count as one body.
    [[nodiscard]] int body(int section) {
        const bool at_once = ir::kind_number(function_) >= 0 && section >= first_update;
        return !at_once ? section : function_->hasAttr("plan.defers") ? first_update - 1 : first_update - 2;
    }

    void number_operations() {
        int index = 0;
        for (Operation &op : block()) {
            index_[&op] = index++;
            if (auto read = mlir::dyn_cast<ir::ReadOp>(op))
                reads_[read.getVariableAttr().getAttr()].push_back(read);
            if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
                writes_[write.getVariableAttr().getAttr()].push_back(write);
        }
    }

    void find_last_uses() {
        for (Operation &op : block()) {
            op.walk([&](Operation *inner) {
                for (Value operand : inner->getOperands())
                    read(operand, last_run(&op));
            });
            if (auto wait = mlir::dyn_cast<ir::WaitOp>(op))
                if (auto start = wait.getPending().front().getDefiningOp<ir::StartOp>()) {
                    const int end = index_[wait->hasAttr(staged_attribute) ? products_of(wait).back() : &op];
                    for (Value input : start.getInputs()) {
                        hold(input, end);
                        readers_[buffer_root(input)].emplace_back(start, end);
                    }
                }
        }
    }

    /// Products with pieces take turns, so all of them read their operands until the last one, and write from the
    /// first.
    int last_run(Operation *op) {
        const ir::WaitOp wait = staged_wait(op);
        return index_[wait ? products_of(wait).back() : op];
    }
    int first_run(Operation *op) {
        const ir::WaitOp wait = staged_wait(op);
        return index_[wait ? products_of(wait).front() : op];
    }

    void read(Value value, int at) {
        last_read_[buffer_root(value)] = at;
        hold(value, at);
    }

    void hold(Value value, int until) {
        int &last = last_use_[buffer_root(value)];
        last = std::max(last, until);
    }

    int64_t place_inputs() {
        int64_t offset = base_;
        for (mlir::BlockArgument argument : function_.getArguments()) {
            function_.setArgAttr(argument.getArgNumber(), "plan.offset", builder_.getI64IntegerAttr(offset));
            offset += aligned(buffer_bytes(tensor(argument), mesh_));
        }
        for (const auto &[bytes, placed] : scratch_of_transfers_) {
            placed(offset);
            offset += aligned(bytes);
        }
        return offset;
    }

    void visit(Operation *op) {
        if (mlir::isa<ir::ViewOp, ir::WaitOp, ir::ReadOp>(op))
            return;
        for (Value result : op->getResults())
            locations_[result] = locate(op, result);
        if (auto start = mlir::dyn_cast<ir::StartOp>(op))
            if (const int64_t bytes = sizes_.bytes(start, mesh_); bytes > 0)
                scratch_[op] = new_buffer(bytes, index_[op], last_use_[start.getResults().front()]);
    }

    Location locate(Operation *op, Value result) {
        if (const auto offset = variable_place(op, result))
            return {in_variable, *offset};
        if (const auto offset = accumulator_place(op, result))
            return {in_variable, *offset};
        const int end = std::max(last_run(op), last_use_.lookup(result));
        if (const Value operand = replaced_operand(op, result)) {
            const int buffer = locations_.lookup(buffer_root(operand)).buffer;
            lifetimes_[static_cast<size_t>(buffer)].end = end;
            taken_.insert(buffer_root(operand));
            return {buffer, 0};
        }
        const bool integers = tensor(result).getElementType().isInteger();
        // Integers and floating-point numbers never share a place: C++ lets accesses of unlike types change order.
        return {new_buffer(buffer_bytes(result, mesh_), integers ? 0 : first_run(op),
                           integers ? index_[block().getTerminator()] : end),
                0};
    }

    int new_buffer(int64_t bytes, int begin, int end) {
        lifetimes_.push_back({bytes, begin, end});
        return static_cast<int>(lifetimes_.size()) - 1;
    }

    /// The place of the variable to which a value is written, if its old value is not needed after this operation.
    std::optional<int64_t> variable_place(Operation *op, Value result) {
        auto loops = mlir::dyn_cast<ir::LoopsOp>(op);
        if (!loops && !mlir::isa<ir::StartOp>(op) && !begins_sum(op))
            return std::nullopt;
        for (ir::WriteOp write : writes_of(result)) {
            auto variable = symbols_.lookupNearestSymbolFrom<ir::VariableOp>(op, write.getVariableAttr());
            bool free = tensor(result) == mlir::cast<ir::TensorType>(variable.getType());
            for (ir::ReadOp read : reads_.lookup(write.getVariableAttr().getAttr()))
                free = free && (loops ? may_overwrite(loops, result, read.getResult())
                                      : last_use_.lookup(read.getResult()) < index_[op]);
            if (free)
                return variable->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
        }
        return std::nullopt;
    }

    /// Whether it is a product that is written to a variable as it is.
    static bool begins_sum(Operation *op) {
        auto gemm = mlir::dyn_cast<ir::GemmOp>(op);
        return gemm && !gemm.getAccumulator();
    }

    /// The writes of a value, or of a collective's result after its wait.
    static llvm::SmallVector<ir::WriteOp> writes_of(Value result) {
        llvm::SmallVector<ir::WriteOp> writes;
        for (mlir::OpOperand &use : result.getUses()) {
            if (auto write = mlir::dyn_cast<ir::WriteOp>(use.getOwner()))
                writes.push_back(write);
            else if (auto wait = mlir::dyn_cast<ir::WaitOp>(use.getOwner()))
                writes.append(writes_of(wait->getResult(use.getOperandNumber())));
        }
        return writes;
    }

    /// The place of a sum over micro-batches, or of a variable into which a product is accumulated, if its old value
    /// ends here. The new sum takes this place.
    std::optional<int64_t> accumulator_place(Operation *op, Value result) {
        std::optional<int64_t> place;
        op->walk([&](Operation *inner) {
            for (Value operand : inner->getOperands())
                if ((reads_accumulator(operand, symbols_) || is_scaled_variable(inner, operand)) &&
                    !is_written_otherwise(operand, result) && takes_over(op, result, operand))
                    place = offset_of(operand);
        });
        if (place && !taken_places_.insert(*place).second)
            return std::nullopt;
        return place;
    }

    static bool is_scaled_variable(Operation *op, Value operand) {
        auto gemm = mlir::dyn_cast<ir::GemmOp>(op);
        return gemm && gemm.getBeta() && gemm.getAccumulator() == operand && operand.getDefiningOp<ir::ReadOp>() &&
               !staged_wait(op); // another product may read the variable with the next piece
    }

    /// Whether the function writes another value than `result` to the variable from which `old` was read.
    bool is_written_otherwise(Value old, Value result) {
        const auto variable = old.getDefiningOp<ir::ReadOp>().getVariableAttr().getAttr();
        return llvm::any_of(writes_.lookup(variable), [&](ir::WriteOp write) { return write.getValue() != result; });
    }

    bool takes_over(Operation *op, Value result, Value old) {
        if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op))
            return gemm.getAccumulator() == old;
        auto loops = mlir::dyn_cast<ir::LoopsOp>(op);
        return loops && tensor(result) == tensor(old) && last_use_.lookup(old) == index_[op] &&
               may_overwrite(loops, result, old);
    }

    /// Whether `result` may take the place of `old`, which ends with this operation.
    bool may_overwrite(ir::LoopsOp loops, Value result, Value old) {
        if (last_use_.lookup(old) < index_[loops])
            return true;
        if (last_use_.lookup(old) > index_[loops] || tensor(old).getElementType() != tensor(result).getElementType())
            return false;
        const LoopNest &nest = nest_of(loops);
        const Value inside =
            loops.getBody().front().getTerminator()->getOperand(mlir::cast<mlir::OpResult>(result).getResultNumber());
        const LoopMember *producer = nest.producer(inside);
        if (!is_point(nest, producer))
            return false;
        const int last = last_pointwise_read(nest, old);
        return last >= 0 && last <= producer->sweep;
    }

    /// Cached, because the same nest is needed for each of its operands and results.
    const LoopNest &nest_of(ir::LoopsOp loops) {
        if (nest_.first != loops)
            nest_ = {loops, analyze_loops(loops)};
        return nest_.second;
    }

    bool dies_at(Value value, Operation *op) {
        const Value root = buffer_root(value);
        const auto at = locations_.find(root);
        return at != locations_.end() && at->second.buffer != in_variable && last_use_.lookup(root) == index_[op] &&
               !taken_.contains(root);
    }

    Value replaced_operand(Operation *op, Value result) {
        if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op))
            return gemm.getAccumulator() && dies_at(gemm.getAccumulator(), op) ? gemm.getAccumulator() : Value();
        if (auto conv = mlir::dyn_cast<ir::ConvOp>(op))
            return conv.getAccumulator(); // has no other use
        if (auto start = mlir::dyn_cast<ir::StartOp>(op)) {
            const Value input = start.getInputs()[mlir::cast<mlir::OpResult>(result).getResultNumber()];
            return start.getKind() == "all_reduce" && is_last_reader(start, input) && is_temporary(input) ? input
                                                                                                          : Value();
        }
        auto loops = mlir::dyn_cast<ir::LoopsOp>(op);
        if (!loops)
            return {};
        for (Operation &inner : loops.getBody().front())
            for (Value operand : inner.getOperands())
                if (operand.getParentBlock() == &block() && dies_at(operand, op) &&
                    may_overwrite(loops, result, buffer_root(operand)))
                    return operand;
        return replaced_result(loops, result);
    }

    /// Another result of the loops that is kept only between sweeps, and is no longer needed when `result` is written.
    Value replaced_result(ir::LoopsOp loops, Value result) {
        const auto is_kept = [&](Value other) { return other != result && other.use_empty(); };
        if (llvm::none_of(loops.getResults(), is_kept))
            return {};
        const LoopNest &nest = nest_of(loops);
        const auto inside = loops.getBody().front().getTerminator()->getOperands();
        const LoopMember *const writer = nest.producer(inside[mlir::cast<mlir::OpResult>(result).getResultNumber()]);
        for (const auto &[value, other] : llvm::zip(inside, loops.getResults())) {
            const LoopMember *const kept = nest.producer(value);
            const auto at = locations_.find(other);
            if (!is_kept(other) || at == locations_.end() || at->second.buffer == in_variable ||
                taken_.contains(other) || tensor(other) != tensor(result) || !is_point(nest, writer) ||
                !is_point(nest, kept) || kept->sweep >= writer->sweep)
                continue;
            const int last = last_pointwise_read(nest, value);
            if (last >= 0 && last <= writer->sweep)
                return other;
        }
        return {};
    }

    /// Whether nothing reads the value after the collective has begun, nor any collective that is still in flight then.
    bool is_last_reader(ir::StartOp start, Value input) {
        const Value root = buffer_root(input);
        return last_read_.lookup(root) == index_[start] && llvm::none_of(readers_[root], [&](const auto &reader) {
                   return reader.first != start && reader.second > index_[start];
               });
    }

    static bool is_point(const LoopNest &nest, const LoopMember *member) {
        return member != nullptr && member->inner && member->role == LoopRole::element &&
               space_of(tensor(member->op->getResult(0))) == nest.space;
    }

    bool is_temporary(Value value) {
        const Value root = buffer_root(value);
        const auto at = locations_.find(root);
        return at != locations_.end() && at->second.buffer != in_variable && !taken_.contains(root);
    }

    void write_offsets(Operation *op) {
        const auto offset = [&](int buffer) { return offsets_[static_cast<size_t>(buffer)]; };
        llvm::SmallVector<int64_t> offsets;
        for (Value result : op->getResults())
            if (const auto at = locations_.find(result); at != locations_.end())
                offsets.push_back(at->second.buffer == in_variable ? at->second.offset : offset(at->second.buffer));
        if (!offsets.empty())
            op->setAttr("offsets", builder_.getDenseI64ArrayAttr(offsets));
        if (const auto at = scratch_.find(op); at != scratch_.end()) {
            op->setAttr("scratch_offset", builder_.getI64IntegerAttr(offset(at->second)));
            op->setAttr("scratch_bytes", builder_.getI64IntegerAttr(lifetimes_[static_cast<size_t>(at->second)].bytes));
        }
    }

    mlir::func::FuncOp function_;
    ir::MeshAttr mesh_;
    ScratchSizes &sizes_;
    int64_t base_ = 0;
    mlir::Builder builder_;
    mlir::SymbolTableCollection symbols_;
    llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<ir::ReadOp>> reads_; ///< by variable
    llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<ir::WriteOp>> writes_;
    llvm::DenseMap<Operation *, int> index_;
    llvm::DenseMap<Value, int> last_read_; ///< by the root of the buffer: the last operation with it as an operand
    llvm::DenseMap<Value, int> last_use_;  ///< the same, with the waits until which collectives use it
    /// By the same: the collectives that read it, and when each is waited for.
    llvm::DenseMap<Value, llvm::SmallVector<std::pair<ir::StartOp, int>>> readers_;
    llvm::DenseMap<Value, Location> locations_;
    llvm::DenseMap<Operation *, int> scratch_;
    std::pair<Operation *, LoopNest> nest_; ///< the last one requested
    std::vector<Lifetime> lifetimes_;
    std::vector<int64_t> offsets_; ///< by lifetime
    std::vector<std::pair<int64_t, std::function<void(int64_t)>>> scratch_of_transfers_;
    int64_t inputs_end_ = 0;
    Placed in_slot_;                 ///< of lifetimes that outlive their body
    std::vector<int> body_of_;       ///< by operation: its segment
    llvm::DenseSet<Value> taken_;    ///< values whose buffers another value has taken over
    std::set<int64_t> taken_places_; ///< of sums over micro-batches
};

/// Every role has an arena of its own. Returns the ends of the variables, by role.
std::vector<int64_t> place_variables(mlir::ModuleOp module) {
    mlir::Builder builder(module.getContext());
    llvm::DenseMap<mlir::StringAttr, mlir::IntegerAttr> places;
    std::vector<int64_t> ends(static_cast<size_t>(ir::role_count(module)), 0);
    for (auto variable : module.getOps<ir::VariableOp>()) {
        const int role = role_of(variable);
        int64_t &offset = ends[static_cast<size_t>(role)];
        const mlir::IntegerAttr place = builder.getI64IntegerAttr(offset);
        variable->setAttr("offset", place);
        places[variable.getSymNameAttr()] = place;
        const auto type = mlir::cast<ir::TensorType>(variable.getType());
        offset += aligned(buffer_bytes(type, ir::mesh_of_role(module, role)));
    }
    for (mlir::func::FuncOp function : ir::entry_functions(module))
        for (auto read : function.getOps<ir::ReadOp>())
            read->setAttr("offset", places.lookup(read.getVariableAttr().getAttr()));
    return ends;
}

struct AssignBuffers : mlir::PassWrapper<AssignBuffers, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignBuffers)

    llvm::StringRef getArgument() const override { return "assign-buffers"; }
    llvm::StringRef getDescription() const override {
        return "Give every value its place in one arena, in place where an operand dies";
    }

    void runOnOperation() override {
        const std::vector<int64_t> bases = place_variables(getOperation());
        ScratchSizes sizes;
        std::deque<Assignment> assignments;
        AssignmentOf assignment_of;
        for (mlir::func::FuncOp function : ir::entry_functions(getOperation()))
            assignment_of[function] = &assignments.emplace_back(function, sizes);
        reserve_for_transfers(assignment_of);
        std::vector<int64_t> ends = bases;
        for (int role = 0; role < static_cast<int>(bases.size()); ++role)
            for (const ir::Purpose purpose : {ir::Purpose::training, ir::Purpose::evaluation, ir::Purpose::prediction})
                ends[static_cast<size_t>(role)] =
                    std::max(ends[static_cast<size_t>(role)],
                             place(functions_of(role, purpose), bases[static_cast<size_t>(role)], assignment_of));
        set_arenas(getOperation(), ends);
    }

  private:
    mlir::IntegerAttr number(int64_t value) { return mlir::Builder(&getContext()).getI64IntegerAttr(value); }

    using AssignmentOf = llvm::DenseMap<Operation *, Assignment *>;

    /// By stage, ascending.
    using ByStage = std::map<int, std::vector<mlir::func::FuncOp>>;
    ByStage functions_of(int role, ir::Purpose purpose) {
        ByStage functions;
        for (mlir::func::FuncOp function : ir::entry_functions(getOperation()))
            if (ir::role_of(function) == role && ir::purpose_of(function) == purpose)
                functions[ir::stage_of(function)].push_back(function);
        return functions;
    }

    /// Ranks that send or receive parts of their blocks pack them. It is done in the slot, since each micro-batch in
    /// flight may travel.
    void reserve_for_transfers(const AssignmentOf &assignment_of) {
        const planrt::Mesh mesh = ir::mesh_of(ir::mesh_attribute(getOperation()));
        for (const StageTransfer &transfer : stage_transfers(getOperation())) {
            const int64_t bytes = scratch_bytes(transfer.info(), mesh);
            const auto reserve = [&](mlir::func::FuncOp side, const std::vector<const char *> &names) {
                assignment_of.lookup(side)->reserve(
                    bytes, [this, to = transfer.to, argument = transfer.argument, names](int64_t place) mutable {
                        for (const char *name : names)
                            to.setArgAttr(argument, name, number(place));
                    });
            };
            if (transfer.stays()) { // packs both ways in one place
                reserve(transfer.to, {"plan.from_scratch", "plan.to_scratch"});
                continue;
            }
            reserve(transfer.from, {"plan.from_scratch"});
            reserve(transfer.to, {"plan.to_scratch"});
        }
    }

    /// Places the functions of one role and purpose. Returns the end of what they use.
    int64_t place(const ByStage &functions, int64_t base, const AssignmentOf &assignment_of) {
        if (functions.empty())
            return base;
        mlir::func::FuncOp first = functions.begin()->second.front();
        if (ir::is_training(first) && (ir::slots_of(first) > 1 || functions.size() > 1))
            return place_in_slots(functions, base, assignment_of);
        for (const auto &[stage, own] : functions) {
            int64_t end = base;
            for (mlir::func::FuncOp function : own)
                end = std::max(end, assignment_of.lookup(function)->run(base));
            base = end;
        }
        return base;
    }

    /// Functions of micro-batches that are in flight at the same time share the slots and the memory after them.
    int64_t place_in_slots(const ByStage &functions, int64_t base, const AssignmentOf &assignment_of) {
        int64_t slot_end = base;
        for (const auto &[stage, own] : functions) {
            int64_t bytes = 0;
            for (mlir::func::FuncOp function : own)
                bytes = std::max(bytes, assignment_of.lookup(function)->run_in_slots(slot_end));
            slot_end += bytes;
        }
        const int64_t bytes = std::max(slot_end - base, aligned(1)); // a slot has a size, whatever outlives a body
        int64_t end = base;
        for (const auto &[stage, own] : functions)
            for (mlir::func::FuncOp function : own) {
                function->setAttr("plan.slot_offset", number(base));
                function->setAttr("plan.slot_bytes", number(bytes));
                const int64_t slots_end = base + ir::slots_of(function) * bytes;
                end = std::max(
                    end, assignment_of.lookup(function)->place_behind_slots(last_slot(function) * bytes, slots_end));
            }
        return end;
    }
};

} // namespace

std::unique_ptr<mlir::Pass> assign_buffers() {
    return std::make_unique<AssignBuffers>();
}

} // namespace planc::schedule

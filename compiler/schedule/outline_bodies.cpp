// Cuts the training functions into bodies: forward, backward and update. A table maker decides when each of them runs,
// and on which micro-batch; the result is the step program. Here all ranks have one role.

#include "program/makers.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/passes.h"
#include "schedule/segments.h"
#include "schedule/step_program.h"

namespace planc::schedule {

namespace {

using mlir::Operation;
using mlir::Value;

/// A body under construction: operations of a training function, the values that they take from others, and the values
/// that others take from them.
struct Segment {
    Part part = Part::forward;
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> inputs;
    std::vector<Value> outputs;
};

/// Cuts one training function into bodies.
class Outlining {
  public:
    Outlining(mlir::func::FuncOp function, mlir::SymbolTable &symbols, program::Program &program)
        : function_(function), symbols_(symbols), program_(program), builder_(function) {}

    /// Returns the indices of the bodies. The function is erased.
    std::vector<int> run() {
        const Segments parts = segments(block());
        for (size_t part = 0; part < parts.size(); ++part)
            if (!parts[part].empty())
                segments_.push_back(segment(static_cast<Part>(part), parts[part]));
        for (mlir::OpOperand &returned : block().getTerminator()->getOpOperands())
            if (returned.getOperandNumber() == 0 && !ir::accumulates(function_))
                loss_ = returned.get();
        block().getTerminator()->dropAllReferences();
        std::vector<int> bodies;
        for (const Segment &segment : segments_)
            bodies.push_back(make_body(segment));
        if (loss_)
            program_.loss = value_of(loss_);
        symbols_.erase(function_);
        return bodies;
    }

  private:
    mlir::Block &block() { return function_.getBody().front(); }

    Segment segment(Part part, const std::vector<Operation *> &ops) {
        Segment result{part, {ops.begin(), ops.end()}, {}, {}};
        for (Operation *op : ops)
            op->walk([&](Operation *inner) {
                for (Value operand : inner->getOperands()) {
                    const bool local = operand.getParentBlock() != &block();
                    Operation *producer = operand.getDefiningOp();
                    if (!local && !(producer && (result.ops.contains(producer) || mlir::isa<ir::ReadOp>(producer))))
                        result.inputs.insert(operand);
                }
            });
        for (Operation *op : ops)
            for (Value value : op->getResults())
                if (llvm::any_of(value.getUsers(), [&](Operation *user) {
                        return !result.ops.contains(block().findAncestorOpInBlock(*user));
                    }))
                    result.outputs.push_back(value);
        return result;
    }

    int make_body(const Segment &segment) {
        program::Body body;
        for (Value input : segment.inputs)
            body.takes.push_back(value_of(input));
        for (Value output : segment.outputs)
            body.gives.push_back(value_of(output));
        if (&segment == &segments_.front())
            body.loads = inputs_of_function();
        builder_.setInsertionPoint(function_);
        auto outlined = mlir::func::FuncOp::create(
            function_.getLoc(), function_name(segment.part),
            builder_.getFunctionType(mlir::ValueRange(segment.inputs.getArrayRef()).getTypes(),
                                     mlir::ValueRange(segment.outputs).getTypes()));
        outlined.setPrivate();
        for (const char *name : {"plan.purpose", "plan.accumulates"})
            if (mlir::Attribute attribute = function_->getAttr(name))
                outlined->setAttr(name, attribute);
        symbols_.insert(outlined, builder_.getInsertionPoint());
        body.function = outlined.getName().str();
        mlir::Block *inside = outlined.addEntryBlock();
        outlined.setAllArgAttrs(places_of(segment));
        for (Operation *op : segment.ops)
            op->moveBefore(inside, inside->end());
        builder_.setInsertionPointToEnd(inside);
        builder_.create<mlir::func::ReturnOp>(function_.getLoc(), segment.outputs);
        const auto is_inside = [&](mlir::OpOperand &use) { return outlined->isProperAncestor(use.getOwner()); };
        for (auto [input, argument] : llvm::zip(segment.inputs, inside->getArguments()))
            Value(input).replaceUsesWithIf(argument, is_inside);
        copy_reads(outlined, is_inside);
        program_.bodies.push_back(std::move(body));
        return static_cast<int>(program_.bodies.size()) - 1;
    }

    /// The value's number in the program.
    int value_of(Value value) {
        const auto [known, is_new] = values_.try_emplace(value, static_cast<int>(program_.values.size()));
        if (is_new)
            program_.values.push_back({name_of(value), 0, offset_of(value)});
        return known->second;
    }

    std::string name_of(Value value) {
        if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
            const auto input = function_.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
            return input ? input.str() : "input";
        }
        return layer_of(value.getDefiningOp());
    }

    /// Values that are read from the data set.
    std::vector<int> inputs_of_function() {
        std::vector<int> loads;
        for (mlir::BlockArgument argument : function_.getArguments())
            if (llvm::any_of(segments_, [&](const Segment &each) { return each.inputs.contains(argument); }))
                loads.push_back(value_of(argument));
        return loads;
    }

    /// "forward"; for micro-batches before the last one "accumulate_forward".
    std::string function_name(Part part) {
        return ir::accumulates(function_) ? function_.getName().str() + "_" + name(part) : name(part);
    }

    /// Attributes of the arguments: the place of each and, for inputs, the field of the data set. They are set
    /// together, because MLIR rebuilds all of them each time.
    llvm::SmallVector<mlir::DictionaryAttr> places_of(const Segment &segment) {
        llvm::SmallVector<mlir::DictionaryAttr> places;
        for (Value input : segment.inputs) {
            mlir::NamedAttrList place;
            place.append("plan.offset", builder_.getI64IntegerAttr(offset_of(input)));
            if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(input))
                if (mlir::Attribute field = function_.getArgAttr(argument.getArgNumber(), "plan.input"))
                    place.append("plan.input", field);
            places.push_back(place.getDictionary(builder_.getContext()));
        }
        return places;
    }

    void copy_reads(mlir::func::FuncOp outlined, llvm::function_ref<bool(mlir::OpOperand &)> is_inside) {
        builder_.setInsertionPointToStart(&outlined.getBody().front());
        for (auto read : function_.getOps<ir::ReadOp>()) {
            if (!llvm::any_of(read.getResult().getUses(), is_inside))
                continue;
            Value copy = builder_.clone(*read)->getResult(0);
            read.getResult().replaceUsesWithIf(copy, is_inside);
        }
    }

    mlir::func::FuncOp function_;
    mlir::SymbolTable &symbols_;
    program::Program &program_;
    mlir::OpBuilder builder_;
    std::vector<Segment> segments_;
    Value loss_;
    llvm::DenseMap<Value, int> values_; ///< numbers in the program
};

/// The role of all ranks, with the slots that assign-buffers has made.
program::Role all_ranks(mlir::ModuleOp module) {
    program::Role role{"all"};
    const auto number = [&](const char *name) {
        const auto attribute = module->getAttrOfType<mlir::IntegerAttr>(name);
        return attribute ? attribute.getInt() : 0;
    };
    if (number("plan.slot_bytes") == 0)
        return role;
    role.slots = ir::slots_of(module);
    role.slot_offset = number("plan.slot_offset");
    role.slot_bytes = number("plan.slot_bytes");
    return role;
}

struct OutlineBodies : mlir::PassWrapper<OutlineBodies, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineBodies)

    llvm::StringRef getArgument() const override { return "outline-bodies"; }
    llvm::StringRef getDescription() const override {
        return "Cut the training functions into bodies and write the step program";
    }

    void runOnOperation() override {
        mlir::ModuleOp module = getOperation();
        program::Program program;
        program.roles.push_back(all_ranks(module));
        program.micro_batches = program::micro_batches(ir::batch_of(module), ir::micro_batch_count(module));
        std::vector<program::KindBodies> kinds;
        mlir::SymbolTable symbols(module);
        for (mlir::func::FuncOp function : ir::entry_functions(module))
            if (ir::is_training(function)) {
                const program::MicroBatchKind kind{ir::samples_of(function), !ir::accumulates(function)};
                kinds.push_back({kind, Outlining(function, symbols, program).run()});
            }
        if (kinds.empty())
            return; // an evaluation alone
        const int slots = program.roles.front().slots;
        program.actions = program.micro_batches.size() == 1 ? program::trivial(kinds.front())
                          : slots > 1                       ? program::in_flight(program.micro_batches, kinds, slots)
                                                            : program::accumulating(program.micro_batches, kinds);
        set_step_program(module, program);
    }
};

} // namespace

std::unique_ptr<mlir::Pass> outline_bodies() {
    return std::make_unique<OutlineBodies>();
}

} // namespace planc::schedule

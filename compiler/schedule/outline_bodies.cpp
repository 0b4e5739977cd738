// Cuts the training functions into bodies: forward, backward and update. A table maker decides when each of them runs,
// and on which micro-batch; the result is the step program. The ranks of a pipeline that run the same
// stages are roles; without one, all ranks have one role.

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "program/makers.h"
#include "program/pipelined.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/micro_batch_kind.h"
#include "schedule/passes.h"
#include "schedule/segments.h"
#include "schedule/stage_transfers.h"
#include "schedule/step_program.h"

namespace planc::schedule {

namespace {

using mlir::Operation;
using mlir::Value;

/// A body under construction: operations of a training function, the values that they take from others, and the values
/// that others take from them.
struct Segment {
    int section = 0;
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> inputs;
    std::vector<Value> outputs;
};

/// The bodies of a training function, and its part in transfers, as numbers of the program.
struct Outlined {
    std::map<int, int> bodies;  ///< by section
    std::vector<int> results;   ///< values, by result of the function
    std::vector<int> arguments; ///< values, by argument
};

/// Cuts one training function into bodies.
class Outlining {
  public:
    /// `splits`: whether the schedule passes on the gradients of the input before it computes those of the weights.
    Outlining(mlir::func::FuncOp function, mlir::SymbolTable &symbols, program::Program &program, bool splits)
        : function_(function), symbols_(symbols), program_(program), builder_(function), splits_(splits) {}

    /// The function is erased.
    Outlined run() {
        const Segments parts = segments(block());
        for (size_t section = 0; section < parts.size(); ++section)
            if (!parts[section].empty())
                segments_.push_back(segment(static_cast<int>(section), parts[section]));
        const std::vector<Value> results(block().getTerminator()->operand_begin(),
                                         block().getTerminator()->operand_end());
        if (ir::own_results(function_) > 0 && !ir::accumulates(function_))
            loss_ = results.front();
        block().getTerminator()->dropAllReferences();
        Outlined made;
        for (const Segment &segment : segments_)
            made.bodies[segment.section] = make_body(segment);
        if (loss_)
            program_.loss = value_of(loss_);
        for (const Value result : results)
            made.results.push_back(value_of(result));
        for (const mlir::BlockArgument argument : function_.getArguments())
            made.arguments.push_back(value_of(argument));
        symbols_.erase(function_);
        return made;
    }

  private:
    mlir::Block &block() { return function_.getBody().front(); }

    Segment segment(int section, const std::vector<Operation *> &ops) {
        Segment result{section, {ops.begin(), ops.end()}, {}, {}};
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
        body.role = ir::role_of(function_);
        body.kind = kind_of(segment.section);
        body.stage = stage();
        for (Value input : segment.inputs)
            body.takes.push_back(value_of(input));
        for (Value output : segment.outputs)
            body.gives.push_back(value_of(output));
        if (&segment == &segments_.front())
            body.loads = inputs_of_function();
        builder_.setInsertionPoint(function_);
        auto outlined = mlir::func::FuncOp::create(
            function_.getLoc(), function_name(segment.section),
            builder_.getFunctionType(mlir::ValueRange(segment.inputs.getArrayRef()).getTypes(),
                                     mlir::ValueRange(segment.outputs).getTypes()));
        outlined.setPrivate();
        for (const char *name : {"plan.purpose", "plan.accumulates", "plan.kind", "plan.stage", "plan.role"})
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

    /// Without its replica.
    int stage() {
        auto module = function_->getParentOfType<mlir::ModuleOp>();
        return ir::has_pipeline(module) ? ir::stage_of(function_) % ir::pipeline_of(module).stages : 0;
    }

    [[nodiscard]] planrt::BodyKind kind_of(int section) const {
        if (section >= first_update)
            return planrt::BodyKind::update;
        static constexpr planrt::BodyKind kinds[] = {planrt::BodyKind::forward, planrt::BodyKind::backward,
                                                     planrt::BodyKind::weight_gradient};
        return section == 1 && splits_ ? planrt::BodyKind::input_gradient : kinds[section];
    }

    /// The value's number in the program.
    int value_of(Value value) {
        const auto [known, is_new] = values_.try_emplace(value, static_cast<int>(program_.values.size()));
        if (is_new)
            program_.values.push_back({name_of(value), ir::role_of(function_), offset_of(value)});
        return known->second;
    }

    std::string name_of(Value value) {
        if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
            const char *name = ir::received_by(argument) < 0 ? "plan.input" : "plan.tensor";
            const auto input = function_.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), name);
            return input ? input.str() : "input";
        }
        return layer_of(value.getDefiningOp());
    }

    /// Values that are read from the data set.
    std::vector<int> inputs_of_function() {
        std::vector<int> loads;
        for (mlir::BlockArgument argument : function_.getArguments())
            if (ir::received_by(argument) < 0 &&
                llvm::any_of(segments_, [&](const Segment &each) { return each.inputs.contains(argument); }))
                loads.push_back(value_of(argument));
        return loads;
    }

    /// "forward"; for micro-batches before the last one "accumulate_forward"; of a stage "stage_0_forward".
    std::string function_name(int section) {
        const bool named = ir::accumulates(function_) || function_->hasAttr("plan.stage");
        return named ? function_.getName().str() + "_" + section_name(section) : section_name(section);
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
    bool splits_;
    std::vector<Segment> segments_;
    Value loss_;
    llvm::DenseMap<Value, int> values_; ///< numbers in the program
};

/// Whether its pipeline computes the gradients of the weights apart from those of the input.
bool splits_backward(mlir::ModuleOp module) {
    if (!ir::has_pipeline(module))
        return false;
    const auto actions = ir::schedule_of(module).actions;
    return llvm::any_of(actions, [](const std::vector<pipeline::Action> &of_rank) {
        return llvm::any_of(
            of_rank, [](const pipeline::Action &action) { return action.kind == pipeline::Kind::weight_gradient; });
    });
}

/// "all"; of a pipeline "stage 0", "stages 0, 3".
std::vector<std::string> role_names(mlir::ModuleOp module) {
    if (!ir::has_pipeline(module))
        return {"all"};
    std::vector<std::string> names(static_cast<size_t>(ir::role_count(module)));
    const pipeline::Schedule schedule = ir::schedule_of(module);
    for (int part = 0; part < schedule.parts(); ++part) {
        std::string &name = names[static_cast<size_t>(schedule.rank_of_part(part))];
        name += (name.empty() ? "" : ", ") + std::to_string(part % schedule.stages);
    }
    for (std::string &name : names)
        name = (name.find(',') == std::string::npos ? "stage " : "stages ") + name;
    return names;
}

/// The roles, with the slots that assign-buffers has made.
std::vector<program::Role> roles_of(mlir::ModuleOp module) {
    std::vector<program::Role> roles;
    for (const std::string &name : role_names(module))
        roles.push_back({name, ir::ranks_of_role(module, static_cast<int>(roles.size()))});
    for (mlir::func::FuncOp function : ir::entry_functions(module)) {
        program::Role &role = roles[static_cast<size_t>(ir::role_of(function))];
        if (const auto bytes = function->getAttrOfType<mlir::IntegerAttr>("plan.slot_bytes")) {
            role.slots = ir::slots_of(function);
            role.slot_offset = function->getAttrOfType<mlir::IntegerAttr>("plan.slot_offset").getInt();
            role.slot_bytes = bytes.getInt();
        }
    }
    return roles;
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
        program.roles = roles_of(module);
        program.micro_batches = micro_batches_of(module);
        weights_ = ir::updates_of(module).weights;
        const program::MicroBatchKind last =
            program::kind_of(program.micro_batches, program.micro_batches.size() - 1, weights_);
        std::vector<Function> functions;
        const std::vector<StageTransfer> transfers = training_transfers(module);
        std::vector<std::string> names;
        std::vector<std::pair<int64_t, int64_t>> scratch;
        for (const StageTransfer &transfer : transfers) {
            names.push_back(transfer.name);
            scratch.push_back(transfer.scratch_offsets());
        }
        mlir::SymbolTable symbols(module);
        const bool splits = splits_backward(module);
        for (mlir::func::FuncOp function : ir::entry_functions(module))
            if (ir::is_training(function)) {
                const program::MicroBatchKind kind = kind_of(function);
                const int loss = program.loss;
                Function &made = functions.emplace_back(Function{kind, ir::stage_of(function), function, {}});
                made.outlined = Outlining(function, symbols, program, splits).run();
                if (program.updates() > 1 && !(kind == last)) // only its loss is the whole one
                    program.loss = loss;
            }
        if (functions.empty())
            return; // an evaluation alone
        for (size_t t = 0; t < transfers.size(); ++t)
            program.transfers.push_back(transfer(transfers[t], names[t], scratch[t], functions, program));
        if (ir::has_pipeline(module)) {
            const pipeline::Schedule schedule = ir::schedule_of(module);
            const auto replicas = static_cast<int>(schedule.placement.size());
            for (int replica = 0; replica < replicas && replicas > 1; ++replica)
                program.last_of_replicas.push_back(schedule.last_of(replica));
            program.actions = actions_of_stages(schedule, functions, program);
        } else {
            program.actions = actions_of_all(functions, program);
        }
        set_step_program(module, program);
        for (mlir::func::FuncOp function : ir::entry_functions(module)) // evaluation follows the training step
            shift_numbers(function, program.transfers.size());
    }

  private:
    struct Function {
        program::MicroBatchKind kind;
        int stage = 0;
        mlir::Operation *function = nullptr; ///< erased by now
        Outlined outlined;
    };

    static std::vector<StageTransfer> training_transfers(mlir::ModuleOp module) {
        std::vector<StageTransfer> transfers = stage_transfers(module);
        llvm::erase_if(transfers, [](const StageTransfer &transfer) { return !ir::is_training(transfer.to); });
        return transfers;
    }

    program::Transfer transfer(const StageTransfer &transfer, const std::string &name,
                               std::pair<int64_t, int64_t> scratch, const std::vector<Function> &functions,
                               const program::Program &program) const {
        const auto made = [&](mlir::func::FuncOp function) -> const Function & {
            return *llvm::find_if(functions, [&](const Function &each) { return each.function == function; });
        };
        const Function &receiver = made(transfer.to);
        return {name + text(receiver.kind, program), made(transfer.from).outlined.results[transfer.result],
                receiver.outlined.arguments[transfer.argument], scratch.first, scratch.second};
    }

    /// Tells transfers of several kinds of micro-batches apart.
    [[nodiscard]] std::string text(const program::MicroBatchKind &kind, const program::Program &program) const {
        if (program::kinds(program.micro_batches, weights_).size() == 1)
            return "";
        if (program.updates() == 1)
            return kind.updates ? ", last micro-batch" : ", " + std::to_string(kind.samples) + " samples";
        for (size_t i = 0; i < program.micro_batches.size(); ++i)
            if (program::kind_of(program.micro_batches, i, weights_) == kind)
                return ", like micro-batch " + std::to_string(i);
        return "";
    }

    [[nodiscard]] std::vector<std::vector<program::Action>> actions_of_all(const std::vector<Function> &functions,
                                                                           const program::Program &program) const {
        std::vector<program::KindBodies> kinds;
        for (const Function &function : functions) {
            program::KindBodies &bodies = kinds.emplace_back(program::KindBodies{function.kind, {}});
            for (const auto &[section, body] : function.outlined.bodies)
                bodies.bodies.push_back(body);
        }
        const int slots = program.roles.front().slots;
        return program.micro_batches.size() == 1 ? program::trivial(kinds.front())
               : slots > 1                       ? program::in_flight(program.micro_batches, kinds, slots, weights_)
                                                 : program::accumulating(program.micro_batches, kinds, weights_);
    }

    static std::vector<std::vector<program::Action>> actions_of_stages(const pipeline::Schedule &schedule,
                                                                       const std::vector<Function> &functions,
                                                                       const program::Program &program) {
        std::vector<program::StageBodies> stages;
        for (const Function &function : functions) {
            program::StageBodies &bodies = stages.emplace_back(program::StageBodies{function.kind, function.stage});
            for (const auto &[section, body] : function.outlined.bodies)
                if (section < first_update) {
                    (section == 0 ? bodies.forward : section == 1 ? bodies.backward : bodies.weight_gradient) = body;
                } else {
                    bodies.update.resize(static_cast<size_t>(section - first_update) + 1, -1);
                    bodies.update.back() = body;
                }
        }
        return program::pipelined(program, schedule, stages);
    }

    pipeline::Weights weights_ = pipeline::Weights::synchronous; ///< of the module
};

} // namespace

std::unique_ptr<mlir::Pass> outline_bodies() {
    return std::make_unique<OutlineBodies>();
}

} // namespace planc::schedule

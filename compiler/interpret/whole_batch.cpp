#include "interpret/whole_batch.h"

#include "interpret/stages.h"
#include "interpret/step.h"
#include "ir/entry_functions.h"
#include "ir/layer_builder.h"
#include "ir/pipeline_attribute.h"
#include "schedule/micro_batch_kind.h"
#include "schedule/step_program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace planc::interpret {

namespace {

/// Samples [first, first + count); sample 0 takes the place of samples after the last one.
Array samples(const Array &all, std::int64_t first, std::int64_t count) {
    const std::int64_t batch = all.extents.front();
    const auto size = static_cast<std::ptrdiff_t>(all.elements.size()) / batch;
    Array part{all.extents, {}};
    part.extents.front() = count;
    for (std::int64_t i = first; i < first + count; ++i) {
        const auto sample = all.elements.begin() + (i < batch ? i : 0) * size;
        part.elements.insert(part.elements.end(), sample, sample + size);
    }
    return part;
}

/// Cuts the fields that a function takes.
void cut_fields(mlir::func::FuncOp function, const Inputs &whole, std::int64_t first, Inputs &part) {
    for (mlir::BlockArgument argument : function.getArguments()) {
        const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
        const auto field = whole.fields.find(name ? name.str() : "");
        const ir::TensorType type = ir::type_of(argument);
        if (field != whole.fields.end() && !type.getExtents().empty() && !field->second.extents.empty())
            part.fields[field->first] = samples(field->second, first, type.getExtents().front());
        if (function.getArgAttr(argument.getArgNumber(), "plan.valid"))
            for (std::int64_t i = field->second.extents.front() - first; i < type.getExtents().front(); ++i)
                part.fields[field->first].elements.at(static_cast<std::size_t>(i)) = 0;
    }
}

} // namespace

Inputs inputs_of_part(mlir::func::FuncOp function, const Inputs &whole, std::int64_t first) {
    Inputs part = whole;
    part.first_sample = first;
    cut_fields(function, whole, first, part);
    return part;
}

namespace {

/// The numbers of samples of the functions' part and of the whole batch; both are 1 if there is no batch.
std::pair<std::int64_t, std::int64_t> batch_sizes(const std::vector<mlir::func::FuncOp> &functions,
                                                  const Inputs &inputs) {
    for (mlir::func::FuncOp function : functions)
        for (mlir::BlockArgument argument : function.getArguments()) {
            const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
            const auto extents = ir::type_of(argument).getExtents();
            if (!name || extents.empty())
                continue;
            const auto field = inputs.fields.find(name.str());
            return {extents.front(), field == inputs.fields.end() ? extents.front() : field->second.extents.front()};
        }
    return {1, 1};
}

void check_part(mlir::func::FuncOp function, const Inputs &inputs, const program::MicroBatch &part) {
    if (const auto [samples, batch] = batch_sizes({function}, inputs); part.first + samples > batch)
        throw Failure("a micro-batch ends at sample " + std::to_string(part.first + samples) + " of " +
                      std::to_string(batch));
}

/// The code of a kind of micro-batch.
mlir::func::FuncOp function_of(mlir::ModuleOp module, const program::MicroBatchKind &kind) {
    for (mlir::func::FuncOp function : ir::entry_functions(module)) {
        if (!ir::is_training(function))
            continue;
        if (ir::kind_number(function) >= 0 ? schedule::kind_of(function) == kind
                                           : ir::accumulates(function) != kind.updates &&
                                                 (kind.updates || ir::samples_of(function) == kind.samples))
            return function;
    }
    throw Failure("there is no function for a micro-batch of " + std::to_string(kind.samples) + " samples");
}

/// Adds the results of the part that begins at `first` to those before it.
void join(std::vector<Array> &results, const std::vector<Array> &part, std::int64_t first, std::int64_t batch) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        Array &all = results[i];
        if (all.extents.empty()) {
            all.elements[0] += part[i].elements[0];
            continue;
        }
        const auto size = static_cast<std::ptrdiff_t>(part[i].elements.size()) / part[i].extents.front();
        const std::int64_t count = std::min(part[i].extents.front(), batch - first);
        all.elements.insert(all.elements.end(), part[i].elements.begin(), part[i].elements.begin() + count * size);
        all.extents.front() += count;
    }
}

} // namespace

namespace {

/// For a module that is not scheduled: runs the function of each micro-batch, one after another.
Outcome run_functions(mlir::ModuleOp module, const Inputs &inputs) {
    const auto parts = schedule::micro_batches_of(module);
    Inputs now = inputs;
    now.accumulators.clear();
    Outcome outcome;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        mlir::func::FuncOp function = function_of(module, program::kind_of(parts, i, ir::updates_of(module).weights));
        check_part(function, now, parts[i]);
        now.step = inputs.step * (parts.back().update + 1) + parts[i].update;
        Outcome next = run(module, function.getName(), inputs_of_part(function, now, parts[i].first));
        now.variables = next.variables;
        now.accumulators = next.accumulators;
        next.collectives.insert(next.collectives.begin(), outcome.collectives.begin(), outcome.collectives.end());
        outcome = std::move(next);
    }
    return outcome;
}

} // namespace

Outcome run_train_step(mlir::ModuleOp module, const Inputs &inputs) {
    if (schedule::has_step_program(module))
        return run_step_program(module, inputs);
    return run_functions(module, inputs);
}

namespace {

/// The functions of an evaluation or a prediction: one, or one for each stage of a pipeline.
std::vector<mlir::func::FuncOp> functions_of(mlir::ModuleOp module, llvm::StringRef name) {
    if (auto function = module.lookupSymbol<mlir::func::FuncOp>(name))
        return {function};
    const auto purpose = name == "evaluate" ? ir::Purpose::evaluation : ir::Purpose::prediction;
    std::vector<mlir::func::FuncOp> stages;
    for (mlir::func::FuncOp function : ir::entry_functions(module))
        if (ir::has_pipeline(module) && ir::purpose_of(function) == purpose)
            stages.push_back(function);
    if (stages.empty())
        throw Failure("there is no function @" + name.str());
    return stages;
}

Outcome run_part(mlir::ModuleOp module, const std::vector<mlir::func::FuncOp> &functions, const Inputs &whole,
                 std::int64_t first) {
    Inputs part = whole;
    part.first_sample = first;
    for (mlir::func::FuncOp function : functions)
        cut_fields(function, whole, first, part);
    if (ir::has_pipeline(module))
        return run_stages(module, functions, part);
    mlir::func::FuncOp function = functions.front();
    return run(module, function.getName(), part);
}

} // namespace

Outcome run_in_parts(mlir::ModuleOp module, llvm::StringRef name, const Inputs &inputs) {
    const std::vector<mlir::func::FuncOp> functions = functions_of(module, name);
    const auto [part, batch] = batch_sizes(functions, inputs);
    Outcome outcome;
    for (std::int64_t first = 0; first < batch; first += part) {
        Outcome next = run_part(module, functions, inputs, first);
        next.collectives.insert(next.collectives.begin(), outcome.collectives.begin(), outcome.collectives.end());
        if (first > 0) {
            join(outcome.results, next.results, first, batch);
            next.results = std::move(outcome.results);
        }
        outcome = std::move(next);
    }
    return outcome;
}

} // namespace planc::interpret

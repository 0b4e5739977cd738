#include "interpret/train_step.h"

#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace planc::interpret {

namespace {

/// Samples [first, first + count).
Array samples(const Array &all, std::int64_t first, std::int64_t count) {
    const std::int64_t batch = all.extents.front();
    if (first + count > batch)
        throw Failure("a micro-batch ends at sample " + std::to_string(first + count) + " of " + std::to_string(batch));
    const auto size = static_cast<std::ptrdiff_t>(all.elements.size()) / batch;
    Array part{all.extents, {}};
    part.extents.front() = count;
    part.elements.assign(all.elements.begin() + first * size, all.elements.begin() + (first + count) * size);
    return part;
}

/// The inputs of a function that runs on the part which begins at `first`.
Inputs inputs_of_part(mlir::func::FuncOp function, const Inputs &whole, std::int64_t first) {
    Inputs part = whole;
    part.first_sample = first;
    for (mlir::BlockArgument argument : function.getArguments()) {
        const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
        const auto field = whole.fields.find(name ? name.str() : "");
        const ir::TensorType type = ir::type_of(argument);
        if (field != whole.fields.end() && !type.getExtents().empty() && !field->second.extents.empty())
            part.fields[field->first] = samples(field->second, first, type.getExtents().front());
    }
    return part;
}

} // namespace

Outcome run_train_step(mlir::ModuleOp module, const Inputs &inputs) {
    if (!module.lookupSymbol("train"))
        throw Failure("there is no function @train");
    Inputs now = inputs;
    now.accumulators.clear();
    Outcome outcome;
    for (llvm::StringRef name : {"accumulate_rest", "accumulate", "train"}) {
        auto function = module.lookupSymbol<mlir::func::FuncOp>(name);
        if (!function)
            continue;
        const auto firsts = function->getAttrOfType<mlir::DenseI64ArrayAttr>("plan.firsts");
        const std::vector<std::int64_t> parts = firsts ? firsts.asArrayRef().vec() : std::vector<std::int64_t>{0};
        for (const std::int64_t first : parts) {
            Outcome next = run(module, name, inputs_of_part(function, now, first));
            now.variables = next.variables;
            now.accumulators = next.accumulators;
            next.collectives.insert(next.collectives.begin(), outcome.collectives.begin(), outcome.collectives.end());
            outcome = std::move(next);
        }
    }
    return outcome;
}

} // namespace planc::interpret

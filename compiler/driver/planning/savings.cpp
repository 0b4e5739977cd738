#include "driver/planning/savings.h"

#include "pipeline/makers.h"
#include "sema/layouts/layout_rules.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <string>

namespace planc::driver {

namespace {

/// The first `count` names of a path.
std::string beginning(const std::string &path, std::ptrdiff_t count) {
    std::size_t end = 0;
    for (; count > 0 && end != std::string::npos; --count)
        end = path.find('.', end == 0 ? 0 : end + 1);
    return path.substr(0, end);
}

} // namespace

planning::MemorySavings savings_of(const sema::Layout *layout) {
    planning::MemorySavings savings;
    if (layout == nullptr)
        return savings;
    savings.microbatches = layout->microbatches.value_or(1);
    for (const sema::RecomputeRule &rule : layout->recomputes)
        savings.recompute.push_back(rule.selector);
    return savings;
}

pipeline::Updates updates_of(const sema::Layout *layout) {
    return layout == nullptr || !layout->pipeline ? pipeline::Updates{}
                                                  : pipeline::updates_of(layout->pipeline->schedule);
}

std::int64_t batch_of(const sema::Network &loss) {
    if (loss.arguments.empty() || loss.arguments.front().type.dimensions.empty())
        return 1;
    return loss.arguments.front().type.dimensions.front().extent;
}

void set_savings(mlir::ModuleOp module, const sema::Network &network, const planning::MemorySavings &savings) {
    mlir::Builder builder(module.getContext());
    if (savings.microbatches > 1)
        module->setAttr("plan.microbatches", builder.getI64IntegerAttr(savings.microbatches));
    mlir::NamedAttrList groups;
    for (const std::string &layer : network.layers) {
        for (const std::string &selector : savings.recompute) {
            if (layer == "loss" || !sema::selects(selector, layer))
                continue;
            const auto names = selector.empty() ? 1 : 1 + std::count(selector.begin(), selector.end(), '.');
            groups.set(layer, builder.getStringAttr(beginning(layer, names)));
        }
    }
    if (!groups.empty())
        module->setAttr("plan.recompute", groups.getDictionary(module.getContext()));
}

} // namespace planc::driver

#include "driver/planning/memory_savings.h"

#include "sema/layouts/layout_rules.h"

#include "mlir/IR/Builders.h"

#include <algorithm>

namespace planc::driver {

namespace {

constexpr std::int64_t most_microbatches = 64;

/// The first `count` names of a path.
std::string beginning(const std::string &path, std::ptrdiff_t count) {
    std::size_t end = 0;
    for (; count > 0 && end != std::string::npos; --count)
        end = path.find('.', end == 0 ? 0 : end + 1);
    return path.substr(0, end);
}

} // namespace

std::vector<std::string> words(const MemorySavings &savings) {
    std::vector<std::string> result;
    if (savings.microbatches > 1)
        result.push_back("gradients summed over " + std::to_string(savings.microbatches) + " micro-batches");
    for (const std::string &selector : savings.recompute)
        result.push_back("activations of " + (selector.empty() ? "each layer" : selector) + " computed again");
    return result;
}

MemorySavings savings_of(const sema::Layout *layout) {
    MemorySavings savings;
    if (layout == nullptr)
        return savings;
    savings.microbatches = layout->microbatches.value_or(1);
    for (const sema::RecomputeRule &rule : layout->recomputes)
        savings.recompute.push_back(rule.selector);
    return savings;
}

std::vector<MemorySavings> further_savings(const MemorySavings &pinned, std::int64_t batch) {
    const bool counts = pinned.microbatches == 1;
    const bool recomputes = pinned.recompute.empty();
    std::vector<MemorySavings> all;
    const std::int64_t most = counts ? std::min(batch, most_microbatches) : pinned.microbatches;
    for (std::int64_t count = pinned.microbatches; count <= most; count *= 2) {
        if (count != pinned.microbatches)
            all.push_back({count, pinned.recompute});
        if (recomputes)
            all.push_back({count, {""}});
    }
    return all;
}

void set_savings(mlir::ModuleOp module, const sema::Network &network, const MemorySavings &savings) {
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

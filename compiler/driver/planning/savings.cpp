#include "driver/planning/savings.h"

#include "pipeline/makers.h"
#include "sema/layouts/layout_rules.h"
#include "sema/values/values.h"

#include "mlir/IR/Builders.h"

#include <planrt/needed_rows.h>
#include <planrt/sparse_traffic.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace planc::driver {

namespace {

/// The first `count` names of a path.
std::string beginning(const std::string &path, std::ptrdiff_t count) {
    std::size_t end = 0;
    for (; count > 0 && end != std::string::npos; --count)
        end = path.find('.', end == 0 ? 0 : end + 1);
    return path.substr(0, end);
}

/// The block of each layer: its path to the last name with an index, or else its first name; longer where that contains
/// paths with further indices.
std::map<std::string, std::string> blocks_by_layer(const std::vector<std::string> &layers) {
    const auto names_to_index = [](const std::string &layer) {
        const std::size_t index = layer.rfind(']');
        return index == std::string::npos ? 0 : 1 + std::count(layer.begin(), layer.begin() + index, '.');
    };
    std::set<std::string> containers;
    for (const std::string &layer : layers)
        for (std::ptrdiff_t names = 1; names < names_to_index(layer); ++names)
            containers.insert(beginning(layer, names));
    std::map<std::string, std::string> blocks;
    for (const std::string &layer : layers) {
        std::ptrdiff_t names = std::max<std::ptrdiff_t>(names_to_index(layer), 1);
        while (containers.contains(beginning(layer, names)) && beginning(layer, names) != layer)
            ++names;
        blocks[layer] = beginning(layer, names);
    }
    return blocks;
}

/// Those whose rows and columns are the same vertices.
std::vector<const sema::Matrix *> square_matrices(const sema::Train &train) {
    std::vector<const sema::Matrix *> squares;
    for (std::size_t i = 0; i < train.matrices.size(); ++i)
        if (sema::is_square(train.loss.matrices[i].type))
            squares.push_back(&train.matrices[i]);
    return squares;
}

/// What the pass halve-products asks for. A matrix of whose covers nothing is sent stays whole.
mlir::DictionaryAttr halves(const sema::Train &train, int parts, mlir::Builder &builder) {
    mlir::NamedAttrList all;
    for (const sema::Matrix *matrix : square_matrices(train)) {
        const planrt::Halves both =
            planrt::halves_by_cover(*matrix->pattern, planrt::equal_cuts(matrix->pattern->rows, parts));
        if (both.sent.nonzeros() == 0)
            continue;
        mlir::NamedAttrList numbers;
        const auto set = [&](const char *name, std::int64_t number) {
            numbers.set(name, builder.getI64IntegerAttr(number));
        };
        set("parts", parts);
        set("fetched", planrt::number_matrix(both.fetched));
        set("fetched_nonzeros", both.fetched.nonzeros());
        set("sent", planrt::number_matrix(both.sent));
        set("sent_nonzeros", both.sent.nonzeros());
        all.set(matrix->name, numbers.getDictionary(builder.getContext()));
    }
    return all.getDictionary(builder.getContext());
}

} // namespace

planning::MemorySavings savings_of(const sema::Layout *layout) {
    planning::MemorySavings savings;
    if (layout == nullptr)
        return savings;
    savings.microbatches = layout->microbatches.value_or(1);
    savings.cover = layout->cover.value_or(0);
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

bool may_cover(const sema::Train &train, std::int64_t parts) {
    return train.batch_vertices == 0 &&
           std::ranges::any_of(square_matrices(train),
                               [parts](const sema::Matrix *matrix) { return matrix->pattern->rows >= parts; });
}

std::vector<std::string> blocks_of(const sema::Network &loss) {
    const std::map<std::string, std::string> of_layer = blocks_by_layer(loss.layers);
    const auto lies_in = [&](const std::string &block) {
        return std::ranges::count(loss.layers, block, [&](const std::string &layer) { return of_layer.at(layer); });
    };
    std::vector<std::string> blocks;
    for (const std::string &layer : loss.layers) {
        const std::string &block = of_layer.at(layer);
        if (std::ranges::find(blocks, block) == blocks.end() && lies_in(block) > 1)
            blocks.push_back(block);
    }
    return blocks;
}

void set_savings(mlir::ModuleOp module, const sema::Train &train, const planning::MemorySavings &savings) {
    mlir::Builder builder(module.getContext());
    if (savings.microbatches > 1)
        module->setAttr("plan.microbatches", builder.getI64IntegerAttr(savings.microbatches));
    if (savings.cover > 0)
        module->setAttr("plan.halves", halves(train, static_cast<int>(savings.cover), builder));
    mlir::NamedAttrList groups;
    const std::map<std::string, std::string> blocks = blocks_by_layer(train.loss.layers);
    for (const std::string &layer : train.loss.layers) {
        for (const std::string &selector : savings.recompute) {
            if (layer == "loss" || !sema::selects(selector, layer))
                continue;
            const auto names = 1 + std::count(selector.begin(), selector.end(), '.');
            groups.set(layer, builder.getStringAttr(selector.empty() ? blocks.at(layer) : beginning(layer, names)));
        }
    }
    if (!groups.empty())
        module->setAttr("plan.recompute", groups.getDictionary(module.getContext()));
}

} // namespace planc::driver

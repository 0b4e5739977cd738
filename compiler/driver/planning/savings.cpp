#include "driver/planning/savings.h"

#include "pipeline/makers.h"
#include "sema/layouts/layout_rules.h"
#include "sema/values/values.h"

#include "mlir/IR/Builders.h"

#include <planrt/needed_rows.h>
#include <planrt/sparse_traffic.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
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

/// How many names of a path lead to the `level`th one with an index, or to the last one if there are fewer; 0: none.
std::ptrdiff_t names_to_index(const std::string &path, int level) {
    std::ptrdiff_t names = 0;
    std::size_t index = path.find(']');
    for (int i = 0; i < level && index != std::string::npos; ++i, index = path.find(']', index + 1))
        names = 1 + std::count(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(index), '.');
    return names;
}

using Blocks = std::map<std::string, std::string>; ///< by layer

/// A layer's block is its path to a name with an index, or else its first name; longer where that contains other
/// blocks.
Blocks blocks_at(int level, const std::vector<std::string> &layers) {
    std::set<std::string> containers;
    for (const std::string &layer : layers)
        for (std::ptrdiff_t names = 1; names < names_to_index(layer, level); ++names)
            containers.insert(beginning(layer, names));
    Blocks blocks;
    for (const std::string &layer : layers) {
        std::ptrdiff_t names = std::max<std::ptrdiff_t>(names_to_index(layer, level), 1);
        while (containers.contains(beginning(layer, names)) && beginning(layer, names) != layer)
            ++names;
        blocks[layer] = beginning(layer, names);
    }
    return blocks;
}

/// The number of layers of each block.
std::map<std::string, int> sizes_of(const Blocks &blocks) {
    std::map<std::string, int> sizes;
    for (const auto &[layer, block] : blocks)
        ++sizes[block];
    return sizes;
}

/// The number of blocks of several layers.
std::ptrdiff_t count_of(const Blocks &blocks) {
    return std::ranges::count_if(sizes_of(blocks), [](const auto &each) { return each.second > 1; });
}

/// By the level of lists within lists at which their number is nearest to the root of that of all layers: of n layers,
/// root n blocks take the least memory (Chen et al. 2016).
Blocks blocks_by_layer(const std::vector<std::string> &layers) {
    const double wanted = std::sqrt(static_cast<double>(layers.size()));
    Blocks best = blocks_at(1, layers);
    const auto distance = [wanted](const Blocks &blocks) {
        return std::abs(std::log(static_cast<double>(count_of(blocks)) / wanted));
    };
    for (int level = 2;; ++level) {
        Blocks next = blocks_at(level, layers);
        if (next == best || distance(next) >= distance(best))
            return best;
        best = std::move(next);
    }
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

bool may_cover(const sema::Train &train, std::int64_t parts) {
    return train.batch_vertices == 0 &&
           std::ranges::any_of(square_matrices(train),
                               [parts](const sema::Matrix *matrix) { return matrix->pattern->rows >= parts; });
}

std::vector<std::string> blocks_of(const sema::Network &loss) {
    const Blocks of_layer = blocks_by_layer(loss.layers);
    const std::map<std::string, int> sizes = sizes_of(of_layer);
    std::vector<std::string> blocks;
    for (const std::string &layer : loss.layers) {
        const std::string &block = of_layer.at(layer);
        if (sizes.at(block) > 1 && std::ranges::find(blocks, block) == blocks.end())
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
    const Blocks blocks = blocks_by_layer(train.loss.layers);
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

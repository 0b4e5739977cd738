#include "driver/planning/savings.h"

#include "pipeline/makers.h"
#include "sema/layouts/layout_rules.h"
#include "sema/values/values.h"

#include "mlir/IR/Builders.h"

#include <planrt/needed_rows.h>
#include <planrt/sparse_traffic.h>

#include <algorithm>
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

void set_savings(mlir::ModuleOp module, const sema::Train &train, const planning::MemorySavings &savings) {
    mlir::Builder builder(module.getContext());
    if (savings.microbatches > 1)
        module->setAttr("plan.microbatches", builder.getI64IntegerAttr(savings.microbatches));
    if (savings.cover > 0)
        module->setAttr("plan.halves", halves(train, static_cast<int>(savings.cover), builder));
    mlir::NamedAttrList groups;
    for (const std::string &layer : train.loss.layers) {
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

#include "sharding/graph_index.h"

#include <algorithm>
#include <numeric>

namespace planc::sharding {

GraphIndex::GraphIndex(const Graph &g) : graph(g) {
    find_uses();
    find_partial_sums();
    find_anchors();
}

void GraphIndex::find_uses() {
    uses.resize(graph.values.size());
    is_output.resize(graph.values.size());
    stored_in.assign(graph.values.size(), -1);
    reader.resize(graph.values.size());
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
        const Operation &operation = graph.operations[o];
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const int value = operation.operands[i];
            const Use use{static_cast<int>(o), static_cast<int>(i)};
            uses[value].push_back(use);
            if (operation.kernel != Kernel::update && reader[value].operation < 0)
                reader[value] = use;
        }
        for (std::size_t i = 0; i < operation.writes.size(); ++i)
            if (operation.writes[i] >= 0)
                stored_in[operation.results[i]] = operation.writes[i];
    }
    for (int value : graph.outputs)
        is_output[value] = true;
}

void GraphIndex::find_partial_sums() {
    may_be_partial.resize(graph.values.size());
    may_pass_partial.resize(graph.operations.size());
    const auto travels = [this](int value) {
        const std::vector<Use> &all = uses[value];
        return graph.values[value].kind == ValueKind::computed && may_be_partial[value] && !is_output[value] &&
               stored_in[value] < 0 && all.front().operation == all.back().operation;
    };
    for (std::size_t o = 0; o < graph.operations.size(); ++o) {
        const Operation &operation = graph.operations[o];
        const Nest &nest = operation.nest;
        may_pass_partial[o] = nest.linear && !operation.operands.empty() &&
                              std::all_of(operation.operands.begin(), operation.operands.end(), travels);
        const bool sums = nest.reduction == Reduction::sum &&
                          std::any_of(nest.loops.begin(), nest.loops.end(),
                                      [](const Loop &loop) { return loop.kind == LoopKind::reduced; });
        for (int result : operation.results)
            may_be_partial[result] = sums || may_pass_partial[o];
    }
}

/// Updates are tied together by the values that they share: a momentum that is only ever read by updates lies as the
/// parameter that one of them writes. Spreads from the variables that have a reader until nothing changes.
void GraphIndex::find_anchors() {
    value_anchor.resize(graph.values.size());
    operation_anchor.resize(graph.operations.size());
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
        if (graph.values[v].kind != ValueKind::variable || reader[v].operation < 0)
            continue;
        value_anchor[v].root = static_cast<int>(v);
        value_anchor[v].root_dimension.resize(graph.values[v].extents.size());
        std::iota(value_anchor[v].root_dimension.begin(), value_anchor[v].root_dimension.end(), 0);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t o = 0; o < graph.operations.size(); ++o) {
            if (graph.operations[o].kernel != Kernel::update)
                continue;
            if (operation_anchor[o].root < 0)
                operation_anchor[o] = best_anchor(static_cast<int>(o));
            if (operation_anchor[o].root >= 0 && anchor_values(static_cast<int>(o)))
                changed = true;
        }
    }
}

/// From a variable that the operation writes if one is anchored, else from the anchored value with most dimensions.
Anchor GraphIndex::best_anchor(int o) const {
    const Operation &operation = graph.operations[o];
    const Anchor *best = nullptr;
    const std::vector<int> *loops = nullptr;
    const auto offer = [&](int value, const std::vector<int> &dimensions) {
        const Anchor &anchor = value_anchor[value];
        if (anchor.root >= 0 && (!best || dimensions.size() > loops->size())) {
            best = &anchor;
            loops = &dimensions;
        }
    };
    for (std::size_t i = 0; i < operation.writes.size(); ++i)
        if (operation.writes[i] >= 0)
            offer(operation.writes[i], operation.nest.results[i]);
    if (!best) {
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            offer(operation.operands[i], operation.nest.operands[i]);
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            offer(operation.results[i], operation.nest.results[i]);
    }
    Anchor result;
    if (!best)
        return result;
    result.root = best->root;
    result.root_dimension.assign(operation.nest.loops.size(), -1);
    for (std::size_t d = 0; d < loops->size(); ++d)
        result.root_dimension[(*loops)[d]] = best->root_dimension[d];
    return result;
}

/// Anchors the variables and update results that an anchored operation touches; true if there were new ones.
bool GraphIndex::anchor_values(int o) {
    const Operation &operation = graph.operations[o];
    bool changed = false;
    const auto anchor = [&](int value, const std::vector<int> &loops) {
        if (value_anchor[value].root >= 0)
            return;
        value_anchor[value].root = operation_anchor[o].root;
        for (int loop : loops)
            value_anchor[value].root_dimension.push_back(operation_anchor[o].root_dimension[loop]);
        changed = true;
    };
    for (std::size_t i = 0; i < operation.operands.size(); ++i) {
        const int producer = graph.values[operation.operands[i]].producer;
        const bool updated = producer >= 0 && graph.operations[producer].kernel == Kernel::update;
        if (updated || graph.values[operation.operands[i]].kind == ValueKind::variable)
            anchor(operation.operands[i], operation.nest.operands[i]);
    }
    for (std::size_t i = 0; i < operation.results.size(); ++i) {
        anchor(operation.results[i], operation.nest.results[i]);
        if (i < operation.writes.size() && operation.writes[i] >= 0)
            anchor(operation.writes[i], operation.nest.results[i]);
    }
    return changed;
}

} // namespace planc::sharding

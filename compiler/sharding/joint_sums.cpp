#include "sharding/joint_sums.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace planc::sharding {

namespace {

bool backward(Phase phase) {
    return phase == Phase::input_gradient || phase == Phase::weight_gradient;
}

/// The common properties of sums that share a call.
struct Kind {
    LayerId layer;
    bool in_backward = false;
    Phase phase = Phase::forward; ///< both gradients count as one
    std::set<std::string> reduced;
    std::vector<std::string> kept;
    std::vector<std::int64_t> extents;
    int element_bytes = 4;
    friend auto operator<=>(const Kind &, const Kind &) = default;
};

Kind kind_of(const Operation &operation, const Value &value, std::size_t result) {
    Kind kind{operation.layer, backward(operation.phase), operation.phase, {}, {}, value.extents, value.element_bytes};
    if (kind.in_backward)
        kind.phase = Phase::input_gradient;
    for (const Loop &loop : operation.nest.loops)
        if (loop.kind == LoopKind::reduced)
            kind.reduced.insert(loop.name);
    for (int loop : operation.nest.results[result])
        kind.kept.push_back(operation.nest.loops[loop].name);
    return kind;
}

/// Sums that may still get companions, because none of them has been used.
struct Open {
    ValueId first;
    std::vector<ValueId> values;
};

} // namespace

PerValue<ValueId> companions(const Graph &graph) {
    PerValue<ValueId> result(graph.values.size());
    std::map<Kind, Open> open;
    std::map<ValueId, Kind> kinds; ///< of the values in `open`
    for (const Operation &operation : graph.operations) {
        for (const ValueId operand : operation.operands)
            if (const auto used = kinds.find(operand); used != kinds.end()) {
                const auto closed = open.extract(used->second);
                for (const ValueId value : closed.mapped().values)
                    kinds.erase(value);
            }
        const bool sums = operation.nest.reduction == Reduction::sum && !operation.parameter &&
                          operation.phase != Phase::update && !operation.per_step &&
                          std::any_of(operation.nest.loops.begin(), operation.nest.loops.end(),
                                      [](const Loop &loop) { return loop.kind == LoopKind::reduced; });
        for (std::size_t r = 0; sums && r < operation.results.size(); ++r) {
            const ValueId value = operation.results[r];
            Kind kind = kind_of(operation, graph.values[value], r);
            Open &together = open[kind];
            if (!together.first)
                together.first = value;
            else
                result[value] = together.first;
            together.values.push_back(value);
            kinds.emplace(value, std::move(kind));
        }
    }
    return result;
}

bool joins(const Graph &graph, const Mesh &mesh, ValueId value, const Copy &copy) {
    return copy.steps.size() == 1 && copy.source <= 0 && copy.steps[0].kind == CollectiveKind::all_reduce &&
           copy.steps[0].from.reduction == planrt::Reduction::sum && copy.first_use &&
           graph.operations[copy.first_use].phase != Phase::update &&
           planrt::largest_volume(copy.placement, mesh) * graph.values[value].element_bytes <= largest_joint_bytes;
}

std::vector<Bucket> joint_sums(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh) {
    return joint_sums(graph, companions(graph), laid_out, mesh);
}

std::vector<Bucket> joint_sums(const Graph &graph, PerValue<ValueId> first_of, const LaidOut &laid_out,
                               const Mesh &mesh) {
    for (const ValueId value : graph.values.ids())
        if (const ValueId first = first_of[value])
            first_of[first] = first;
    std::vector<ValueId> values;
    for (const ValueId value : graph.values.ids())
        if (first_of[value])
            values.push_back(value);
    std::stable_sort(values.begin(), values.end(),
                     [&](ValueId a, ValueId b) { return graph.values[a].producer < graph.values[b].producer; });
    std::map<std::pair<ValueId, std::vector<int>>, Bucket> calls; // by the first value and the axes
    for (const ValueId value : values)
        for (std::size_t c = 0; c < laid_out.copies[value].size(); ++c) {
            const Copy &copy = laid_out.copies[value][c];
            if (!joins(graph, mesh, value, copy))
                continue;
            Bucket &bucket = calls[{first_of[value], copy.steps[0].axes}];
            if (!bucket.members.empty() && bucket.members.back().value == value)
                continue; // one copy of each value
            bucket.axes = copy.steps[0].axes;
            bucket.members.push_back({value, static_cast<int>(c)});
            bucket.bytes += planrt::largest_volume(copy.placement, mesh) * graph.values[value].element_bytes;
        }
    std::vector<Bucket> result;
    for (auto &[key, bucket] : calls)
        if (bucket.members.size() > 1)
            result.push_back(std::move(bucket));
    return result;
}

} // namespace planc::sharding

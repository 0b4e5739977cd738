#include "sharding/stages.h"

#include <algorithm>
#include <set>

namespace planc::sharding {

namespace {

using Stages = std::set<int>;

std::vector<int> list(const Stages &stages) {
    return {stages.begin(), stages.end()};
}

class Staging {
  public:
    Staging(const Graph &graph, const LayerStages &layers)
        : graph_(graph), layers_(layers), variables_(stages_of_variables(graph, layers)),
          needed_(graph.values.size()) {}

    StagedGraph run() {
        PerOperation<Stages> stages(graph_.operations.size());
        for (std::size_t i = graph_.operations.size(); i-- > 0;) { // what is needed is known before its producer comes
            const OperationId o(static_cast<int>(i));
            stages[o] = stages_of(o);
            for (const ValueId operand : graph_.operations[o].operands)
                needed_[operand].insert(stages[o].begin(), stages[o].end());
        }
        StagedGraph result;
        for (const Stages &each : stages)
            result.stages.push_back(list(each));
        for (const OperationId o : graph_.operations.ids())
            result.levels.push_back(levels_of(o, result));
        for (const ValueId v : graph_.values.ids())
            if (graph_.values[v].kind == ValueKind::computed)
                add_crossings(v, stages[graph_.values[v].producer], result.crossings);
        return result;
    }

  private:
    Stages stages_of(OperationId o) {
        const Operation &operation = graph_.operations[o];
        if (operation.accumulates)
            return {stage_of_sum(operation)};
        if (operation.parameter) {
            const std::vector<int> &users = variables_[operation.parameter];
            if (makes_number(operation))
                return {users.front()};
            return {users.begin(), users.end()};
        }
        if (const int stage = layers_.of[operation.layer]; stage != LayerStages::everywhere)
            return {stage};
        Stages needing;
        for (const ValueId result : operation.results)
            needing.insert(needed_[result].begin(), needed_[result].end());
        return needing.empty() ? Stages{layers_.count - 1} : needing;
    }

    /// A norm of a parameter is a sum in an order that its placement gives. One stage makes it, so that all copies of the
    /// parameter are scaled by the same number.
    [[nodiscard]] bool makes_number(const Operation &operation) const {
        const auto has_dimensions = [this](ValueId value) { return !graph_.values[value].roles.empty(); };
        return std::any_of(operation.operands.begin(), operation.operands.end(), has_dimensions) &&
               std::none_of(operation.results.begin(), operation.results.end(), has_dimensions);
    }

    /// A sum over micro-batches is kept where its operand is made.
    [[nodiscard]] int stage_of_sum(const Operation &operation) const {
        const OperationId producer = graph_.values[operation.operands.front()].producer;
        const LayerId layer = producer ? graph_.operations[producer].layer : operation.layer;
        const int stage = layers_.of[layer];
        if (stage != LayerStages::everywhere)
            return stage;
        return operation.parameter ? variables_[operation.parameter].front() : layers_.count - 1;
    }

    [[nodiscard]] std::vector<int> levels_of(OperationId o, const StagedGraph &known) const {
        const Operation &operation = graph_.operations[o];
        std::vector<int> levels(known.stages[o].size(), 0);
        if (operation.phase != Phase::update || operation.accumulates)
            return levels;
        for (std::size_t i = 0; i < levels.size(); ++i)
            for (const ValueId operand : operation.operands)
                if (const OperationId producer = graph_.values[operand].producer) {
                    const std::vector<int> &made = known.stages[producer];
                    const auto here = std::find(made.begin(), made.end(), known.stages[o][i]);
                    const int level = here != made.end()
                                          ? known.levels[producer][static_cast<std::size_t>(here - made.begin())]
                                          : known.levels[producer].front() + 1;
                    levels[i] = std::max(levels[i], level);
                }
        return levels;
    }

    void add_crossings(ValueId value, const Stages &made, std::vector<Crossing> &crossings) const {
        for (const int stage : needed_[value])
            if (!made.contains(stage))
                crossings.push_back({value, *made.begin(), stage});
    }

    const Graph &graph_;
    const LayerStages &layers_;
    PerValue<std::vector<int>> variables_;
    PerValue<Stages> needed_; ///< by the operations seen so far
};

bool is_forward(const Operation &operation) {
    return operation.phase == Phase::forward || operation.phase == Phase::loss;
}

} // namespace

PerValue<std::vector<int>> stages_of_variables(const Graph &graph, const LayerStages &layers) {
    PerValue<Stages> users(graph.values.size());
    for (const Operation &operation : graph.operations)
        if (const int stage = layers.of[operation.layer]; !operation.parameter && stage != LayerStages::everywhere)
            for (const ValueId operand : operation.operands)
                users[operand].insert(stage);
    PerValue<std::vector<int>> result;
    for (const ValueId v : graph.values.ids()) {
        const int owner = layers.of[graph.values[v].layer];
        const bool unused = graph.values[v].kind == ValueKind::variable && users[v].empty();
        result.push_back(unused ? std::vector<int>{std::max(owner, 0)} : list(users[v]));
    }
    return result;
}

StagedGraph staged(const Graph &graph, const LayerStages &layers) {
    return Staging(graph, layers).run();
}

std::string goes_back(const Graph &graph, const StagedGraph &staged) {
    for (const Crossing &crossing : staged.crossings) {
        const Operation &producer = graph.operations[graph.values[crossing.value].producer];
        if (!is_forward(producer) || crossing.from < crossing.to)
            continue;
        for (const OperationId o : graph.operations.ids()) {
            const Operation &reader = graph.operations[o];
            const auto &at = staged.stages[o];
            if (is_forward(reader) && std::find(at.begin(), at.end(), crossing.to) != at.end() &&
                std::find(reader.operands.begin(), reader.operands.end(), crossing.value) != reader.operands.end())
                return "'" + graph.layers[producer.layer].name + "' is needed by '" + graph.layers[reader.layer].name +
                       "'";
        }
    }
    return {};
}

} // namespace planc::sharding

#include "sharding/stages.h"

#include <algorithm>
#include <limits>
#include <set>

namespace planc::sharding {

namespace {

using Stages = std::set<int>;

std::vector<int> list(const Stages &stages) {
    return {stages.begin(), stages.end()};
}

/// A stage in the replica of an operation.
int part_of(const Operation &operation, int stage, const LayerStages &layers) {
    return stage == LayerStages::everywhere ? stage : operation.replica * layers.count + stage;
}

class Staging {
  public:
    Staging(const Graph &graph, const LayerStages &layers)
        : graph_(graph), layers_(layers), variables_(stages_of_variables(graph, layers)), needed_(graph.values.size()) {
        for (const OperationId o : graph.operations.ids())
            own_.push_back(own_stage(o));
    }

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
        raise_levels(result);
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
        if (own_[o] != LayerStages::everywhere)
            return {own_[o]};
        Stages needing;
        for (const ValueId result : operation.results)
            needing.insert(needed_[result].begin(), needed_[result].end());
        return needing.empty() ? Stages{part(operation, layers_.count - 1)} : needing;
    }

    [[nodiscard]] int part(const Operation &operation, int stage) const { return part_of(operation, stage, layers_); }

    /// The stage of the operation's layer. But a sum of gradients of a value that was read twice is made where its
    /// terms are, if that is one stage: then one value leaves it instead of two.
    [[nodiscard]] int own_stage(OperationId o) const {
        const Operation &operation = graph_.operations[o];
        const int stage = part(operation, layers_.of[operation.layer]);
        if (operation.phase != Phase::input_gradient || operation.kernel != Kernel::pointwise ||
            !operation.nest.linear || operation.operands.size() < 2 || stage == LayerStages::everywhere)
            return stage;
        Stages terms;
        for (const ValueId operand : operation.operands)
            if (const OperationId producer = graph_.values[operand].producer)
                terms.insert(own_[producer]);
        return terms.size() == 1 && *terms.begin() > stage ? *terms.begin() : stage;
    }

    /// A norm of a parameter is a sum in an order that its placement gives. One stage makes it, so that all copies of
    /// the parameter are scaled by the same number.
    [[nodiscard]] bool makes_number(const Operation &operation) const {
        const auto has_dimensions = [this](ValueId value) { return !graph_.values[value].roles.empty(); };
        return std::any_of(operation.operands.begin(), operation.operands.end(), has_dimensions) &&
               std::none_of(operation.results.begin(), operation.results.end(), has_dimensions);
    }

    /// A sum over micro-batches is kept where its operand is made.
    [[nodiscard]] int stage_of_sum(const Operation &operation) const {
        const OperationId producer = graph_.values[operation.operands.front()].producer;
        const int stage = producer ? own_[producer] : part(operation, layers_.of[operation.layer]);
        if (stage != LayerStages::everywhere)
            return stage;
        return operation.parameter ? variables_[operation.parameter].front() : part(operation, layers_.count - 1);
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
                    const auto here = std::lower_bound(made.begin(), made.end(), known.stages[o][i]);
                    const int level = here != made.end() && *here == known.stages[o][i]
                                          ? known.levels[producer][static_cast<std::size_t>(here - made.begin())]
                                          : known.levels[producer].front() + 1;
                    levels[i] = std::max(levels[i], level);
                }
        return levels;
    }

    /// A tensor that only later levels of the same stages need is made there, in the same loop: it need not be kept.
    void raise_levels(StagedGraph &known) const {
        PerValue<bool> stays(graph_.values.size());
        for (const std::vector<ValueId> *values : {&graph_.outputs, &graph_.sent})
            for (const ValueId value : *values)
                stays[value] = true;
        PerValue<std::vector<OperationId>> users(graph_.values.size());
        for (const OperationId o : graph_.operations.ids()) {
            const Operation &operation = graph_.operations[o];
            for (const ValueId operand : operation.operands)
                users[operand].push_back(o);
            for (std::size_t i = 0; i < operation.writes.size(); ++i)
                if (operation.writes[i])
                    stays[operation.results[i]] = true;
        }
        for (std::size_t i = graph_.operations.size(); i-- > 0;) {
            const OperationId o(static_cast<int>(i));
            const Operation &operation = graph_.operations[o];
            if (operation.phase != Phase::update || operation.accumulates || operation.kernel != Kernel::pointwise)
                continue;
            const bool is_fixed = operation.results.empty() || std::ranges::any_of(operation.results, [&](ValueId v) {
                                      return graph_.values[v].roles.empty() || stays[v] || users[v].empty() ||
                                             std::ranges::any_of(users[v], [&](OperationId user) {
                                                 return known.stages[user] != known.stages[o];
                                             });
                                  });
            for (std::size_t s = 0; s < known.levels[o].size() && !is_fixed; ++s) {
                int least = std::numeric_limits<int>::max();
                for (const ValueId result : operation.results)
                    for (const OperationId user : users[result])
                        least = std::min(least, known.levels[user][s]);
                known.levels[o][s] = std::max(known.levels[o][s], least);
            }
        }
    }

    void add_crossings(ValueId value, const Stages &made, std::vector<Crossing> &crossings) const {
        for (const int stage : needed_[value])
            if (!made.contains(stage))
                crossings.push_back({value, *made.begin(), stage});
    }

    const Graph &graph_;
    const LayerStages &layers_;
    PerValue<std::vector<int>> variables_;
    PerOperation<int> own_;   ///< the stage of each by its layer
    PerValue<Stages> needed_; ///< by the operations seen so far
};

/// Copies the operations of one stage, and the values that they need.
class StagePart {
  public:
    StagePart(const Graph &graph, const StagedGraph &staged, int stage)
        : graph_(graph), staged_(staged), stage_(stage), number_(graph.values.size()) {
        part_.layers = graph.layers;
        part_.microbatches = graph.microbatches;
        part_.slots = graph.slots;
        part_.weights = graph.weights;
    }

    StageGraph make() {
        for (const OperationId o : graph_.operations.ids())
            if (const auto &at = staged_.stages[o]; std::binary_search(at.begin(), at.end(), stage_))
                add(o, staged_.levels[o][static_cast<std::size_t>(std::lower_bound(at.begin(), at.end(), stage_) -
                                                                  at.begin())]);
        for (Operation &operation : part_.operations) // a stage may sum up gradients of a parameter that it lacks
            if (operation.parameter)
                operation.parameter = number_[operation.parameter];
        for (const ValueId output : graph_.outputs)
            if (number_[output] && part_.values[number_[output]].kind == ValueKind::computed)
                part_.outputs.push_back(number_[output]);
        ValueId last;
        for (const Crossing &crossing : staged_.crossings)
            if (crossing.from == stage_ && crossing.value != last) {
                part_.sent.push_back(number_[crossing.value]);
                last = crossing.value;
            }
        return {std::move(part_), std::move(number_)};
    }

  private:
    void add(OperationId o, int level) {
        Operation operation = graph_.operations[o];
        operation.level = level;
        const OperationId number = part_.operations.end_id();
        for (ValueId &operand : operation.operands)
            operand = here(operand);
        for (ValueId &written : operation.writes)
            written = written ? here(written) : written;
        for (ValueId &result : operation.results) {
            Value value = graph_.values[result];
            value.producer = number;
            result = number_[result] = part_.values.push_back(std::move(value));
        }
        part_.operations.push_back(std::move(operation));
        if (!graph_.work.empty())
            part_.work.push_back(graph_.work[o]);
    }

    ValueId here(ValueId value) {
        if (!number_[value]) {
            Value copy = graph_.values[value];
            if (copy.kind == ValueKind::computed)
                copy.kind = ValueKind::free;
            copy.producer = {};
            number_[value] = part_.values.push_back(std::move(copy));
        }
        return number_[value];
    }

    const Graph &graph_;
    const StagedGraph &staged_;
    int stage_;
    PerValue<ValueId> number_; ///< in the part
    Graph part_;
};

bool is_forward(const Operation &operation) {
    return operation.phase == Phase::forward || operation.phase == Phase::loss;
}

} // namespace

PerValue<std::vector<int>> stages_of_variables(const Graph &graph, const LayerStages &layers) {
    PerValue<Stages> users(graph.values.size());
    for (const Operation &operation : graph.operations)
        if (const int stage = part_of(operation, layers.of[operation.layer], layers);
            !operation.parameter && stage != LayerStages::everywhere)
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

StageGraph stage_graph(const Graph &graph, const StagedGraph &staged, int stage) {
    return StagePart(graph, staged, stage).make();
}

std::vector<Crossing> crossings_back(const Graph &graph, const StagedGraph &staged) {
    std::set<std::pair<ValueId, int>> needed; // by forward operations
    for (const OperationId o : graph.operations.ids())
        if (is_forward(graph.operations[o]))
            for (const ValueId operand : graph.operations[o].operands)
                for (const int stage : staged.stages[o])
                    needed.emplace(operand, stage);
    std::vector<Crossing> back;
    for (const Crossing &crossing : staged.crossings)
        if (is_forward(graph.operations[graph.values[crossing.value].producer]) && crossing.from > crossing.to &&
            needed.contains({crossing.value, crossing.to}))
            back.push_back(crossing);
    return back;
}

std::vector<int> reach_of_gradients(const Graph &graph, const StagedGraph &staged, int stages) {
    std::vector<int> reach;
    for (int stage = 0; stage < stages; ++stage)
        reach.push_back(std::max(stage - 1, 0));
    for (const Crossing &crossing : staged.crossings)
        if (graph.operations[graph.values[crossing.value].producer].phase != Phase::update &&
            crossing.to < crossing.from) {
            int &first = reach[static_cast<std::size_t>(crossing.from)];
            first = std::min(first, crossing.to);
        }
    return reach;
}

std::string goes_back(const Graph &graph, const StagedGraph &staged) {
    const std::vector<Crossing> back = crossings_back(graph, staged);
    if (back.empty())
        return {};
    const Crossing &crossing = back.front();
    for (const OperationId o : graph.operations.ids()) {
        const Operation &reader = graph.operations[o];
        const auto &at = staged.stages[o];
        if (is_forward(reader) && std::find(at.begin(), at.end(), crossing.to) != at.end() &&
            std::find(reader.operands.begin(), reader.operands.end(), crossing.value) != reader.operands.end())
            return "'" + graph.layers[graph.operations[graph.values[crossing.value].producer].layer].name +
                   "' is needed by '" + graph.layers[reader.layer].name + "'";
    }
    return {};
}

} // namespace planc::sharding

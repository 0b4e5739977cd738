#include "sharding/replicas.h"

#include "sharding/rewriting.h"

#include <algorithm>

namespace planc::sharding {

namespace {

/// An addition of values like this one.
Operation sum_like(const Graph &graph, ValueId value, const Operation &accumulate) {
    Operation add;
    add.name = "add";
    add.layer = accumulate.layer;
    add.phase = Phase::update;
    std::vector<int> loops;
    for (std::size_t d = 0; d < graph.values[value].roles.size(); ++d) {
        loops.push_back(static_cast<int>(d));
        add.nest.loops.push_back({graph.values[value].roles[d], graph.values[value].extents[d], LoopKind::parallel});
    }
    add.nest.operands = {loops, loops};
    add.nest.results = {loops};
    add.nest.linear = true;
    add.writes = {ValueId()};
    add.parameter = accumulate.parameter;
    add.per_step = true;
    return add;
}

class Replication {
  public:
    Replication(const Graph &graph, int replicas)
        : graph_(graph), result_(graph), replicas_(replicas), maps_(static_cast<std::size_t>(replicas)) {
        result_.operations.clear();
        result_.work.clear();
        for (PerValue<ValueId> &map : maps_)
            for (const ValueId v : graph.values.ids())
                map.push_back(v);
        updates_ = std::ranges::any_of(graph.operations, is_update);
    }

    /// The code of further replicas comes first, as in the IR: that decides which sums share a call.
    Graph run() {
        for (int replica = 1; replica < replicas_; ++replica)
            for (const OperationId o : graph_.operations.ids())
                if (!is_update(graph_.operations[o]))
                    add(o, replica);
        for (const OperationId o : graph_.operations.ids()) {
            add(o, 0);
            if (graph_.operations[o].accumulates && updates_)
                add_up(o);
        }
        for (ValueId &output : result_.outputs)
            output = maps_[0][output];
        return std::move(result_);
    }

  private:
    static bool is_update(const Operation &operation) {
        return operation.phase == Phase::update && !operation.accumulates;
    }

    void add(OperationId o, int replica) {
        PerValue<ValueId> &map = maps_[static_cast<std::size_t>(replica)];
        Operation operation = graph_.operations[o];
        operation.replica = replica;
        operation.original = {};
        for (ValueId &operand : operation.operands)
            operand = map[operand];
        for (ValueId &result : operation.results) {
            if (replica > 0)
                result = map[result] = result_.values.push_back(graph_.values[result]);
            result_.values[result].producer = result_.operations.end_id();
        }
        push(std::move(operation), graph_.work.empty() ? SharedWork() : graph_.work[o]);
    }

    void add_up(OperationId accumulate) {
        const ValueId own = graph_.operations[accumulate].results.front();
        ValueId &whole = maps_[0][own];
        for (std::size_t replica = 1; replica < maps_.size(); ++replica) {
            Operation add = sum_like(result_, whole, graph_.operations[accumulate]);
            add.operands = {whole, maps_[replica][own]};
            Value value = result_.values[whole];
            value.producer = result_.operations.end_id();
            whole = result_.values.push_back(std::move(value));
            add.results = {whole};
            SharedWork work = alone(result_, add);
            push(std::move(add), std::move(work));
        }
    }

    void push(Operation operation, SharedWork work) {
        result_.operations.push_back(std::move(operation));
        if (!graph_.work.empty())
            result_.work.push_back(std::move(work));
    }

    const Graph &graph_;
    Graph result_;
    int replicas_;
    std::vector<PerValue<ValueId>> maps_; ///< by replica; that of the first has the sums of all
    bool updates_ = false;
};

} // namespace

Graph with_replicas(const Graph &graph, int replicas) {
    return Replication(graph, replicas).run();
}

} // namespace planc::sharding

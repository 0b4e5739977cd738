#include "plan/terms/structure.h"

#include "support/parallel.h"

#include <numeric>
#include <optional>
#include <unordered_map>

namespace planc::plan {

using cost::Key;
using sharding::Operation;
using sharding::Use;
using sharding::Value;
using sharding::ValueKind;

/// Above this many variables, or after this many operations, what passes through an operation becomes a variable
/// itself.
static constexpr std::size_t most_followed = 2;
static constexpr int longest_chain = 8;

/// What passes through one operation may follow from its operands, and so on; `followed` are the variables on which it
/// then depends.
SumVariables::SumVariables(const sharding::GraphIndex &index) : of(index.graph.operations.size()) {
    const sharding::Graph &graph = index.graph;
    PerOperation<std::set<LayerId>> followed(graph.operations.size());
    PerOperation<int> chain(graph.operations.size(), 0);
    for (const OperationId o : graph.operations.ids()) {
        std::set<LayerId> &variables = followed[o];
        const std::vector<LayerId> own = Structure::of_operation(index, *this, o).variables();
        variables.insert(own.begin(), own.end());
        if (!index.may_pass_partial[o])
            continue;
        for (const ValueId operand : graph.operations[o].operands) {
            const OperationId above = graph.values[operand].producer;
            variables.insert(followed[above].begin(), followed[above].end());
            chain[o] = std::max(chain[o], chain[above] + 1);
        }
        if (variables.size() <= most_followed && chain[o] <= longest_chain)
            continue;
        chain[o] = 0;
        of[o] = LayerId(graph.layers.size() + operations.size());
        operations.push_back(o);
        variables = {own.begin(), own.end()};
        variables.insert(of[o]);
    }
}

Structure Structure::of_value(const sharding::GraphIndex &index, const SumVariables &sums, ValueId value) {
    Structure structure(index, sums);
    structure.origin(value);
    for (const Use &use : index.uses[value])
        structure.derived(use.operation, index.graph.operations[use.operation].nest.operands[use.operand]);
    if (const ValueId variable = index.stored_in[value])
        structure.home(variable);
    return structure;
}

Structure Structure::of_operation(const sharding::GraphIndex &index, const SumVariables &sums, OperationId operation) {
    Structure structure(index, sums);
    structure.all_of(operation);
    structure.strategy(operation);
    return structure;
}

Structure Structure::of_sums(const sharding::GraphIndex &index, const SumVariables &sums, OperationId operation) {
    Structure structure = of_operation(index, sums, operation);
    structure.by_variable_.insert(operation);
    for (const ValueId operand : index.graph.operations[operation].operands)
        structure.origin(operand);
    return structure;
}

Structure Structure::of_need(const sharding::GraphIndex &index, const SumVariables &sums, const sharding::Need &need) {
    Structure structure(index, sums);
    if (need.operand >= 0)
        structure.derived(need.operation, {});
    else if (need.home)
        structure.home(need.home);
    return structure;
}

Structure Structure::of_origin(const sharding::GraphIndex &index, const SumVariables &sums, ValueId value) {
    Structure structure(index, sums);
    structure.origin(value);
    return structure;
}

std::vector<LayerId> Structure::variables() const {
    std::set<LayerId> variables;
    for (const auto &[operation, loops] : operations_)
        if (!graph_.operations[operation].parameter)
            variables.insert(graph_.operations[operation].layer);
    for (const OperationId operation : by_variable_)
        variables.insert(sums_.of[operation]);
    return {variables.begin(), variables.end()};
}

/// An operation's own layer matters as soon as it is among operations_, unless it runs where its parameter lives.
void Structure::strategy(OperationId operation) {
    operations_[operation];
    if (const ValueId parameter = graph_.operations[operation].parameter)
        home(parameter);
}

void Structure::derived(OperationId operation, const std::vector<int> &loops) {
    strategy(operation);
    operations_[operation].insert(loops.begin(), loops.end());
    if (const auto &sparse = graph_.operations[operation].nest.sparse;
        sparse && sparse->matrix != 0) // which rows are listed depends on both of its loops
        all_of(operation);
    if (!index_.may_pass_partial[operation])
        return;
    all_of(operation); // whether partial sums pass depends on what else the strategy splits
    if (sums_.of[operation])
        by_variable_.insert(operation);
    else if (expanded_.insert(operation).second)
        for (const ValueId operand : graph_.operations[operation].operands)
            origin(operand);
}

void Structure::all_of(OperationId operation) {
    std::set<int> &loops = operations_[operation];
    for (int loop = 0; loop < static_cast<int>(graph_.operations[operation].nest.loops.size()); ++loop)
        loops.insert(loop);
}

void Structure::home(ValueId variable) {
    if (graph_.values[variable].home)
        return;
    if (const Use &reader = index_.reader[variable]; reader.operation)
        derived(reader.operation, graph_.operations[reader.operation].nest.operands[reader.operand]);
    else if (const ValueId root = index_.value_anchor[variable].root)
        home(root);
}

void Structure::origin(ValueId value) {
    if (graph_.values[value].kind == ValueKind::variable)
        return home(value);
    if (graph_.values[value].kind != ValueKind::computed)
        return;
    std::vector<int> loops(graph_.operations[graph_.values[value].producer].nest.loops.size());
    std::iota(loops.begin(), loops.end(), 0);
    derived(graph_.values[value].producer, loops);
}

namespace {

/// What a key is of.
enum class Kind : std::uint8_t { operation, value, sums, nest };

/// By order of appearance; -1 for none.
int number_of(ValueId value, std::map<ValueId, int> &numbers) {
    return value ? numbers.emplace(value, static_cast<int>(numbers.size())).first->second : -1;
}

void put_home(Key &key, const Value &value) {
    key.put(value.home.has_value());
    if (value.home) {
        key.put(value.home->dimensions.size());
        for (const planrt::DimensionPlacement &dimension : value.home->dimensions)
            key.put_all(dimension.axes);
        key.put_all(value.home->stored);
    }
}

void put_loops(Key &key, const sharding::Nest &nest) {
    key.put(nest.loops.size());
    for (const sharding::Loop &loop : nest.loops) {
        key.put(loop.name);
        key.put(loop.extent);
        key.put(loop.kind);
    }
    key.put(nest.windows.size());
    for (const sharding::NestWindow &window : nest.windows) {
        for (const std::int64_t number :
             {std::int64_t{window.operand}, std::int64_t{window.dimension}, std::int64_t{window.kernel_loop},
              window.extent, window.stride, window.dilation, window.padding, std::int64_t{window.transposed},
              std::int64_t{window.blocks_only}})
            key.put(number);
    }
    key.put(nest.sparse.has_value());
    if (nest.sparse) {
        for (const int number : {nest.sparse->outer, nest.sparse->inner, nest.sparse->matrix})
            key.put(number);
        key.put(nest.sparse->lists_rows);
        key.put(nest.sparse->exchanged);
        key.put(nest.sparse->density);
    }
}

/// Everything on which sharding::bind() and derive() depend, and the shapes of the tensors.
Key key_of_nest(const sharding::Graph &graph, const Operation &operation) {
    Key key;
    key.put(Kind::nest);
    put_loops(key, operation.nest);
    key.put(operation.nest.reduction);
    key.put(operation.nest.linear);
    const auto put_tensors = [&](const std::vector<ValueId> &values, const std::vector<std::vector<int>> &loops) {
        key.put(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            key.put_all(loops[i]);
            key.put_all(graph.values[values[i]].extents);
        }
    };
    put_tensors(operation.operands, operation.nest.operands);
    put_tensors(operation.results, operation.nest.results);
    return key;
}

} // namespace

void Structure::describe(Key &key, ValueId value) const {
    std::map<LayerId, int> layer_numbers;
    for (const LayerId layer : variables())
        layer_numbers.emplace(layer, static_cast<int>(layer_numbers.size()));
    std::map<ValueId, int> value_numbers;
    if (value) {
        const Value &v = graph_.values[value];
        number_of(value, value_numbers);
        key.put(v.kind);
        key.put(v.element_bytes);
        key.put(static_cast<bool>(index_.is_output[value]));
        key.put(number_of(index_.stored_in[value], value_numbers));
        key.put_all(v.extents);
        key.put(number_of(index_.value_anchor[value].root, value_numbers));
        key.put_all(index_.value_anchor[value].root_dimension);
    }
    key.put(operations_.size());
    for (const auto &[operation, loops] : operations_)
        describe(key, operation, value_numbers, layer_numbers);
}

void Structure::describe(Key &key, OperationId operation, std::map<ValueId, int> &value_numbers,
                         const std::map<LayerId, int> &layer_numbers) const {
    const Operation &o = graph_.operations[operation];
    const auto layer = layer_numbers.find(o.layer);
    key.put(o.kernel);
    key.put(o.phase);
    key.put(o.parameter || layer == layer_numbers.end() ? -1 : layer->second);
    key.put(index_.pass[operation]);
    key.put((o.accumulates ? 1 : 0) + (o.per_step ? 2 : 0) + 4 * o.level);
    key.put((index_.may_pass_partial[operation] ? 1 : 0) + (by_variable_.contains(operation) ? 2 : 0));
    key.put(o.nest.reduction);
    key.put(o.flops_per_point);
    put_loops(key, o.nest);
    const auto tensor = [&](ValueId v, const std::vector<int> &loops) {
        key.put(number_of(v, value_numbers));
        key.put(graph_.values[v].kind);
        key.put(graph_.values[v].element_bytes);
        put_home(key, graph_.values[v]);
        key.put_all(loops);
    };
    key.put(o.operands.size());
    for (std::size_t i = 0; i < o.operands.size(); ++i)
        tensor(o.operands[i], o.nest.operands[i]);
    key.put(o.results.size());
    for (std::size_t i = 0; i < o.results.size(); ++i)
        tensor(o.results[i], o.nest.results[i]);
    for (const ValueId variable : o.writes)
        key.put(number_of(variable, value_numbers));
    if (o.parameter) {
        key.put(number_of(o.parameter, value_numbers));
        key.put_all(index_.operation_anchor[operation].root_dimension);
    }
}

namespace {

/// Of one term.
struct Described {
    Structure structure;
    Key key; ///< equal: the terms price alike
    Described(Structure of, Kind kind) : structure(std::move(of)) { key.put(kind); }
};

Described describe_operation(const StepStructure &step, OperationId operation) {
    Described described(Structure::of_operation(step.index, step.sums, operation), Kind::operation);
    described.structure.describe(described.key, {});
    described.key.put(cost::text(step.facts->work[operation]));
    return described;
}

Described describe_value(const StepStructure &step, ValueId value) {
    Described described(Structure::of_value(step.index, step.sums, value), Kind::value);
    described.key.put(step.facts->residences[value] == cost::Residence::in_place);
    described.structure.describe(described.key, value);
    described.key.put(static_cast<bool>(step.index.companion[value]));
    return described;
}

Described describe_sums(const StepStructure &step, OperationId operation) {
    Described described(Structure::of_sums(step.index, step.sums, operation), Kind::sums);
    described.structure.describe(described.key, {});
    return described;
}

} // namespace

StepStructure::StepStructure(const sharding::GraphIndex &given, std::shared_ptr<const cost::GraphFacts> known)
    : index(given), facts(std::move(known)), sums(given),
      variables(given.graph.layers.size() + sums.operations.size()) {
    const std::size_t of_operations = index.graph.operations.size();
    const std::size_t of_values = index.graph.values.size();
    std::vector<std::optional<Described>> described(of_operations + of_values + sums.operations.size());
    support::in_parallel(described.size(), [&](std::size_t i) {
        if (i < of_operations)
            described[i].emplace(describe_operation(*this, OperationId(i)));
        else if (i < of_operations + of_values)
            described[i].emplace(describe_value(*this, ValueId(i - of_operations)));
        else
            described[i].emplace(describe_sums(*this, sums.operations[i - of_operations - of_values]));
    });
    std::unordered_map<std::string, int> kinds;
    const auto kind = [&kinds](std::string key) {
        return kinds.emplace(std::move(key), static_cast<int>(kinds.size())).first->second;
    };
    const auto scope = [&](std::size_t i) {
        Described &each = *described[i];
        std::vector<LayerId> of_term = each.structure.variables();
        return Scope{std::move(each.structure), std::move(of_term), kind(each.key.take())};
    };
    for (const OperationId o : index.graph.operations.ids()) {
        operations.push_back(scope(o.index()));
        nest_kind.push_back(kind(key_of_nest(index.graph, index.graph.operations[o]).take()));
    }
    for (const ValueId v : index.graph.values.ids())
        values.push_back(scope(of_operations + v.index()));
    for (std::size_t s = 0; s < sums.operations.size(); ++s)
        passing.push_back(scope(of_operations + of_values + s));
    find_readers();
}

/// With fewer variables, the table of all of them together is small enough.
static constexpr std::size_t least_taken_apart = 3;

void StepStructure::find_readers() {
    readers.resize(index.graph.values.size());
    for (const ValueId v : index.graph.values.ids()) {
        if (values[v].variables.size() < least_taken_apart)
            continue;
        const std::vector<sharding::Need> needs = sharding::needs(index, v);
        for (std::size_t n = 0; n < needs.size(); ++n) {
            std::vector<LayerId> of_need = Structure::of_need(index, sums, needs[n]).variables();
            if (readers[v].empty() || readers[v].back().variables != of_need)
                readers[v].push_back({{}, std::move(of_need), LayerId(variables++)});
            readers[v].back().needs.push_back(n);
        }
    }
}

} // namespace planc::plan

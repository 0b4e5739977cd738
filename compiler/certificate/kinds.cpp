#include "certificate/kinds.h"

#include <cmath>
#include <numeric>
#include <span>
#include <type_traits>
#include <unordered_map>

namespace planc::certificate {

using sharding::Operation;
using sharding::Use;
using sharding::Value;
using sharding::ValueKind;

Structure Structure::of_value(const sharding::GraphIndex &index, ValueId value) {
    Structure structure(index);
    structure.origin(value);
    for (const Use &use : index.uses[value])
        structure.derived(use.operation, index.graph.operations[use.operation].nest.operands[use.operand]);
    if (const ValueId variable = index.stored_in[value])
        structure.home(variable);
    return structure;
}

Structure Structure::of_operation(const sharding::GraphIndex &index, OperationId operation) {
    Structure structure(index);
    structure.all_of(operation);
    structure.strategy(operation);
    return structure;
}

std::vector<LayerId> Structure::layers() const {
    std::set<LayerId> layers;
    for (const auto &[operation, loops] : operations_)
        if (!graph_.operations[operation].parameter)
            layers.insert(graph_.operations[operation].layer);
    return {layers.begin(), layers.end()};
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
    if (!index_.may_pass_partial[operation])
        return;
    all_of(operation); // whether partial sums pass depends on what else the strategy splits
    if (expanded_.insert(operation).second)
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

template <class Number>
    requires std::is_arithmetic_v<Number>
void put(std::string &text, Number number) {
    text += std::to_string(number);
    text += ' ';
}
void put(std::string &text, std::span<const int> numbers) {
    for (int number : numbers)
        put(text, number);
    text += '/';
}

/// By order of appearance; -1 for none.
int number_of(ValueId value, std::map<ValueId, int> &numbers) {
    return value ? numbers.emplace(value, static_cast<int>(numbers.size())).first->second : -1;
}

void put_home(std::string &text, const Value &value) {
    text += value.home ? "at " : "";
    if (value.home) {
        for (const planrt::DimensionPlacement &dimension : value.home->dimensions)
            put(text, dimension.axes);
        put(text, value.home->stored);
    }
}

void put_loops(std::string &text, const sharding::Nest &nest) {
    for (const sharding::Loop &loop : nest.loops) {
        text += loop.name + ':';
        put(text, loop.extent);
        put(text, static_cast<int>(loop.kind));
    }
    for (const sharding::NestWindow &window : nest.windows) {
        text += 'w';
        for (const std::int64_t number :
             {std::int64_t{window.operand}, std::int64_t{window.dimension}, std::int64_t{window.kernel_loop},
              window.extent, window.stride, window.dilation, window.padding, std::int64_t{window.transposed},
              std::int64_t{window.blocks_only}})
            put(text, number);
    }
}

} // namespace

std::string Structure::text(ValueId value) const {
    std::map<LayerId, int> layer_numbers;
    for (const LayerId layer : layers())
        layer_numbers.emplace(layer, static_cast<int>(layer_numbers.size()));
    std::map<ValueId, int> value_numbers;
    std::string text;
    if (value) {
        const Value &v = graph_.values[value];
        number_of(value, value_numbers);
        put(text, static_cast<int>(v.kind));
        put(text, v.element_bytes);
        put(text, index_.is_output[value] ? 1 : 0);
        put(text, number_of(index_.stored_in[value], value_numbers));
        for (std::int64_t extent : v.extents)
            put(text, extent);
        put(text, number_of(index_.value_anchor[value].root, value_numbers));
        put(text, index_.value_anchor[value].root_dimension);
    }
    for (const auto &[operation, loops] : operations_)
        describe(text, operation, value_numbers, layer_numbers);
    return text;
}

void Structure::describe(std::string &text, OperationId operation, std::map<ValueId, int> &value_numbers,
                         const std::map<LayerId, int> &layer_numbers) const {
    const Operation &o = graph_.operations[operation];
    const auto layer = layer_numbers.find(o.layer);
    text += "\n";
    put(text, static_cast<int>(o.kernel));
    put(text, static_cast<int>(o.phase));
    put(text, o.parameter || layer == layer_numbers.end() ? -1 : layer->second);
    put(text, static_cast<int>(index_.pass[operation]));
    put(text, (o.accumulates ? 1 : 0) + (o.per_step ? 2 : 0));
    put(text, index_.may_pass_partial[operation] ? 1 : 0);
    put(text, static_cast<int>(o.nest.reduction));
    text += std::to_string(o.flops_per_point) + ' ';
    put_loops(text, o.nest);
    const auto tensor = [&](ValueId v, const std::vector<int> &loops) {
        put(text, number_of(v, value_numbers));
        put(text, static_cast<int>(graph_.values[v].kind));
        put(text, graph_.values[v].element_bytes);
        put_home(text, graph_.values[v]);
        put(text, loops);
    };
    for (std::size_t i = 0; i < o.operands.size(); ++i)
        tensor(o.operands[i], o.nest.operands[i]);
    text += '>';
    for (std::size_t i = 0; i < o.results.size(); ++i)
        tensor(o.results[i], o.nest.results[i]);
    for (const ValueId variable : o.writes)
        put(text, number_of(variable, value_numbers));
    if (o.parameter) {
        put(text, number_of(o.parameter, value_numbers));
        put(text, index_.operation_anchor[operation].root_dimension);
    }
}

Kinds::Kinds(const sharding::GraphIndex &given, const cost::Machine &machine)
    : index(given), facts(given.graph, machine) {
    std::unordered_map<std::string, int> kinds;
    const auto kind = [&kinds](std::string text) {
        return kinds.emplace(std::move(text), static_cast<int>(kinds.size())).first->second;
    };
    for (const OperationId o : index.graph.operations.ids()) {
        std::string text = Structure::of_operation(index, o).text({});
        text += cost::text(facts.work[o]);
        of_operation.push_back(kind(std::move(text)));
    }
    for (const ValueId v : index.graph.values.ids()) {
        std::string text = facts.residences[v] == cost::Residence::in_place ? "in place " : "stored ";
        text += Structure::of_value(index, v).text(v);
        text += index.companion[v] ? "joins" : "";
        of_value.push_back(kind(std::move(text)));
    }
}

} // namespace planc::certificate

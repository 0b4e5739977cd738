#include "plan/structure.h"

#include "plan/parallel.h"

#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <unordered_map>

namespace planc::plan {

using sharding::Operation;
using sharding::Use;
using sharding::Value;
using sharding::ValueKind;

Structure Structure::of_value(const sharding::GraphIndex &index, int value) {
    Structure structure(index);
    structure.origin(value);
    for (const Use &use : index.uses[value])
        structure.derived(use.operation, index.graph.operations[use.operation].nest.operands[use.operand]);
    if (index.stored_in[value] >= 0)
        structure.home(index.stored_in[value]);
    return structure;
}

Structure Structure::of_operation(const sharding::GraphIndex &index, int operation) {
    Structure structure(index);
    structure.all_of(operation);
    structure.strategy(operation);
    return structure;
}

std::vector<int> Structure::layers() const {
    std::set<int> layers;
    for (const auto &[operation, loops] : operations_)
        if (graph_.operations[operation].parameter < 0)
            layers.insert(graph_.operations[operation].layer);
    return {layers.begin(), layers.end()};
}

/// An operation's own layer matters as soon as it is among operations_, unless it runs where its parameter lives.
void Structure::strategy(int operation) {
    operations_[operation];
    if (const int parameter = graph_.operations[operation].parameter; parameter >= 0)
        home(parameter);
}

void Structure::derived(int operation, const std::vector<int> &loops) {
    strategy(operation);
    operations_[operation].insert(loops.begin(), loops.end());
    if (!index_.may_pass_partial[operation])
        return;
    all_of(operation); // whether partial sums pass depends on what else the strategy splits
    if (expanded_.insert(operation).second)
        for (int operand : graph_.operations[operation].operands)
            origin(operand);
}

void Structure::all_of(int operation) {
    std::set<int> &loops = operations_[operation];
    for (int loop = 0; loop < static_cast<int>(graph_.operations[operation].nest.loops.size()); ++loop)
        loops.insert(loop);
}

void Structure::home(int variable) {
    if (graph_.values[variable].home)
        return;
    if (const Use &reader = index_.reader[variable]; reader.operation >= 0)
        derived(reader.operation, graph_.operations[reader.operation].nest.operands[reader.operand]);
    else if (const int root = index_.value_anchor[variable].root; root >= 0)
        home(root);
}

void Structure::origin(int value) {
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

int id(std::map<int, int> &ids, int thing) {
    return ids.emplace(thing, static_cast<int>(ids.size())).first->second;
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

/// Everything on which sharding::bind() and derive() depend, and the shapes of the tensors.
std::string text_of_nest(const sharding::Graph &graph, const Operation &operation) {
    std::string text;
    put_loops(text, operation.nest);
    put(text, static_cast<int>(operation.nest.reduction));
    put(text, operation.nest.linear ? 1 : 0);
    const auto put_tensors = [&](const std::vector<int> &values, const std::vector<std::vector<int>> &loops) {
        text += '>';
        for (std::size_t i = 0; i < values.size(); ++i) {
            put(text, loops[i]);
            for (const std::int64_t extent : graph.values[values[i]].extents)
                put(text, extent);
        }
    };
    put_tensors(operation.operands, operation.nest.operands);
    put_tensors(operation.results, operation.nest.results);
    return text;
}

} // namespace

std::string Structure::text(int value) const {
    std::map<int, int> layer_ids;
    for (int layer : layers())
        layer_ids.emplace(layer, static_cast<int>(layer_ids.size()));
    std::map<int, int> value_ids;
    std::string text;
    if (value >= 0) {
        const Value &v = graph_.values[value];
        id(value_ids, value);
        put(text, static_cast<int>(v.kind));
        put(text, v.element_bytes);
        put(text, index_.is_output[value] ? 1 : 0);
        put(text, index_.stored_in[value] >= 0 ? id(value_ids, index_.stored_in[value]) : -1);
        for (std::int64_t extent : v.extents)
            put(text, extent);
        put(text, index_.value_anchor[value].root >= 0 ? id(value_ids, index_.value_anchor[value].root) : -1);
        put(text, index_.value_anchor[value].root_dimension);
    }
    for (const auto &[operation, loops] : operations_)
        describe(text, operation, value_ids, layer_ids);
    return text;
}

void Structure::describe(std::string &text, int operation, std::map<int, int> &value_ids,
                         const std::map<int, int> &layer_ids) const {
    const Operation &o = graph_.operations[operation];
    const auto layer = layer_ids.find(o.layer);
    text += "\n";
    put(text, static_cast<int>(o.kernel));
    put(text, static_cast<int>(o.phase));
    put(text, o.parameter >= 0 || layer == layer_ids.end() ? -1 : layer->second);
    put(text, static_cast<int>(index_.pass[operation]));
    put(text, (o.accumulates ? 1 : 0) + (o.per_step ? 2 : 0));
    put(text, index_.may_pass_partial[operation] ? 1 : 0);
    put(text, static_cast<int>(o.nest.reduction));
    text += std::to_string(o.flops_per_point) + ' ';
    put_loops(text, o.nest);
    const auto tensor = [&](int v, const std::vector<int> &loops) {
        put(text, id(value_ids, v));
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
    for (int variable : o.writes)
        put(text, variable < 0 ? -1 : id(value_ids, variable));
    if (o.parameter >= 0) {
        put(text, id(value_ids, o.parameter));
        put(text, index_.operation_anchor[operation].root_dimension);
    }
}

namespace {

/// Of one term.
struct Described {
    Structure structure;
    std::vector<int> layers;
    std::string text;         ///< equal: the terms price alike
    std::string text_of_nest; ///< of an operation
};

Described describe_operation(const sharding::GraphIndex &index, const cost::Fused &fused, int operation) {
    Structure structure = Structure::of_operation(index, operation);
    std::string text = structure.text(-1);
    for (const std::vector<bool> &each : {fused.operands, fused.results})
        for (bool is_fused : each)
            text += is_fused ? '1' : '0';
    for (bool each : {fused.same_pass, fused.own_rows, fused.accumulated})
        text += each ? '1' : '0';
    for (const cost::Bytes distance : fused.reuse)
        text += ' ' + std::to_string(std::llround(distance.value));
    std::vector<int> layers = structure.layers();
    return {std::move(structure), std::move(layers), std::move(text),
            text_of_nest(index.graph, index.graph.operations[operation])};
}

Described describe_value(const sharding::GraphIndex &index, cost::Residence residence, int value) {
    Structure structure = Structure::of_value(index, value);
    std::string text = residence == cost::Residence::in_place ? "in place " : "stored ";
    text += structure.text(value);
    text += index.companion[value] >= 0 ? "joins" : "";
    std::vector<int> layers = structure.layers();
    return {std::move(structure), std::move(layers), std::move(text), ""};
}

} // namespace

StepStructure::StepStructure(const sharding::GraphIndex &given, std::shared_ptr<const cost::GraphFacts> known)
    : index(given), facts(std::move(known)), operations_of_layer(given.graph.layers.size()),
      values_of_layer(given.graph.layers.size()) {
    const std::size_t count = index.graph.operations.size();
    std::vector<std::optional<Described>> described(count + index.graph.values.size());
    in_parallel(described.size(), [&](std::size_t i) {
        described[i].emplace(i < count
                                 ? describe_operation(index, facts->fusion[i], static_cast<int>(i))
                                 : describe_value(index, facts->residences[i - count], static_cast<int>(i - count)));
    });
    std::unordered_map<std::string, int> kinds;
    const auto kind = [&kinds](std::string text) {
        return kinds.emplace(std::move(text), static_cast<int>(kinds.size())).first->second;
    };
    for (std::size_t i = 0; i < described.size(); ++i) {
        Described &each = *described[i];
        const bool is_operation = i < count;
        for (int layer : each.layers)
            (is_operation ? operations_of_layer : values_of_layer)[layer].push_back(
                static_cast<int>(is_operation ? i : i - count));
        (is_operation ? operation_layers : value_layers).push_back(std::move(each.layers));
        (is_operation ? operation_kind : value_kind).push_back(kind(std::move(each.text)));
        if (is_operation)
            nest_kind.push_back(kind(std::move(each.text_of_nest)));
        (is_operation ? operations : values).push_back(std::move(each.structure));
    }
}

} // namespace planc::plan

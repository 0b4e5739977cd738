// The part of TermBuilder that finds where strategies place operands and results, by numbers of placements.
#include "plan/terms/term_builder.h"

#include "sharding/copies.h"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <utility>

namespace planc::plan {

TermBuilder::Column TermBuilder::column(const Term &term, LayerId layer, const std::vector<int> &numbers) {
    Column column;
    column.strides.assign(term.variables.size(), 0);
    const auto place = std::find(term.variables.begin(), term.variables.end(), layer) - term.variables.begin();
    column.strides[place] = 1;
    column.numbers.assign(term.classes[place], 0);
    const std::vector<int> &classes = *term.class_of[place];
    for (std::size_t strategy = 0; strategy < classes.size(); ++strategy)
        column.numbers[classes[strategy]] = numbers[strategy];
    return column;
}

TermBuilder::Column TermBuilder::wanted(const Term &term, ValueId v, const sharding::Need &need) {
    const PlacedOperation *operation = need.operand >= 0 ? placed(need.operation) : nullptr;
    if (operation != nullptr)
        return column(term, decided_by(need.operation), operation->operands[need.operand]);
    return column(term, Structure::of_need(index_, step_.sums, need).variables(), [&] { return number(v, need); });
}

TermBuilder::Column TermBuilder::origin(const Term &term, ValueId v) {
    const OperationId producer = graph_.values[v].producer;
    const PlacedOperation *operation = producer ? placed(producer) : nullptr;
    const std::size_t result = producer ? sharding::result_number(graph_, v) : 0;
    if (operation != nullptr)
        return column(term, decided_by(producer), operation->results[result]);
    return column(term, Structure::of_origin(index_, step_.sums, v).variables(), [&] { return lies(v); });
}

int TermBuilder::number(ValueId v, const sharding::Need &need) {
    if (const OperationId reader = need.operation; need.operand >= 0) {
        if (const PlacedOperation *operation = placed(reader))
            return operation->operands[need.operand][chosen_[decided_by(reader)]];
        if (index_.may_pass_partial[reader])
            return passing(reader).operands[need.operand];
    }
    return reshards_of(v).number(
        sharding::Copies(index_, mesh_, layers_, storage_, cache_.known.reshards).wanted(v, need));
}

int TermBuilder::lies(ValueId v) {
    if (graph_.values[v].kind == sharding::ValueKind::free)
        return -1;
    if (const OperationId producer = graph_.values[v].producer) {
        const std::size_t result = sharding::result_number(graph_, v);
        if (const PlacedOperation *operation = placed(producer))
            return operation->results[result][chosen_[decided_by(producer)]];
        if (index_.may_pass_partial[producer])
            return passing(producer).results[result];
    }
    return home(v);
}

int TermBuilder::home(ValueId v) {
    const ValueId anchor = index_.value_anchor[v].root;
    const ValueId root = anchor ? anchor : v;
    const sharding::Use &reader = index_.reader[root];
    const bool is_open = graph_.values[v].kind == sharding::ValueKind::variable && !graph_.values[root].home;
    const PlacedOperation *homes = is_open && reader.operation ? placed(reader.operation) : nullptr;
    const auto found = [&](int wanted) {
        sharding::Copies copies(index_, mesh_, layers_, storage_, cache_.known.reshards);
        if (wanted >= 0)
            copies.know_reader(root, reshards_of(root).placement(wanted));
        return reshards_of(v).number(copies.origin(v));
    };
    if (homes == nullptr)
        return found(-1);
    const int wanted = homes->operands[reader.operand][chosen_[decided_by(reader.operation)]];
    const auto [known, is_new] = homes_.try_emplace({v, wanted});
    if (is_new)
        known->second = found(wanted);
    return known->second;
}

LayerId TermBuilder::decided_by(OperationId o) const {
    const std::vector<LayerId> &variables = step_.operations[o].variables;
    return variables.empty() ? LayerId() : variables.front();
}

const PlacedOperation *TermBuilder::placed(OperationId o) {
    const sharding::Operation &operation = graph_.operations[o];
    if (index_.may_pass_partial[o])
        return nullptr;
    if (operation.parameter)
        return decided_by(o) ? &following(o) : nullptr;
    const Strategies &options = *space_.options[operation.layer];
    const auto [known, is_new] = cache_.placed.try_emplace({step_.nest_kind[o], &options});
    PlacedOperation &placed = known->second;
    if (!is_new)
        return &placed;
    const sharding::Nest &nest = operation.nest;
    std::list<NumberedPlacements> own; // of windows
    const auto placements = [&](ValueId value, const std::vector<int> &loops, int operand) {
        sharding::Reshards &reshards = reshards_of(value);
        const bool is_result = operand < 0;
        const int sums = is_result ? 1 + static_cast<int>(nest.reduction) : 0;
        return Placements(reshards,
                          are_told_by_loops(nest, loops, operand, graph_.values[value].extents)
                              ? cache_.numbered[{&reshards, sums}]
                              : own.emplace_back(),
                          nest, loops, is_result);
    };
    std::vector<Placements> of_operands;
    std::vector<Placements> of_results;
    for (int i = 0; i < static_cast<int>(operation.operands.size()); ++i)
        of_operands.push_back(placements(operation.operands[i], nest.operands[i], i));
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        of_results.push_back(placements(operation.results[i], nest.results[i], -1));
    placed.operands.resize(of_operands.size());
    placed.results.resize(of_results.size());
    for (const LayerStrategy &option : options) {
        const sharding::Strategy bound = sharding::bind(option, nest, mesh_);
        for (int i = 0; i < static_cast<int>(of_operands.size()); ++i)
            placed.operands[i].push_back(
                of_operands[i].number(bound, [&] { return sharding::derive_operand(nest, bound, mesh_, i); }));
        for (int i = 0; i < static_cast<int>(of_results.size()); ++i)
            placed.results[i].push_back(
                of_results[i].number(bound, [&] { return sharding::derive_result(nest, bound, mesh_, i); }));
    }
    return &placed;
}

const PlacedOperation &TermBuilder::following(OperationId o) {
    const LayerId layer = decided_by(o);
    const Strategies &options = *space_.options[layer];
    const auto [known, is_new] = following_.try_emplace({step_.operations[o].kind, &options});
    PlacedOperation &placed_all = known->second;
    if (!is_new)
        return placed_all;
    const sharding::Operation &operation = graph_.operations[o];
    placed_all.operands.resize(operation.operands.size());
    placed_all.results.resize(operation.results.size());
    const sharding::Use &reader = index_.reader[index_.operation_anchor[o].root];
    const PlacedOperation *homes = reader.operation ? placed(reader.operation) : nullptr;
    // by the number of the placement that the parameter's reader needs; otherwise by strategy
    std::map<int, Numbers> by_home;
    for (int strategy = 0; strategy < static_cast<int>(options.size()); ++strategy) {
        const int wanted = homes != nullptr ? homes->operands[reader.operand][strategy] : strategy;
        const auto [at, is_new_home] = by_home.try_emplace(wanted);
        if (is_new_home)
            at->second = following(o, layer, options[strategy], homes != nullptr ? wanted : -1);
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            placed_all.operands[i].push_back(at->second.operands[i]);
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            placed_all.results[i].push_back(at->second.results[i]);
    }
    return placed_all;
}

TermBuilder::Numbers TermBuilder::following(OperationId o, LayerId layer, const LayerStrategy &strategy, int wanted) {
    const LayerStrategy chosen = std::exchange(layers_[layer], strategy);
    const sharding::Operation &operation = graph_.operations[o];
    sharding::Copies copies(index_, mesh_, layers_, storage_, cache_.known.reshards);
    if (const ValueId root = index_.operation_anchor[o].root; wanted >= 0 && !graph_.values[root].home)
        copies.know_reader(root, reshards_of(root).placement(wanted));
    const sharding::Derived &derived = copies.derived(o);
    const auto number = [this](ValueId value, const sharding::Placement &placement) {
        return reshards_of(value).number(placement);
    };
    Numbers numbers;
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        numbers.operands.push_back(number(operation.operands[i], derived.operands[i]));
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        numbers.results.push_back(number(operation.results[i], derived.results[i]));
    layers_[layer] = chosen;
    return numbers;
}

PartialSums TermBuilder::sums_of(ValueId v) {
    const int number = lies(v);
    const sharding::Reshards &reshards = reshards_of(v);
    std::vector<PartialSums> &known = cache_.sums[&reshards];
    if (known.size() <= static_cast<std::size_t>(number))
        known.resize(static_cast<std::size_t>(number) + 1);
    PartialSums &sums = known[number];
    if (!sums.known) {
        const sharding::Placement &placement = reshards.placement(number);
        sums = {true, 0, planrt::largest_volume(placement, mesh_)};
        for (int axis : placement.partial)
            sums.axes |= placement.reduction == planrt::Reduction::sum ? std::uint32_t{1} << axis : 0;
    }
    return sums;
}

PassingOperation &TermBuilder::known_passing(OperationId o) {
    const LayerId layer = decided_by(o);
    const Strategies *options = layer ? space_.options[layer].get() : nullptr;
    auto &of_all = graph_.operations[o].parameter ? passing_following_ : cache_.passing;
    PassingOperation &known = of_all[{step_.operations[o].kind, options}];
    if (!known.free.empty())
        return known;
    for (std::size_t option = 0; option < (layer ? options->size() : 1); ++option) {
        LayerStrategies layers = layers_;
        if (layer)
            layers[layer] = (*options)[option];
        known.strategies.push_back(sharding::strategy_of(index_, mesh_, layers, o, storage_));
        const sharding::Strategy &strategy = known.strategies.back();
        std::uint32_t &free = known.free.emplace_back();
        for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
            if (strategy.loop_of_axis[axis] < 0 &&
                std::find(strategy.stored.begin(), strategy.stored.end(), axis) == strategy.stored.end())
                free |= std::uint32_t{1} << axis;
    }
    return known;
}

const PassingOperation::Placed &TermBuilder::passing(OperationId o, std::uint32_t axes) {
    PassingOperation &known = known_passing(o);
    const LayerId layer = decided_by(o);
    const int option = layer ? chosen_[layer] : 0;
    const auto [at, is_new] = known.placed.try_emplace({option, axes});
    PassingOperation::Placed &placed = at->second;
    if (!is_new)
        return placed;
    const sharding::Operation &operation = graph_.operations[o];
    std::vector<int> partial;
    for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
        if (axes >> axis & 1)
            partial.push_back(axis);
    const sharding::Derived derived = sharding::derive(operation.nest, known.strategies[option], mesh_, partial);
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        placed.operands.push_back(reshards_of(operation.operands[i]).number(derived.operands[i]));
    for (std::size_t i = 0; i < operation.results.size(); ++i) {
        placed.results.push_back(reshards_of(operation.results[i]).number(derived.results[i]));
        placed.largest = std::max(placed.largest, planrt::largest_volume(derived.results[i], mesh_));
    }
    return placed;
}

/// As sharding::Copies derives them: sums pass over the axes along which all operands are partial and that split
/// nothing, unless a result would be larger than the smallest operand.
std::uint32_t TermBuilder::passing_axes(OperationId o) {
    const LayerId layer = decided_by(o);
    std::uint32_t axes = known_passing(o).free[layer ? chosen_[layer] : 0];
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (const ValueId operand : graph_.operations[o].operands) {
        const PartialSums sums = sums_of(operand);
        axes &= sums.axes;
        smallest = std::min(smallest, sums.largest);
    }
    return axes != 0 && passing(o, axes).largest > smallest ? 0 : axes;
}

const PassingOperation::Placed &TermBuilder::passing(OperationId o) {
    const LayerId variable = step_.sums.of[o];
    return passing(o, variable ? cache_.sets_of_sums[chosen_[variable]] : passing_axes(o));
}

} // namespace planc::plan

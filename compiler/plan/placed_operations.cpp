// The part of TermBuilder that finds where strategies place operands and results, by numbers of placements.
#include "plan/term_builder.h"

#include "sharding/copies.h"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <utility>

namespace planc::plan {

/// Consecutive operations through which sums pass; longer chains are left to Copies.
static constexpr int longest_chain = 8;

std::vector<LayerId> TermBuilder::layers_of(const sharding::Need &need) const {
    if (need.operand >= 0)
        return sharding::layers_of_placements(index_, need.operation);
    return need.home ? sharding::layers_of_origin(index_, need.home) : std::vector<LayerId>{};
}

template <class Number>
TermBuilder::Column TermBuilder::column(const Term &term, const std::vector<LayerId> &layers, const Number &number) {
    Column column;
    column.strides.assign(term.layers.size(), 0);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < term.layers.size(); ++i)
        if (std::binary_search(layers.begin(), layers.end(), term.layers[i]))
            places.push_back(i);
    int stride = 1;
    for (std::size_t i = places.size(); i-- > 0;) {
        column.strides[places[i]] = stride;
        stride *= term.classes[places[i]];
    }
    for_each(term, places, [&](const std::vector<int> &) { column.numbers.push_back(number()); });
    return column;
}

TermBuilder::Column TermBuilder::column(const Term &term, LayerId layer, const std::vector<int> &numbers) {
    Column column;
    column.strides.assign(term.layers.size(), 0);
    const auto place = std::find(term.layers.begin(), term.layers.end(), layer) - term.layers.begin();
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
        return column(term, step_.operation_layers[need.operation].front(), operation->operands[need.operand]);
    if (need.operand >= 0 && is_passing(need.operation))
        return column(term, layers_of(need), [&] { return passing(need.operation).operands[need.operand]; });
    sharding::Reshards &reshards = reshards_of(v);
    return column(term, layers_of(need),
                  [&] { return reshards.number(sharding::Copies(index_, mesh_, layers_, storage_).wanted(v, need)); });
}

TermBuilder::Column TermBuilder::origin(const Term &term, ValueId v) {
    const OperationId producer = graph_.values[v].producer;
    const PlacedOperation *operation = producer ? placed(producer) : nullptr;
    if (operation != nullptr)
        return column(term, step_.operation_layers[producer].front(),
                      operation->results[sharding::result_number(graph_, v)]);
    if (producer && is_passing(producer))
        return column(term, sharding::layers_of_origin(index_, v),
                      [&, result = sharding::result_number(graph_, v)] { return passing(producer).results[result]; });
    sharding::Reshards &reshards = reshards_of(v);
    return column(term, sharding::layers_of_origin(index_, v),
                  [&] { return reshards.number(sharding::Copies(index_, mesh_, layers_, storage_).origin(v)); });
}

const PlacedOperation *TermBuilder::placed(OperationId o) {
    const sharding::Operation &operation = graph_.operations[o];
    if (index_.may_pass_partial[o])
        return nullptr;
    if (operation.parameter)
        return follows_layer(o) ? &following(o) : nullptr;
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

/// Homes and updates are left to Copies, and so are long chains of sums.
bool TermBuilder::is_passing(OperationId o) {
    return sums_above(o) <= longest_chain;
}

int TermBuilder::sums_above(OperationId o) {
    constexpr int unknown = -1;
    sums_above_.resize(graph_.operations.size(), unknown);
    if (sums_above_[o] != unknown)
        return sums_above_[o];
    const sharding::Operation &operation = graph_.operations[o];
    int above = operation.parameter || !index_.may_pass_partial[o] ? longest_chain + 1 : 1;
    for (const ValueId operand : operation.operands) {
        const OperationId producer = graph_.values[operand].producer;
        if (!producer || graph_.operations[producer].parameter)
            above = longest_chain + 1;
        else if (index_.may_pass_partial[producer])
            above = std::max(above, 1 + sums_above(producer));
    }
    return sums_above_[o] = above;
}

bool TermBuilder::follows_layer(OperationId o) const {
    return graph_.operations[o].parameter && !index_.may_pass_partial[o] && step_.operation_layers[o].size() == 1;
}

const PlacedOperation &TermBuilder::following(OperationId o) {
    const LayerId layer = step_.operation_layers[o].front();
    const Strategies &options = *space_.options[layer];
    const auto [known, is_new] = following_.try_emplace({step_.operation_kind[o], &options});
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
    sharding::Copies copies(index_, mesh_, layers_, storage_);
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
    const OperationId producer = graph_.values[v].producer;
    const PlacedOperation *operation = placed(producer);
    const std::size_t result = sharding::result_number(graph_, v);
    const int number = operation != nullptr ? operation->results[result][chosen_[graph_.operations[producer].layer]]
                                            : passing(producer).results[result];
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

/// As sharding::Copies derives them: sums pass over the axes along which all operands are partial and that split
/// nothing, unless a result would be larger than the smallest operand.
const PassingOperation::Placed &TermBuilder::passing(OperationId o) {
    const sharding::Operation &operation = graph_.operations[o];
    const Strategies &options = *space_.options[operation.layer];
    PassingOperation &known = cache_.passing[{step_.operation_kind[o], &options}];
    const int chosen = chosen_[operation.layer];
    if (known.free.empty())
        for (const LayerStrategy &option : options) {
            const sharding::Strategy strategy = sharding::bind(option, operation.nest, mesh_);
            std::uint32_t &free = known.free.emplace_back();
            for (std::size_t axis = 0; axis < mesh_.sizes.size(); ++axis)
                free |= strategy.loop_of_axis[axis] < 0 ? std::uint32_t{1} << axis : 0;
        }
    std::uint32_t axes = known.free[chosen];
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (const ValueId operand : operation.operands) {
        const PartialSums sums = sums_of(operand);
        axes &= sums.axes;
        smallest = std::min(smallest, sums.largest);
    }
    const auto placed_with = [&](std::uint32_t set) -> const PassingOperation::Placed & {
        const auto [at, is_new] = known.placed.try_emplace({chosen, set});
        PassingOperation::Placed &placed = at->second;
        if (!is_new)
            return placed;
        std::vector<int> partial;
        for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
            if (set >> axis & 1)
                partial.push_back(axis);
        const sharding::Derived derived =
            sharding::derive(operation.nest, sharding::bind(options[chosen], operation.nest, mesh_), mesh_, partial);
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            placed.operands.push_back(reshards_of(operation.operands[i]).number(derived.operands[i]));
        for (std::size_t i = 0; i < operation.results.size(); ++i) {
            placed.results.push_back(reshards_of(operation.results[i]).number(derived.results[i]));
            placed.largest = std::max(placed.largest, planrt::largest_volume(derived.results[i], mesh_));
        }
        return placed;
    };
    const PassingOperation::Placed &placed = placed_with(axes);
    return axes != 0 && placed.largest > smallest ? placed_with(0) : placed;
}

} // namespace planc::plan

#include "sharding/copies.h"

#include "sharding/placement.h"

#include <algorithm>

namespace planc::sharding {

const Strategy &Copies::strategy(OperationId operation) {
    const auto known = strategies_.find(operation);
    if (known != strategies_.end())
        return known->second;
    const Operation &o = graph_.operations[operation];
    Strategy strategy = o.parameter ? follow_parameter(operation) : bind(layers_[o.layer], o.nest, mesh_);
    return strategies_.emplace(operation, std::move(strategy)).first->second;
}

Strategy Copies::follow_parameter(OperationId operation) {
    const Anchor &anchor = index_.operation_anchor[operation];
    const Operation &o = graph_.operations[operation];
    Strategy strategy;
    strategy.loop_of_axis.assign(mesh_.sizes.size(), -1);
    const Placement &root = home(anchor.root);
    for (std::size_t loop = 0; loop < anchor.root_dimension.size(); ++loop) {
        if (anchor.root_dimension[loop] < 0)
            continue;
        for (int axis : root.dimensions[anchor.root_dimension[loop]].axes) {
            strategy.loop_of_axis[axis] = static_cast<int>(loop);
            strategy.order.push_back(axis);
        }
    }
    if (!o.nest.loops.empty() && is_flat(o.nest))
        strategy.stored = shares(o.accumulates ? storage_.gradients : storage_.optimizer, root);
    for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
        if (strategy.loop_of_axis[axis] < 0)
            strategy.order.push_back(axis);
    return strategy;
}

const Derived &Copies::derived(OperationId operation) {
    const auto known = derived_.find(operation);
    if (known != derived_.end())
        return known->second;
    Derived derived = derive_with_partial_sums(operation);
    return derived_.emplace(operation, std::move(derived)).first->second;
}

Derived Copies::derive_with_partial_sums(OperationId operation) {
    const Operation &o = graph_.operations[operation];
    const Strategy &own = strategy(operation);
    if (!index_.may_pass_partial[operation])
        return derive(o.nest, own, mesh_);

    std::vector<int> common;
    std::int64_t smallest_operand = INT64_MAX;
    for (std::size_t i = 0; i < o.operands.size(); ++i) {
        const Placement &operand = origin(o.operands[i]);
        smallest_operand = std::min(smallest_operand, largest_volume(operand, mesh_));
        if (i == 0)
            common = operand.partial;
        std::erase_if(common, [&](int axis) {
            return !contains(operand.partial, axis) || operand.reduction != Reduction::sum ||
                   own.loop_of_axis[axis] >= 0 || contains(own.stored, axis);
        });
    }
    Derived result = derive(o.nest, own, mesh_, common);
    for (const Placement &placement : result.results)
        if (!common.empty() && largest_volume(placement, mesh_) > smallest_operand)
            return derive(o.nest, own, mesh_);
    return result;
}

const Placement &Copies::origin(ValueId value) {
    return graph_.values[value].kind == ValueKind::variable ? home(value) : produced(value);
}

const Placement &Copies::produced(ValueId value) {
    return derived(graph_.values[value].producer).results[result_number(graph_, value)];
}

std::pair<Strategy, Derived> Copies::take(OperationId operation) {
    derived(operation);
    return {std::move(strategies_.at(operation)), std::move(derived_.at(operation))};
}

const Placement &Copies::home(ValueId variable) {
    if (graph_.values[variable].home)
        return *graph_.values[variable].home;
    const auto known = homes_.find(variable);
    return known != homes_.end() ? known->second : homes_.emplace(variable, find_home(variable)).first->second;
}

Placement Copies::find_home(ValueId variable) {
    if (const Use &reader = index_.reader[variable]; reader.operation)
        return home_as_read(variable, derived(reader.operation).operands[reader.operand]);
    const Anchor &anchor = index_.value_anchor[variable];
    Placement result = replicated(graph_.values[variable].extents);
    if (anchor.root) {
        const Placement &root = home(anchor.root);
        for (std::size_t d = 0; d < result.dimensions.size(); ++d)
            if (anchor.root_dimension[d] >= 0)
                result.dimensions[d].axes = root.dimensions[anchor.root_dimension[d]].axes;
    }
    return with_shares(variable, std::move(result));
}

Placement Copies::home_as_read(ValueId variable, Placement wanted) const {
    for (planrt::DimensionPlacement &dimension : wanted.dimensions)
        dimension.window.reset(); // homes do not overlap
    return with_shares(variable, std::move(wanted));
}

Placement Copies::with_shares(ValueId variable, Placement home) const {
    const bool follows = static_cast<bool>(index_.value_anchor[variable].root);
    if (!home.dimensions.empty())
        home.stored = shares(follows ? storage_.optimizer : storage_.parameters, home);
    return home;
}

/// Returns those of the axes along which the placement is replicated.
std::vector<int> Copies::shares(const std::vector<int> &axes, const Placement &placement) const {
    std::vector<int> result;
    for (int axis : axes)
        if (mesh_.sizes[axis] > 1 && !cuts(placement, axis))
            result.push_back(axis);
    return result;
}

Placement Copies::wanted(ValueId value, const Need &need) {
    if (need.operand >= 0)
        return derived(need.operation).operands[need.operand];
    if (need.sent)
        return sent_placement(origin(value));
    return need.home ? home(need.home) : replicated(graph_.values[value].extents);
}

std::vector<Copy> Copies::of(ValueId value, const Reads &reads) {
    Reshards &reshards = reshards_.of(graph_.values[value].extents);
    Links links(index_, value, reshards);
    std::vector<int> numbers;
    for (const Need &need : links.needs())
        numbers.push_back(
            reshards.number(need.operand >= 0 ? derived(need.operation).operands[need.operand] : wanted(value, need)));
    int from = -1;
    if (graph_.values[value].kind == ValueKind::computed)
        from = reshards.number(produced(value));
    else if (graph_.values[value].kind == ValueKind::variable)
        from = reshards.number(home(value));
    std::vector<Copy> copies;
    for (const Link &link : links.of(from, numbers))
        copies.push_back(copy_of(graph_, value, link, reshards));
    for (std::size_t n = 0; n < numbers.size(); ++n)
        reads(links.needs()[n], links.read_by(n, numbers[n]));
    return copies;
}

} // namespace planc::sharding

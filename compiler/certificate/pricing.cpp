#include "certificate/pricing.h"

#include "cost/kernels/compute.h"
#include "cost/memory.h"
#include "sharding/bucket.h"
#include "sharding/joint_sums.h"
#include "sharding/placement.h"

#include <algorithm>

namespace planc::certificate {

using sharding::Phase;

namespace {

/// Whether no copy of the value may share a call with others, under any strategies.
bool pays_alone(const sharding::GraphIndex &index, ValueId value) {
    return !index.companion[value] &&
           std::none_of(index.uses[value].begin(), index.uses[value].end(), [&](const sharding::Use &use) {
               return index.graph.operations[use.operation].phase == Phase::update;
           });
}

/// Whether each copy is made for every micro-batch.
bool is_made_often(const sharding::GraphIndex &index, ValueId value) {
    const std::vector<sharding::Need> needs = sharding::needs(index, value);
    const OperationId producer = index.graph.values[value].producer;
    const bool once =
        producer && (index.graph.operations[producer].per_step || index.graph.operations[producer].accumulates);
    return !once && std::all_of(needs.begin(), needs.end(), [&](const sharding::Need &need) {
        return need.operand >= 0 && !index.graph.operations[need.operation].per_step;
    });
}

/// Of the operands and results of an operation, or else of a variable's home.
Derivation derivation(const sharding::GraphIndex &index, OperationId operation, ValueId home) {
    if (!operation) {
        const std::vector<LayerId> layers = home ? sharding::layers_of_origin(index, home) : std::vector<LayerId>{};
        return {layers, layers, {}, {}};
    }
    Derivation result{
        sharding::layers_of_placements(index, operation), sharding::layers_of_strategy(index, operation), {}, {}};
    if (index.may_pass_partial[operation])
        for (const ValueId operand : index.graph.operations[operation].operands)
            if (!sharding::layers_of_origin(index, operand).empty())
                result.operands.push_back(operand);
    return result;
}

} // namespace

StepScopes::StepScopes(const sharding::GraphIndex &index, const cost::Machine &machine, int larger)
    : kinds(index, machine), microbatches(index.graph.microbatches - larger) {
    for (const ValueId v : index.graph.values.ids()) {
        needs.push_back(sharding::needs(index, v));
        layers.push_back(sharding::scope(index, v));
        std::vector<Derivation> &placements = of_placement.emplace_back();
        const OperationId producer = index.graph.values[v].producer;
        for (const sharding::Need &need : needs.back())
            placements.push_back(
                need.sent ? derivation(index, producer, v)
                          : derivation(index, need.operand >= 0 ? need.operation : OperationId(), need.home));
        placements.push_back(derivation(index, producer, v));
        alone.push_back(pays_alone(index, v));
        times.push_back(is_made_often(index, v) ? microbatches : 1);
    }
    for (std::vector<Derivation> &placements : of_placement)
        for (Derivation &each : placements)
            find_passing(each.operands, each.passing);
}

/// Adds those of the values that depend on several layers, after their operands.
void StepScopes::find_passing(const std::vector<ValueId> &values, std::vector<ValueId> &passing) const {
    for (const ValueId v : values) {
        const Derivation &from = of_placement[v].back();
        if (from.layers.size() < 2 || std::find(passing.begin(), passing.end(), v) != passing.end())
            continue;
        find_passing(from.operands, passing);
        passing.push_back(v);
    }
}

Pricing::Pricing(const StepScopes &step, const Mesh &mesh, const cost::Machine &machine)
    : step_(step), graph_(step.kinds.index.graph), mesh_(mesh), machine_(machine), reshards_(mesh),
      steps_(mesh, machine), transfers_(mesh, machine) {
    for (const sharding::Value &value : graph_.values)
        reshards_of_.push_back(&reshards_.of(value.extents));
    weigh({});
}

void Pricing::weigh(const Weights &weights) {
    weights_ = weights;
    charged_.assign(graph_.values.size(), {});
    for (const auto &[call, values] : weights.latency)
        for (const ValueId value : values)
            charged_[value][call] = 1 / static_cast<double>(values.size());
    for (const auto &[call, occurs] : weights.occurs) {
        const double part = weights.penalty / latency(call);
        for (Charges &charged : charged_)
            if (occurs)
                charged.erase(call);
            else
                charged[call] = part;
    }
    kind_.clear();
    for (const ValueId v : graph_.values.ids())
        kind_.push_back(
            kinds_
                .emplace(std::tuple(step_.kinds.of_value[v], in_memory(v) ? weights.seconds_per_byte : 0, charged_[v]),
                         static_cast<int>(kinds_.size()))
                .first->second);
}

double Pricing::latency(const SharedCall &call) {
    sharding::Step step{sharding::CollectiveKind::all_reduce, call.axes, sharding::replicated({1}),
                        sharding::replicated({1})};
    step.from.partial = call.axes;
    return steps_.of(step, call.element_bytes, cost::in_bucket(true, Phase::weight_gradient)).price.latency.value;
}

bool Pricing::in_memory(ValueId value) const {
    const cost::Life &life = step_.kinds.facts.lives[value];
    return !life.first || (life.first <= weights_.operation && weights_.operation <= life.last);
}

int Pricing::number(ValueId value, std::size_t need, sharding::Copies &copies) {
    if (need < step_.needs[value].size())
        return reshards(value).number(copies.wanted(value, step_.needs[value][need]));
    return graph_.values[value].kind == sharding::ValueKind::free ? -1 : reshards(value).number(copies.origin(value));
}

std::vector<int> Pricing::numbers(ValueId value, sharding::Copies &copies) {
    std::vector<int> result;
    for (std::size_t need = 0; need <= step_.needs[value].size(); ++need)
        result.push_back(number(value, need, copies));
    return result;
}

const Pricing::Price &Pricing::price(ValueId value, const std::vector<int> &numbers) {
    const auto [known, is_new] = known_.try_emplace({step_.kinds.of_value[value], numbers});
    Price &result = known->second;
    if (!is_new)
        return result;
    const sharding::Value &v = graph_.values[value];
    const bool joined = static_cast<bool>(step_.kinds.index.companion[value]);
    std::vector<cost::CopyMemory> memory;
    sharding::Links links(step_.kinds.index, value, reshards(value));
    for (const sharding::Link &link : links.of(numbers.back(), {numbers.data(), numbers.size() - 1})) {
        const sharding::Copy copy = sharding::copy_of(graph_, value, link, reshards(value));
        const bool fusable = sharding::fusable(graph_, mesh_, value, copy);
        const bool joins = joined && sharding::joins(graph_, mesh_, value, copy);
        const int times = sharding::once_a_step(graph_, value, copy) ? 1 : step_.microbatches;
        for (const sharding::Step &step : copy.steps) {
            const cost::Price price = steps_.of(step, v.element_bytes, cost::in_bucket(fusable, copy.phase)).price;
            result.seconds += times * (price.transfer + price.arithmetic).value;
            if (fusable)
                result.shared.push_back(
                    {{copy.phase == Phase::update, v.element_bytes, step.axes}, price.latency.value});
            else if (!joins)
                result.seconds += times * price.latency.value;
        }
        memory.push_back(cost::copy_memory(v, copy, mesh_));
        memory.back().source = copy.source;
    }
    const cost::Residence residence = step_.kinds.facts.residences[value];
    if (residence != cost::Residence::in_place)
        result.bytes = cost::copies_bytes(graph_, value, residence, memory).value;
    return result;
}

double Pricing::seconds(ValueId value, const std::vector<int> &numbers) {
    const Price &found = price(value, numbers);
    double seconds = found.seconds;
    Charges charged = charged_[value];
    for (const auto &[call, latency] : found.shared)
        if (const auto part = charged.find(call); part != charged.end()) {
            seconds += part->second * latency;
            charged.erase(part); // once
        }
    return seconds + (in_memory(value) ? weights_.seconds_per_byte * found.bytes : 0);
}

double Pricing::least(ValueId value, int origin, int wanted) {
    return step_.times[value] *
           transfers_.seconds(reshards(value), origin, wanted, graph_.values[value].element_bytes, step_.alone[value]);
}

double Pricing::seconds(OperationId operation, sharding::Copies &copies) {
    const sharding::Operation &o = graph_.operations[operation];
    return (o.per_step ? 1 : step_.microbatches) *
           cost::seconds_under(copies.strategy(operation), o, step_.kinds.facts.work[operation], mesh_, machine_).value;
}

} // namespace planc::certificate

#include "plan/transfers/value_price.h"

#include "sharding/joint_sums.h"

#include <algorithm>
#include <limits>

namespace planc::plan {

std::size_t kind_of_use(const sharding::Graph &graph, sharding::OperationId operation) {
    if (!graph.operations.contains(operation))
        return 0;
    const sharding::Operation &o = graph.operations[operation];
    return 1 + (o.per_step ? 1 : 0) + (o.phase == sharding::Phase::update ? 2 : 0);
}

LinkPrices &MeshPrices::links(const sharding::GraphIndex &index, sharding::ValueId value,
                              const sharding::Reshards &reshards) {
    const sharding::Value &v = index.graph.values[value];
    const bool accumulates = v.producer && index.graph.operations[v.producer].accumulates;
    return links_[{&reshards,
                   {v.element_bytes, index.companion[value] ? 1 : 0, accumulates ? 1 : 0,
                    static_cast<int>(kind_of_use(index.graph, v.producer))}}];
}

ValuePrices::ValuePrices(const sharding::GraphIndex &index, const sharding::Mesh &mesh, KnownPrices &known,
                         MeshPrices &links, sharding::ValueId value, cost::Residence residence)
    : graph_(index.graph), has_companion_(index.companion[value]), mesh_(mesh), prices_(known.prices), value_(value),
      residence_(residence), reshards_(known.reshards.of(index.graph.values[value].extents)),
      links_(index, value, reshards_), known_(links.links(index, value, reshards_)) {}

const ValuePrice &ValuePrices::of(int origin, std::span<const sharding::Links::Wanted> wanted) {
    result_.seconds = 0;
    result_.fused.clear();
    result_.bytes = {};
    memory_.clear();
    if (origin >= 0 && !std::all_of(wanted.begin(), wanted.end(), [&](const sharding::Links::Wanted &each) {
            return links_.possible(origin, each.placement);
        })) {
        result_.seconds = std::numeric_limits<double>::infinity();
        return result_;
    }
    for (const sharding::Link &link : links_.of(origin, wanted)) {
        const LinkPrice &each = price(link);
        for (double seconds : each.seconds)
            result_.seconds += seconds;
        result_.fused.insert(result_.fused.end(), each.fused.begin(), each.fused.end());
        memory_.push_back(each.memory);
        memory_.back().source = link.source;
    }
    result_.bytes = cost::copies_bytes(graph_, value_, residence_, memory_);
    return result_;
}

const LinkPrice &ValuePrices::price(const sharding::Link &link) {
    LinkPrices::Known &known = link.route ? known_.of_route[kind_of_use(graph_, link.first_use)] : known_.of_placement;
    const auto number = static_cast<std::size_t>(link.route ? link.route->number : link.placement);
    if (known.size() <= number)
        known.resize(number + 1);
    if (!known[number])
        known[number] = std::make_unique<const LinkPrice>(priced(link));
    return *known[number];
}

LinkPrice ValuePrices::priced(const sharding::Link &link) const {
    const sharding::Value &value = graph_.values[value_];
    const sharding::Copy copy = sharding::copy_of(graph_, value_, link, reshards_);
    const bool fusable = sharding::fusable(graph_, mesh_, value_, copy);
    // Its companion pays for the call.
    const bool joins = has_companion_ && sharding::joins(graph_, mesh_, value_, copy);
    LinkPrice result;
    result.memory = cost::copy_memory(value, copy, mesh_);
    const bool in_bucket = cost::in_bucket(fusable, copy.phase);
    for (const sharding::Step &step : copy.steps) {
        const cost::Price price =
            sharding::times(graph_, value_, copy) * prices_.of(step, value.element_bytes, in_bucket).price;
        result.seconds.push_back(price.transfer.value + price.arithmetic.value);
        if (fusable)
            result.fused.push_back({step.axes, copy.phase == sharding::Phase::update, price.latency.value});
        else if (!joins)
            result.seconds.push_back(price.latency.value);
    }
    return result;
}

} // namespace planc::plan

#include "plan/pipeline/crossing_price.h"

#include "cost/collectives/collectives.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

namespace planc::plan {

namespace {

/// The places over which a value is needed: a cut before a place after `first` and up to `last` parts its producer from
/// a reader.
struct Extent {
    int first = 0;
    int last = 0;
};

class CrossingPrice {
  public:
    CrossingPrice(const Request &inner, const Depth &depth) : inner_(inner), group_(group_in_stage(inner, depth)) {}

    /// Of all stages together, if they begin at the places where that is most.
    double most(const Cuts &cuts, int stages) {
        const std::vector<bool> &may_begin = cuts.may_begin();
        Begins each(may_begin.size());
        std::iota(each.begin(), each.end(), std::size_t{0});
        std::vector<double> at(may_begin.size() + 1, 0); // differences, then sums
        for (const auto &[value, extent] : extents(cuts.stages(each))) {
            const double seconds = whole(value);
            at[static_cast<std::size_t>(extent.first) + 1] += seconds;
            at[static_cast<std::size_t>(extent.last) + 1] -= seconds;
        }
        std::partial_sum(at.begin(), at.end(), at.begin());
        std::vector<double> possible;
        for (std::size_t place = 1; place < may_begin.size(); ++place)
            if (may_begin[place])
                possible.push_back(at[place]);
        std::sort(possible.begin(), possible.end(), std::greater<>());
        possible.resize(std::min(possible.size(), static_cast<std::size_t>(stages - 1)));
        return std::accumulate(possible.begin(), possible.end(), 0.0);
    }

  private:
    [[nodiscard]] std::map<ValueId, Extent> extents(const sharding::LayerStages &places) const {
        std::map<ValueId, Extent> extents;
        const auto add = [&](ValueId value, int a, int b) {
            const auto [at, is_new] = extents.try_emplace(value, Extent{std::min(a, b), std::max(a, b)});
            at->second = {std::min({at->second.first, a, b}), std::max({at->second.last, a, b})};
        };
        for (const sharding::Crossing &crossing : sharding::staged(inner_.graph, places).crossings)
            add(crossing.value, crossing.from, crossing.to);
        const PerValue<std::vector<int>> users = sharding::stages_of_variables(inner_.graph, places);
        for (const ValueId value : users.ids())
            if (users[value].size() > 1 && inner_.graph.values[value].kind == sharding::ValueKind::variable)
                add(value, users[value].front(), users[value].back());
        return extents;
    }

    /// The ranks of a stage; behind other axes, they may be as far apart as any.
    static cost::Group group_in_stage(const Request &inner, const Depth &depth) {
        const bool first = inner.mesh.axes.front().name == depth.axis;
        const std::vector<int> sizes =
            first ? std::vector{depth.ranks, inner.ranks / depth.ranks} : std::vector{1, inner.ranks};
        return cost::group(std::vector{1}, sizes, inner.machine);
    }

    /// An all-reduce of the whole value over all ranks of a stage, as often as a step makes the value.
    [[nodiscard]] double whole(ValueId v) const {
        const sharding::Value &value = inner_.graph.values[v];
        double elements = 1;
        for (const std::int64_t extent : value.extents)
            elements *= static_cast<double>(extent);
        double least = std::numeric_limits<double>::infinity();
        for (const cost::Algorithm algorithm : {cost::Algorithm::ring, cost::Algorithm::recursive_doubling})
            least = std::min(least, cost::all_reduce(algorithm, group_, Bytes(elements * value.element_bytes), elements,
                                                     inner_.machine.reduction_flops_per_second)
                                        .seconds()
                                        .value);
        const OperationId producer = value.producer;
        const bool once =
            !producer || inner_.graph.operations[producer].per_step || inner_.graph.operations[producer].accumulates;
        return (once ? 1 : inner_.graph.microbatches) * least;
    }

    const Request &inner_;
    cost::Group group_;
};

} // namespace

double crossing_price(const Request &inner, const Cuts &cuts, const Depth &depth) {
    return CrossingPrice(inner, depth).most(cuts, depth.ranks * inner.pipeline->chunks);
}

} // namespace planc::plan

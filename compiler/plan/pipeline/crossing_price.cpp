#include "plan/pipeline/crossing_price.h"

#include "cost/collectives/collectives.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace planc::plan {

namespace {

class CrossingPrice {
  public:
    CrossingPrice(const Request &inner, const Depth &depth) : inner_(inner), group_(group_in_stage(inner, depth)) {}

    /// Of all stages together, if they begin at the places where that is most.
    double most(const Cuts &cuts, int stages) {
        const std::vector<bool> &may_begin = cuts.may_begin();
        std::vector<double> at(may_begin.size() + 1, 0); // differences, then sums
        for (const auto &[value, extent] : cuts.extents()) {
            const double seconds = whole(value);
            at[static_cast<std::size_t>(extent.first + 1)] += seconds;
            at[static_cast<std::size_t>(extent.last + 1)] -= seconds;
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

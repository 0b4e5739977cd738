#include "plan/pipeline/stages.h"

#include "pipeline/makers.h"
#include "pipeline/text.h"

#include <algorithm>
#include <limits>

namespace planc::plan {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class StageMaker {
  public:
    StageMaker(const Request &request, const Plan &plan)
        : graph_(request.graph), wanted_(*request.pipeline), plan_(plan) {}

    std::string make(PipelinePlan &pipeline) {
        const auto axis = std::find(plan_.axes.begin(), plan_.axes.end(), wanted_.axis);
        const int ranks = plan_.mesh.sizes[static_cast<std::size_t>(axis - plan_.axes.begin())];
        stages_ = ranks * wanted_.chunks;
        if (pipeline::is_table(wanted_.schedule)) {
            const pipeline::Schedule table = pipeline::read_text(wanted_.schedule);
            if (table.ranks != ranks || table.micro_batches != graph_.microbatches)
                return "a schedule of " + counted(table.ranks, "rank") + " and " +
                       counted(table.micro_batches, "micro-batch", "es") + " for " + counted(ranks, "rank") + " and " +
                       counted(graph_.microbatches, "micro-batch", "es");
            stages_ = table.stages;
        }
        const auto layers = static_cast<int>(wanted_.layers.size());
        if (stages_ > layers)
            return counted(stages_, "stage") + " for " + counted(layers, "layer");
        if (!wanted_.cuts.empty() && static_cast<int>(wanted_.cuts.size()) != stages_ - 1)
            return counted(static_cast<int>(wanted_.cuts.size()), "cut") + " for " + counted(stages_, "stage");
        begins_ = wanted_.cuts.empty() ? of_equal_work() : of_cuts();
        if (begins_.empty())
            return (stages_ == 2 ? std::string("no cut leaves") : "no " + counted(stages_ - 1, "cut") + " leave") +
                   " all that a layer needs before it";
        if (const auto same = std::adjacent_find(begins_.begin(), begins_.end()); same != begins_.end())
            return "two stages begin before layer '" + graph_.layers[wanted_.layers[*same]].name + "'";
        pipeline = {wanted_.axis, wanted_.schedule, wanted_.chunks, stages_from(begins_)};
        const std::string back = sharding::goes_back(graph_, sharding::staged(graph_, pipeline.stages));
        return back.empty() ? "" : "layer " + back + ", which lies on an earlier stage";
    }

  private:
    static std::string counted(int count, const char *what, const char *plural = "s") {
        return std::to_string(count) + " " + what + (count == 1 ? "" : plural);
    }

    /// The places in wanted_.layers at which stages begin.
    [[nodiscard]] std::vector<std::size_t> of_cuts() const {
        std::vector<std::size_t> begins{0};
        for (const LayerId cut : wanted_.cuts)
            begins.push_back(static_cast<std::size_t>(std::find(wanted_.layers.begin(), wanted_.layers.end(), cut) -
                                                      wanted_.layers.begin()));
        std::sort(begins.begin(), begins.end());
        return begins;
    }

    /// Splits the list of layers so that the largest sum is least; among these, the first layers get few (dynamic
    /// programming over the stages).
    [[nodiscard]] std::vector<std::size_t> of_equal_work() const {
        const std::vector<double> before = work_before();
        const std::vector<bool> may_begin = places();
        const std::size_t layers = wanted_.layers.size();
        std::vector<double> least(layers + 1, infinity); // of the stages so far, which end before the layer
        least[0] = 0;
        std::vector<std::vector<std::size_t>> begin;
        for (int stage = 0; stage < stages_; ++stage) {
            std::vector<double> next(layers + 1, infinity);
            std::vector<std::size_t> from(layers + 1, 0);
            for (std::size_t end = 1; end <= layers; ++end)
                for (std::size_t first = 0; first < end; ++first)
                    if (const double most = std::max(least[first], before[end] - before[first]);
                        may_begin[first] && most < next[end]) {
                        next[end] = most;
                        from[end] = first;
                    }
            least = std::move(next);
            begin.push_back(std::move(from));
        }
        if (least[layers] == infinity)
            return {};
        std::vector<std::size_t> begins;
        for (std::size_t stage = begin.size(), end = layers; stage-- > 0; end = begins.back())
            begins.push_back(begin[stage][end]);
        std::reverse(begins.begin(), begins.end());
        return begins;
    }

    /// The seconds of the layers before each.
    [[nodiscard]] std::vector<double> work_before() const {
        std::vector<double> before{0};
        for (const LayerId layer : wanted_.layers)
            before.push_back(before.back() + plan_.cost->layers[layer].seconds().value);
        return before;
    }

    /// Whether a stage may begin before each layer: nothing goes back.
    [[nodiscard]] std::vector<bool> places() const {
        std::vector<bool> places(wanted_.layers.size(), true);
        for (std::size_t i = 1; i < places.size(); ++i)
            places[i] = sharding::goes_back(graph_, sharding::staged(graph_, stages_from({0, i}))).empty();
        return places;
    }

    [[nodiscard]] sharding::LayerStages stages_from(const std::vector<std::size_t> &begins) const {
        sharding::LayerStages stages;
        stages.count = static_cast<int>(begins.size());
        stages.of.resize(graph_.layers.size(), sharding::LayerStages::everywhere);
        for (std::size_t i = 0; i < wanted_.layers.size(); ++i)
            stages.of[wanted_.layers[i]] =
                static_cast<int>(std::upper_bound(begins.begin(), begins.end(), i) - begins.begin()) - 1;
        return stages;
    }

    const Graph &graph_;
    const PipelineRequest &wanted_;
    const Plan &plan_;
    int stages_ = 1;
    std::vector<std::size_t> begins_;
};

} // namespace

std::string make_stages(const Request &request, const Plan &plan, PipelinePlan &pipeline) {
    return StageMaker(request, plan).make(pipeline);
}

} // namespace planc::plan

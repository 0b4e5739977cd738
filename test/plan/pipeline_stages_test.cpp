// P8: the stages of a pipeline, by cuts or of about equal work.
#include "plan/pipeline/stages.h"

#include "sharding/graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace planc::plan {
namespace {

using sharding::LayerStages;

/// A perceptron whose layers take these times; the last is the loss.
struct Case {
    Request request;
    Plan plan;

    Case(const std::vector<double> &seconds, int ranks) {
        const std::size_t layers = seconds.size();
        sharding::graphs::Mlp mlp{4, std::vector<std::int64_t>(layers, 3), {}};
        for (std::size_t role = 0; role < layers; ++role)
            mlp.roles.push_back("role" + std::to_string(role));
        request.graph = sharding::graphs::training_step(mlp);
        PipelineRequest &wanted = request.pipeline.emplace();
        wanted.axis = "stage";
        auto cost = std::make_shared<cost::CostTable>();
        for (const LayerId layer : request.graph.layers.ids()) {
            wanted.layers.push_back(layer);
            cost->layers.emplace_back().compute[0] = Seconds(seconds[layer.index()]);
        }
        plan.cost = std::move(cost);
        plan.axes = {"rows", "stage"};
        plan.mesh.sizes = {2, ranks};
    }

    [[nodiscard]] int ranks() const { return plan.mesh.sizes.back(); }
    [[nodiscard]] PipelinePlan asked() const {
        return {"stage", request.pipeline->schedule, request.pipeline->chunks, {}};
    }
    [[nodiscard]] std::string failure() const {
        PipelinePlan made = asked();
        StageCosts costs{{plan.cost}, {}};
        return make_stages(Cuts(request), costs, ranks(), made);
    }
    [[nodiscard]] std::vector<int> stages() const {
        PipelinePlan made = asked();
        StageCosts costs{{plan.cost}, {}};
        EXPECT_EQ(make_stages(Cuts(request), costs, ranks(), made), "");
        std::vector<int> result;
        for (const int stage : made.stages.of)
            result.push_back(stage);
        EXPECT_EQ(made.stages.count, result.back() + 1);
        return result;
    }
};

double most_work(const std::vector<double> &seconds, const std::vector<int> &stages) {
    std::vector<double> work(static_cast<std::size_t>(stages.back()) + 1, 0);
    for (std::size_t i = 0; i < seconds.size(); ++i)
        work[static_cast<std::size_t>(stages[i])] += seconds[i];
    return *std::max_element(work.begin(), work.end());
}

/// Over all ways to give the layers after `first` to so many stages.
double least(const std::vector<double> &seconds, std::size_t first, int stages) {
    double sum = 0;
    if (stages == 1) {
        for (std::size_t i = first; i < seconds.size(); ++i)
            sum += seconds[i];
        return sum;
    }
    double best = 1e9;
    for (std::size_t end = first + 1; end < seconds.size(); ++end) {
        sum += seconds[end - 1];
        best = std::min(best, std::max(sum, least(seconds, end, stages - 1)));
    }
    return best;
}

TEST(PipelineStages, HaveAboutEqualWork) {
    EXPECT_EQ(Case({1, 1, 1, 1, 1, 1}, 3).stages(), (std::vector{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(Case({1, 1, 1, 5, 1}, 2).stages(), (std::vector{0, 0, 0, 1, 1}));
    EXPECT_EQ(Case({5, 1, 1, 1, 1}, 2).stages(), (std::vector{0, 1, 1, 1, 1}));
    EXPECT_EQ(Case({1, 2}, 2).stages(), (std::vector{0, 1}));
}

TEST(PipelineStages, NoOtherStagesHaveLessWorkAtMost) {
    std::mt19937 random(3); // NOLINT(cert-msc51-cpp): every run takes the same cases
    for (int i = 0; i < 200; ++i) {
        std::vector<double> seconds(2 + random() % 8);
        for (double &each : seconds)
            each = static_cast<double>(random() % 20);
        const int ranks = 1 + static_cast<int>(random() % seconds.size());
        const std::vector<int> stages = Case(seconds, ranks).stages();
        EXPECT_EQ(stages.back() + 1, ranks);
        EXPECT_TRUE(std::is_sorted(stages.begin(), stages.end()));
        EXPECT_DOUBLE_EQ(most_work(seconds, stages), least(seconds, 0, ranks));
    }
}

TEST(PipelineStages, BeginAtCuts) {
    Case c({1, 1, 1, 1, 1}, 3);
    c.request.pipeline->cuts = {LayerId(4), LayerId(1)}; // in any order
    EXPECT_EQ(c.stages(), (std::vector{0, 1, 1, 1, 2}));
}

TEST(PipelineStages, AreAsManyAsRanksTimesChunks) {
    Case c({1, 1, 1, 1}, 2);
    c.request.pipeline->chunks = 2;
    EXPECT_EQ(c.stages(), (std::vector{0, 1, 2, 3}));
}

/// Where three ranks have the second stage and one the first.
TEST(PipelineStages, AreWeighedByTheirRanks) {
    Case c({3, 3, 3, 3}, 2);
    auto faster = std::make_shared<cost::CostTable>(*c.plan.cost);
    for (const LayerId layer : faster->layers.ids())
        faster->layers[layer].compute[0] = Seconds(1);
    const auto stages = [&](const std::vector<SharedCost> &at, const char *schedule, int chunks) {
        c.request.pipeline->schedule = schedule;
        c.request.pipeline->chunks = chunks;
        StageCosts costs{at, {}};
        PipelinePlan made = c.asked();
        EXPECT_EQ(make_stages(Cuts(c.request), costs, 2, made), "");
        return std::vector<int>(made.stages.of.begin(), made.stages.of.end());
    };
    EXPECT_EQ(stages({c.plan.cost, faster}, "one_f_one_b", 1), (std::vector{0, 1, 1, 1}));
    EXPECT_EQ(stages({faster, c.plan.cost}, "one_f_one_b", 1), (std::vector{0, 0, 0, 1}));
    // The first position has the first stage and the last one.
    c = Case({3, 3, 3, 3, 3, 3}, 2);
    *faster = *c.plan.cost;
    for (const LayerId layer : faster->layers.ids())
        faster->layers[layer].compute[0] = Seconds(1);
    EXPECT_EQ(stages({faster, c.plan.cost}, "zb_v", 2), (std::vector{0, 1, 2, 3, 3, 3}));
}

TEST(PipelineStages, LayersBesideThePipelineAreEverywhere) {
    Case c({1, 1, 1, 1}, 2);
    c.request.pipeline->layers.erase(c.request.pipeline->layers.begin() + 1);
    EXPECT_EQ(c.stages()[1], LayerStages::everywhere);
}

TEST(PipelineStages, SayWhyThereAreNone) {
    EXPECT_EQ(Case({1, 1}, 3).failure(), "3 stages for 2 layers");
    Case c({1, 1, 1, 1}, 2);
    c.request.pipeline->cuts = {LayerId(1), LayerId(2)};
    EXPECT_EQ(c.failure(), "2 cuts for 2 stages");
    c.plan.mesh.sizes = {2, 3};
    c.request.pipeline->cuts = {LayerId(2)};
    EXPECT_EQ(c.failure(), "1 cut for 3 stages");
    c.request.pipeline->cuts = {LayerId(2), LayerId(2)};
    EXPECT_EQ(c.failure(), "two stages begin before layer 'fc3'");
    c.request.pipeline->cuts = {LayerId(2), LayerId(0)};
    EXPECT_EQ(c.failure(), "two stages begin before layer 'fc1'");
    // The order of the layers is not that of the computation.
    Case back({1, 1, 1, 1}, 2);
    std::reverse(back.request.pipeline->layers.begin(), back.request.pipeline->layers.end());
    EXPECT_EQ(back.failure(), "no cut leaves all that a layer needs before it");
    back.request.pipeline->cuts = {LayerId(1)};
    EXPECT_EQ(back.failure(), "layer 'fc2' is needed by 'fc3', which lies on an earlier stage");
}

} // namespace
} // namespace planc::plan

// Certificates of plans with a pipeline.
#include "certificate/certificate.h"
#include "certificate/pipelines.h"
#include "certificate/requests.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/pipeline/search_pipelines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace planc::certificate {
namespace {

using plan::reference::random_pipelines;
using reference::read_back;
using sharding::reference::Random;
using sharding::reference::uniform;

TEST(PipelineCertificate, IsAcceptedWithTheBoundOfTheSearch) {
    Random random(71); // NOLINT(cert-msc51-cpp): every run takes the same cases
    int cases = 0;
    for (int i = 0; i < 30; ++i) {
        SCOPED_TRACE(i);
        const plan::Request request = random_pipelines(random);
        const plan::Plan plan = plan::search_pipelines(request);
        if (!plan.failure.empty())
            continue;
        const Certificate certificate = read_back(prove(request, plan));
        EXPECT_EQ(check(certificate, request), "");
        EXPECT_EQ(certificate.cost, plan.cost->seconds().value);
        // The search may have found a slower plan first, which shows less.
        EXPECT_GE(certificate.lower_bound, plan.lower_bound.value * (1 - 1e-9));
        ++cases;
    }
    EXPECT_GE(cases, 20);
}

/// With any splits, cuts and schedule.
TEST(PipelineCertificate, NoPipelineIsBelowItsBound) {
    Random random(72); // NOLINT(cert-msc51-cpp): every run takes the same cases
    int cases = 0;
    for (int i = 0; i < 400; ++i) {
        SCOPED_TRACE(i);
        plan::Request request = random_pipelines(random);
        request.pipeline->chunks = uniform(random, 1, 2);
        if (request.pipeline->chunks > 1)
            request.pipeline->schedule = "interleaved";
        const std::vector<Depth> all = depths(request, std::numeric_limits<double>::infinity());
        if (all.empty())
            continue;
        const Depth &depth = all[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(all.size()) - 1))];
        plan::Plan plan;
        request.pipeline->axis = depth.axis;
        for (const plan::MeshAxis &axis : request.mesh.axes) {
            plan.axes.push_back(axis.name);
            plan.mesh.sizes.push_back(axis.name == depth.axis ? depth.ranks : request.ranks / depth.ranks);
        }
        for (const Strategies &options : strategies(request, {plan.axes, plan.mesh}))
            plan.layers.push_back(
                options[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(options.size()) - 1))]);
        static const std::vector<std::string> schedules{"one_f_one_b", "zero_bubble", "gpipe"};
        sharding::LayerStages stages{depth.ranks * request.pipeline->chunks, {}};
        for (std::size_t layer = 0; layer < request.graph.layers.size(); ++layer) // the first stages have one each
            stages.of.push_back(std::min(static_cast<int>(layer), stages.count - 1));
        const std::string schedule =
            request.pipeline->chunks > 1 ? "interleaved" : schedules[static_cast<std::size_t>(uniform(random, 0, 2))];
        plan.pipeline = plan::PipelinePlan{depth.axis, schedule, request.pipeline->chunks, std::move(stages)};
        ASSERT_EQ(fault_of(plan, request), "");
        const double seconds = plan::price_pipeline(request, plan).seconds().value;
        for (const Depth &bounded : depths(request, seconds))
            if (bounded.ranks == depth.ranks) {
                EXPECT_LE(bounded.lower_bound, seconds * (1 + 1e-9));
            }
        ++cases;
    }
    EXPECT_GE(cases, 250);
}

struct Tampering {
    const char *what;
    std::function<void(Certificate &)> change;
    std::string line; ///< its beginning
};

TEST(PipelineCertificate, TamperedWithIsRejectedWithWhatIsWrong) {
    Random random(73); // NOLINT(cert-msc51-cpp): every run takes the same cases
    plan::Request request;
    plan::Plan plan;
    do {
        request = random_pipelines(random);
        plan = plan::search_pipelines(request);
    } while (!plan.failure.empty() || request.ranks != 4 || request.graph.layers.size() != 4 ||
             plan.pipeline->stages.count != 2 || plan.pipeline->schedule == "chimera" ||
             plan.pipeline->stages.of[LayerId(2)] == 0); // without its last layer it still has two stages
    const Certificate honest = prove(request, plan);
    ASSERT_EQ(check(honest, request), "");
    ASSERT_GE(honest.depths.size(), 3U);
    const std::string cut = "its layers do not lie on stages in their order, cut as the rules say";
    const std::vector<Tampering> all = {
        {"cost", [](Certificate &c) { c.cost *= 0.99; }, "a step takes "},
        {"memory", [](Certificate &c) { c.memory -= 4; }, "a rank needs "},
        {"no pipeline", [](Certificate &c) { c.pipeline.reset(); }, "its plan has no pipeline"},
        {"order", [](Certificate &c) { c.pipeline->stages = {1, 0, 0, 1}; }, cut},
        {"a stage left out", [](Certificate &c) { c.pipeline->stages = {0, 0, 2, 2}; },
         "its schedule is for another number of stages"},
        {"no stage", [](Certificate &c) { c.pipeline->stages = {0, -7, 1, 1}; }, cut},
        {"one layer less", [](Certificate &c) { c.pipeline->stages.pop_back(); }, cut},
        {"largest number", [](Certificate &c) { c.pipeline->stages[0] = std::numeric_limits<int>::max(); },
         "its schedule is for another number of stages"},
        {"axis", [](Certificate &c) { c.pipeline->axis = "planes"; }, "no pipeline may lie along 'planes' of its mesh"},
        {"schedule", [](Certificate &c) { c.pipeline->schedule = "pipedream"; },
         "its schedule is not one that was asked for"},
        {"chunks", [](Certificate &c) { c.pipeline->chunks = 2; }, "its schedule is not one that was asked for"},
        {"mesh", [](Certificate &c) { c.sizes = {2, 3}; }, "its mesh is not one that 4 ranks may form"},
        {"huge mesh", [](Certificate &c) { c.sizes = {1 << 30, 4}; }, "its mesh is not one that 4 ranks may form"},
        {"fewer axes", [](Certificate &c) { c.sizes = {4}; }, "its mesh is not one that 4 ranks may form"},
        {"a depth less", [](Certificate &c) { c.depths.pop_back(); }, "it has bounds for "},
        {"another depth", [](Certificate &c) { c.depths[0].ranks = 3; }, "there is no bound for pipelines of 2 ranks "},
        {"bound of a depth", [](Certificate &c) { c.depths[0].lower_bound *= 1.01; }, "pipelines of 2 ranks along "},
        {"bound",
         [](Certificate &c) {
             c.lower_bound *= 0.99;
             c.gap = (c.cost - c.lower_bound) / c.cost;
         },
         "the least bound of all depths is "},
    };
    for (const Tampering &tampering : all) {
        Certificate changed = honest;
        tampering.change(changed);
        const std::string line = check(changed, request);
        EXPECT_EQ(line.substr(0, tampering.line.size()), tampering.line) << tampering.what;
    }
    std::string text = to_json(honest);
    for (int trial = 0; trial < 600; ++trial) { // whatever stands in the file
        std::string changed = text;
        changed[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(text.size()) - 1))] =
            "0123456789 -_abgz"[uniform(random, 0, 16)];
        const auto read = from_json(changed);
        if (const auto *certificate = std::get_if<Certificate>(&read);
            certificate && check(*certificate, request).empty()) {
            EXPECT_NEAR(certificate->cost, honest.cost, 1e-11 * honest.cost);
            EXPECT_LE(certificate->lower_bound, honest.lower_bound * (1 + 1e-9));
        }
    }
    plan::Request forbidden = request;
    forbidden.pipeline.reset();
    Certificate other = honest;
    other.asked = asked(forbidden);
    EXPECT_EQ(check(other, forbidden), "its plan has a pipeline, which the rules exclude");
}

} // namespace
} // namespace planc::certificate

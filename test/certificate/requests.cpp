#include "certificate/requests.h"

#include "plan/space/space.h"
#include "sharding/convolutions.h"
#include "sharding/graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::certificate::reference {

using sharding::reference::Random;
using sharding::reference::uniform;

namespace {

sharding::Graph random_perceptron(Random &random) {
    sharding::graphs::Mlp mlp{uniform(random, 4, 100), {uniform(random, 4, 200)}, {"pixel"}, true, true};
    for (int layer = uniform(random, 1, 3); layer > 0; --layer) {
        mlp.widths.push_back(uniform(random, 4, 200));
        mlp.roles.push_back(layer % 2 ? "hidden" : "inner");
    }
    return sharding::graphs::training_step(mlp);
}

sharding::Graph random_convolutions(Random &random) {
    const std::int64_t batch = uniform(random, 2, 16);
    const std::int64_t channels = uniform(random, 2, 16);
    const sharding::graphs::Spatial height{"height", uniform(random, 8, 60), 3, 1, 1, 1, 1};
    return sharding::graphs::convolutional_step(
        {{batch, 3, channels, {height}}, {batch, channels, channels, {height}}});
}

/// Of some layers a loop on some of the axes, or on none.
void add_random_rules(Random &random, plan::Request &request) {
    std::vector<std::string> axes = {"rows", "cols", "planes"};
    if (!request.mesh.automatic) {
        axes.clear();
        for (const plan::MeshAxis &axis : request.mesh.axes)
            axes.push_back(axis.name);
    }
    const auto loops = plan::layer_loops(request.graph);
    request.pins.resize(loops.size());
    for (const sharding::LayerId l : loops.ids()) {
        if (loops[l].empty() || uniform(random, 0, 2) > 0)
            continue;
        const int loop = uniform(random, 0, static_cast<int>(loops[l].size()) - 1);
        plan::Pin &pin = request.pins[l].emplace_back();
        pin.loop = loops[l][static_cast<std::size_t>(loop)].name;
        if (uniform(random, 0, 1))
            std::reverse(axes.begin(), axes.end());
        for (const std::string &axis : axes)
            if (uniform(random, 0, 1))
                pin.axes.push_back(axis);
        pin.text = "a rule";
    }
}

} // namespace

std::optional<Planned> random_planned(Random &random) {
    Planned result;
    plan::Request &request = result.request;
    request = plan::reference::random_request(random);
    if (const int kind = uniform(random, 0, 5); kind < 2)
        request.graph = kind == 0 ? random_perceptron(random) : random_convolutions(random);
    request.baselines = uniform(random, 0, 1) == 0;
    request.runner_ups = false;
    if (uniform(random, 0, 2) == 0)
        add_random_rules(random, request);
    if (uniform(random, 0, 5) == 0)
        request.storage.optimizer =
            std::vector<std::string>{request.mesh.automatic ? "rows" : request.mesh.axes[0].name};
    request.search = uniform(random, 0, 9) > 0;
    result.plan = plan::make_plan(request);
    if (result.plan.failure.empty() && uniform(random, 0, 2) == 0) {
        request.memory_limit_bytes = result.plan.cost->memory.total().value * uniform(random, 50, 110) / 100;
        result.plan = plan::make_plan(request);
    }
    if (!result.plan.failure.empty())
        return std::nullopt;
    return result;
}

Certificate read_back(const Certificate &certificate) {
    const auto read = from_json(to_json(certificate));
    EXPECT_TRUE(std::holds_alternative<Certificate>(read)) << std::get<std::string>(read);
    return std::get<Certificate>(read);
}

} // namespace planc::certificate::reference

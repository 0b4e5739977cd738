#include "plan/random_request.h"

#include "sharding/graphs.h"

#include <cmath>
#include <utility>

namespace planc::plan::reference {

using sharding::reference::Random;
using sharding::reference::uniform;

Machine machine() {
    Machine machine;
    machine.flops_per_second = 1e10;
    machine.network().latency = Seconds(1e-6);
    machine.network().bytes_per_second = 1e9;
    return machine;
}

Machine cluster(std::int64_t ranks_per_node) {
    Machine result = machine();
    result.levels = {{ranks_per_node, {Seconds(2e-7), 1e10}}, {64, {Seconds(5e-6), 1e9}}};
    result.algorithms.allreduce = {
        {cost::Algorithm::recursive_doubling, 0}, {cost::Algorithm::ring, 256}, {cost::Algorithm::hierarchical, 4096}};
    return result;
}

void measure_loops(Machine &machine, Random &random) {
    machine.memory_bytes_per_second = 1e9;
    machine.kernels.loops = support::LoopRate{1e10, Seconds(1e-8), Seconds(1e-9), Seconds(2e-9)};
    machine.kernels.cache = support::CacheRate{std::pow(10, uniform(random, 2, 5)), 1e10};
}

Machine random_machine(Random &random) {
    Machine result = uniform(random, 0, 1) ? machine() : cluster(uniform(random, 2, 3));
    if (uniform(random, 0, 2) == 0)
        result.flops_per_second = 1e8; // compute decides
    if (uniform(random, 0, 2) == 0)
        result.network().latency = Seconds(1e-4);
    if (uniform(random, 0, 2) == 0)
        measure_loops(result, random);
    return result;
}

Request request(Graph graph, int ranks) {
    Request request;
    request.graph = std::move(graph);
    request.machine = machine();
    request.ranks = ranks;
    request.mesh.axes = {{"rows", 0}, {"cols", 0}};
    return request;
}

Request random_request(Random &random) {
    Request r = request(sharding::reference::random_graph(random), uniform(random, 2, 8));
    r.mesh.automatic = uniform(random, 0, 2) == 0;
    if (uniform(random, 0, 1) == 0)
        r.mesh.axes = {{"line", r.ranks}};
    r.machine = random_machine(random);
    return r;
}

Request random_pipelines(Random &random) {
    sharding::graphs::Mlp mlp{8, {}, {}};
    const int layers = uniform(random, 2, 3);
    for (int layer = 0; layer <= layers; ++layer) {
        mlp.widths.push_back(uniform(random, 2, 6) * 8);
        mlp.roles.push_back("role" + std::to_string(layer));
    }
    Request request = reference::request(sharding::graphs::training_step(mlp), 2 * uniform(random, 1, 2));
    request.graph.microbatches = uniform(random, 1, 6);
    for (sharding::Operation &operation : request.graph.operations)
        operation.per_step = operation.phase == sharding::Phase::update;
    request.machine = random_machine(random);
    request.runner_ups = false;
    PipelineRequest &wanted = request.pipeline.emplace();
    for (const LayerId layer : request.graph.layers.ids())
        wanted.layers.push_back(layer);
    return request;
}

Request undivided(const Request &request) {
    Request whole = request;
    const int count = std::exchange(whole.graph.microbatches, 1);
    for (sharding::Operation &operation : whole.graph.operations)
        for (sharding::Loop &loop : operation.nest.loops)
            loop.extent *= loop.name == request.batch ? count : 1;
    for (sharding::Value &value : whole.graph.values)
        for (std::size_t d = 0; d < value.roles.size(); ++d)
            value.extents[d] *= value.roles[d] == request.batch ? count : 1;
    return whole;
}

} // namespace planc::plan::reference

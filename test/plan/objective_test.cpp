// The sum of the planner's terms is the price of the laid-out step.
#include "cost/matrices.h"
#include "plan/bounds/least_memory.h"
#include "plan/random_request.h"
#include "plan/terms/objective.h"
#include "sharding/graphs.h"
#include "sharding/joint_sums.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace planc::plan {
namespace {

using sharding::reference::Random;
using sharding::reference::uniform;

Machine machine() {
    Machine machine;
    machine.network().latency = Seconds(1e-6);
    machine.network().bytes_per_second = 1e9;
    machine.reduction_flops_per_second = 1e9;
    machine.levels.insert(machine.levels.begin(), {2, {Seconds(5e-7), 4e9}}); // two ranks a node
    machine.algorithms.allreduce = {
        {cost::Algorithm::recursive_doubling, 0}, {cost::Algorithm::rabenseifner, 64}, {cost::Algorithm::ring, 512}};
    return machine;
}

Request request(Graph graph) {
    Request request;
    request.graph = std::move(graph);
    request.machine = machine();
    return request;
}

MeshShape shape(const Mesh &mesh) {
    MeshShape shape{{}, mesh};
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
        shape.axes.push_back("axis" + std::to_string(axis));
    return shape;
}

/// Of fused calls beyond the first over the same axes: buckets that are full, or gradients that are used too early to
/// wait for others. The terms do not know of them.
double extra_latency(const Request &request, const Mesh &mesh, const LayerStrategies &layers, const Storage &storage) {
    const sharding::LaidOut laid_out = sharding::lay_out(request.graph, mesh, layers, storage);
    using Kind = std::pair<bool, std::vector<int>>; // norms, axes
    std::map<Kind, int> calls;
    std::map<Kind, double> latency;
    for (const ValueId v : request.graph.values.ids())
        for (const sharding::Copy &copy : laid_out.copies[v])
            if (sharding::fusable(request.graph, mesh, v, copy)) {
                const Kind kind(copy.phase == sharding::Phase::update, copy.steps[0].axes);
                ++calls[kind];
                latency[kind] =
                    cost::price_step(copy.steps[0], 4, mesh, request.machine, cost::in_bucket(true, copy.phase))
                        .price.latency.value;
            }
    for (const sharding::Bucket &bucket : sharding::buckets(request.graph, laid_out, mesh))
        for (std::size_t i = 1; i < bucket.members.size(); ++i) {
            const sharding::BucketMember &member = bucket.members[i];
            --calls[{laid_out.copies[member.value][member.copy].phase == sharding::Phase::update, bucket.axes}];
        }
    double extra = 0;
    // Sums whose companions are no all-reduces pay for a call.
    const PerValue<ValueId> companion = sharding::companions(request.graph);
    std::set<std::pair<ValueId, int>> calls_of_others;
    for (const sharding::Bucket &call : sharding::joint_sums(request.graph, laid_out, mesh))
        for (std::size_t m = 1; m < call.members.size(); ++m)
            calls_of_others.insert({call.members[m].value, call.members[m].copy});
    for (const ValueId v : request.graph.values.ids())
        for (std::size_t c = 0; c < laid_out.copies[v].size(); ++c) {
            const sharding::Copy &copy = laid_out.copies[v][c];
            if (!sharding::joins(request.graph, mesh, v, copy))
                continue;
            const double each = sharding::times(request.graph, v, copy) *
                                cost::price_step(copy.steps[0], 4, mesh, request.machine).price.latency.value;
            const bool joined = calls_of_others.contains({v, static_cast<int>(c)});
            extra += (companion[v] ? each : 0) - (joined ? each : 0);
        }
    for (const auto &[kind, count] : calls)
        extra += (count - 1) * latency[kind];
    return extra;
}

/// `largest_term`: 1 takes the readers of every value apart that three layers decide. Returns Objective::is_exact.
bool expect_sum_is_price(const Request &request, const MeshShape &shape, Random &random,
                         double largest_term = 1 << 16) {
    const sharding::GraphIndex index(request.graph);
    const StepStructure step(index, request.machine);
    const Space space = make_space(request, shape);
    const Storage storage = uniform(random, 0, 1) ? Storage{} : sharding::reference::random_storage(shape.mesh, random);
    TermCache cache(shape.mesh, request.machine);
    cache.largest_term = largest_term;
    const Objective objective = make_objective(step, space, shape.mesh, request.machine, storage, cache);
    Problems problems(objective);
    const Problem kept = problems.without(0, std::numeric_limits<double>::infinity(), {});
    for (int sample = 0; sample < 6; ++sample) {
        std::vector<int> values;
        LayerStrategies layers;
        for (const auto &options : space.options) {
            values.push_back(uniform(random, 0, static_cast<int>(options->size()) - 1));
            layers.push_back((*options)[values.back()]);
        }
        const CostTable table = evaluate(request, shape.mesh, shape.axes, layers, storage);
        std::vector<int> all = values;
        all.resize(objective.domains.size(), 0);
        complete(kept, all);
        const Sum sum = evaluate(kept, all);
        double seconds = sum.seconds;
        const std::uint32_t used = problems.used(all);
        for (std::size_t set = 0; set < objective.bucket_latency.size(); ++set)
            seconds += used >> set & 1 ? objective.bucket_latency[set] : 0;
        if (objective.is_exact) {
            EXPECT_NEAR(seconds + extra_latency(request, shape.mesh, layers, storage), table.seconds().value,
                        1e-9 * table.seconds().value);
            // Operations share blocks of matrices, so these are no terms.
            const cost::Bytes matrices = cost::bytes_of_matrices(
                request.graph, sharding::lay_out(request.graph, shape.mesh, layers, storage), shape.mesh);
            EXPECT_DOUBLE_EQ(sum.bytes, (table.memory.kept() - matrices).value);
        }
        EXPECT_LE(seconds, table.seconds().value * (1 + 1e-9));
        const LeastMemory least = least_memory(step, space, shape.mesh, request.machine, storage, cache);
        EXPECT_LE(least.total, (table.memory.kept() + table.memory.passing).value * (1 + 1e-9));
        EXPECT_LE(least.state, (table.memory.parameters + table.memory.optimizer_state).value * (1 + 1e-9));
        if (table.memory.peak) {
            const Problem at_peak = problems.without(0, std::numeric_limits<double>::infinity(), {{table.memory.peak}});
            // Copies that are gathered or scattered at once are not among the terms.
            EXPECT_LE(evaluate(at_peak, all).bytes, (table.memory.kept() + table.memory.passing).value * (1 + 1e-9));
        }
    }
    return objective.is_exact;
}

TEST(Objective, IsThePriceOfRandomGraphs) {
    Random random(21);
    int exact = 0;
    for (int trial = 0; trial < 60; ++trial) {
        SCOPED_TRACE(trial);
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 12);
        exact += expect_sum_is_price(request(sharding::reference::random_graph(random)), shape(mesh), random,
                                     trial % 2 ? 1 : 1 << 16);
    }
    EXPECT_GT(exact, 50);
}

TEST(Objective, IsThePriceOfPerceptrons) {
    Random random(22);
    for (int trial = 0; trial < 20; ++trial) {
        SCOPED_TRACE(trial);
        sharding::graphs::Mlp mlp;
        mlp.batch = uniform(random, 4, 40);
        mlp.widths = {uniform(random, 3, 30)};
        mlp.roles = {"pixel"};
        for (int layer = uniform(random, 1, 4); layer > 0; --layer) {
            mlp.widths.push_back(uniform(random, 3, 30));
            mlp.roles.push_back(uniform(random, 0, 1) ? "hidden" : "inner");
        }
        mlp.bias = uniform(random, 0, 1) == 1;
        mlp.momentum = uniform(random, 0, 1) == 1;
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 12);
        Request r = request(sharding::graphs::training_step(mlp));
        if (uniform(random, 0, 1) == 1)
            reference::measure_loops(r.machine, random);
        expect_sum_is_price(r, shape(mesh), random);
    }
}

/// The gradients of equal layers are at different distances from what they read of the forward pass.
TEST(Objective, KnowsTheDistancesOfEqualLayers) {
    Random random(7);
    sharding::graphs::Mlp mlp{64, {32}, {"pixel"}, true, true};
    for (int layer = 0; layer < 6; ++layer) {
        mlp.widths.push_back(64);
        mlp.roles.push_back("hidden");
    }
    for (int trial = 0; trial < 4; ++trial) {
        Request r = request(sharding::graphs::training_step(mlp));
        reference::measure_loops(r.machine, random);
        r.machine.kernels.cache->bytes = 1e5; // some of the step fits
        expect_sum_is_price(r, shape({{2, 2}}), random);
    }
}

TEST(Objective, EqualLayersShareTables) {
    const auto distinct = [](int hidden_layers) {
        sharding::graphs::Mlp mlp{64, {32}, {"pixel"}, true, true};
        for (int layer = 0; layer < hidden_layers; ++layer) {
            mlp.widths.push_back(64);
            mlp.roles.push_back("hidden");
        }
        const Request r = request(sharding::graphs::training_step(mlp));
        const MeshShape s = shape({{2, 2}});
        const sharding::GraphIndex index(r.graph);
        const StepStructure step(index, r.machine);
        TermCache cache(s.mesh, r.machine);
        const Objective objective = make_objective(step, make_space(r, s), s.mesh, r.machine, {}, cache);
        std::set<const TermTable *> tables;
        for (const Term &term : objective.terms)
            tables.insert(term.table.get());
        return tables.size();
    };
    EXPECT_EQ(distinct(30), distinct(8));
}

} // namespace
} // namespace planc::plan

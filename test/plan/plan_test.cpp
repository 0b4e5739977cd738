// Whole plans: exact against exhaustive search, deterministic, obedient, never worse than the literature.
#include "plan/plan.h"
#include "plan/random_request.h"
#include "plan/search/runner_ups.h"
#include "plan/search/search.h"
#include "plan/space/space.h"
#include "plan/space/storage.h"
#include "sharding/convolutions.h"
#include "sharding/graphs.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <ctime>
#include <map>

namespace planc::plan {
namespace {

using reference::cluster;
using reference::random_request;
using reference::request;
using sharding::graphs::Mlp;
using sharding::graphs::training_step;
using sharding::reference::Random;
using sharding::reference::uniform;

/// The least price of all plans of a request within the memory limit, every one laid out and priced whole; and the
/// least memory of all.
double exhaustive(const Request &request, std::int64_t most, bool &done, double *least_bytes = nullptr) {
    double least = std::numeric_limits<double>::infinity();
    std::int64_t count = 0;
    for (const MeshShape &shape : mesh_shapes(request)) {
        const Space space = make_space(request, shape);
        std::int64_t all = 1;
        for (const auto &options : space.options)
            all *= static_cast<std::int64_t>(options->size());
        count += all;
        if (count > most) {
            done = false;
            return least;
        }
        for (std::int64_t plan = 0; plan < all; ++plan) {
            LayerStrategies layers;
            std::int64_t rest = plan;
            for (const auto &options : space.options) {
                layers.push_back((*options)[static_cast<std::size_t>(rest) % options->size()]);
                rest /= static_cast<std::int64_t>(options->size());
            }
            for (const StorageChoice &choice : storage_choices(request, shape)) {
                const CostTable table = evaluate(request, shape.mesh, shape.axes, layers, choice.storage);
                const double limit = request.memory_limit_bytes;
                if (least_bytes)
                    *least_bytes = std::min(*least_bytes, table.memory.total().value);
                if (limit == 0 || table.memory.total().value <= limit)
                    least = std::min(least, table.seconds().value);
            }
        }
    }
    done = true;
    return least;
}

TEST(Plan, EqualsExhaustiveSearchOnRandomGraphs) {
    Random random(31 + GTEST_FLAG_GET(random_seed));
    int compared = 0;
    int certified = 0;
    for (int trial = 0; compared < 500 && trial < 9000; ++trial) {
        SCOPED_TRACE(trial);
        const Request r = random_request(random);
        bool done = false;
        const double least = exhaustive(r, 300, done);
        if (!done)
            continue;
        const Plan plan = make_plan(r);
        ASSERT_TRUE(plan.failure.empty()) << plan.failure;
        EXPECT_NEAR(plan.cost->seconds().value, least, 1e-9 * least);
        EXPECT_LE(plan.lower_bound.value, least * (1 + 1e-9));
        certified += plan.gap() < 1e-9;
        ++compared;
    }
    EXPECT_EQ(compared, 500);
    EXPECT_GE(certified, 485); // calls that several sums share leave a gap now and then
}

/// Where another plan is known, only what beats it is looked for.
TEST(Plan, IsFoundWhereItBeatsWhatIsKnown) {
    Random random(33);
    int beaten = 0;
    int infeasible = 0;
    int closer = 0;
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        Request r = random_request(random);
        const Plan free = make_plan(r);
        if (trial % 2 == 1)
            r.memory_limit_bytes = free.cost->memory.total().value * uniform(random, 40, 110) / 100;
        const Plan alone = make_plan(r);
        r.at_most = std::array{0.5, 0.99, 1.01, 2.0}[static_cast<std::size_t>(trial / 2 % 4)] *
                    (alone.failure.empty() ? alone : free).cost->seconds();
        const Plan compared = make_plan(r);
        if (!alone.failure.empty()) {
            EXPECT_TRUE(compared.out_of_memory || compared.too_slow);
            ++infeasible;
        } else if (alone.cost->seconds() < r.at_most) {
            ASSERT_TRUE(compared.failure.empty()) << compared.failure;
            if (compared.cost->seconds() < alone.cost->seconds() &&
                trial % 2 == 1) { // a limit may leave a gap, which is told
                EXPECT_GE(compared.cost->seconds(), alone.lower_bound);
                ++closer;
            } else {
                EXPECT_DOUBLE_EQ(compared.cost->seconds().value, alone.cost->seconds().value);
            }
        } else {
            EXPECT_TRUE(compared.too_slow) << compared.failure;
            EXPECT_FALSE(compared.out_of_memory);
            EXPECT_EQ(compared.lower_bound, r.at_most);
            ++beaten;
        }
    }
    EXPECT_GT(beaten, 50);
    EXPECT_GT(infeasible, 5);
    EXPECT_LE(closer, 1);
}

/// The batch between nodes and the hidden units within, or the other way around: the better one is found.
TEST(Plan, ChoosesWhichAxisRunsInsideANode) {
    Request r = request(training_step({64, {512, 512, 512, 512}, {"in", "hidden", "middle", "out"}, false, false}), 8);
    r.machine = cluster(4);
    r.mesh.automatic = true;
    const Plan plan = make_plan(r);
    EXPECT_EQ(plan.meshes, 4);
    std::map<std::vector<int>, double> by_sizes;
    for (const MeshShape &shape : mesh_shapes(r)) {
        Request fixed = r;
        fixed.mesh.automatic = false;
        fixed.mesh.axes.clear();
        for (std::size_t axis = 0; axis < shape.axes.size(); ++axis)
            fixed.mesh.axes.push_back({shape.axes[axis], shape.mesh.sizes[axis]});
        const double seconds = make_plan(fixed).cost->seconds().value;
        by_sizes[shape.mesh.sizes] = seconds;
        EXPECT_GE(seconds, plan.cost->seconds().value * (1 - 1e-9));
    }
    EXPECT_NE((by_sizes[{4, 2}]), (by_sizes[{2, 4}]));
    EXPECT_DOUBLE_EQ(by_sizes[plan.mesh.sizes], plan.cost->seconds().value);
}

/// Memory that passes is known of whole plans only: what a sum over terms does not say is settled plan by plan.
TEST(Plan, EqualsExhaustiveSearchUnderMemoryLimits) {
    Random random(32 + GTEST_FLAG_GET(random_seed));
    int compared = 0;
    int certified = 0;
    int decided = 0;
    int infeasible = 0;
    for (int trial = 0; compared < 500 && trial < 20000; ++trial) {
        SCOPED_TRACE(trial);
        Request r = random_request(random);
        const Plan free = make_plan(r);
        r.memory_limit_bytes = free.cost->memory.total().value * uniform(random, 40, 110) / 100;
        bool done = false;
        double least_bytes = std::numeric_limits<double>::infinity();
        const double least = exhaustive(r, 300, done, &least_bytes);
        if (!done || r.memory_limit_bytes == 0)
            continue;
        ++compared;
        const Plan plan = make_plan(r);
        if (!plan.failure.empty()) {
            EXPECT_TRUE(std::isinf(least)) << plan.failure;
            EXPECT_TRUE(plan.least_was_found || plan.least_memory.value <= least_bytes * (1 + 1e-9)) << plan.failure;
            ++infeasible;
            continue;
        }
        decided += plan.memory_decided;
        EXPECT_LE(plan.cost->memory.total().value, r.memory_limit_bytes);
        EXPECT_NEAR(plan.cost->seconds().value, least, 1e-9 * least);
        EXPECT_LE(plan.lower_bound.value, least * (1 + 1e-9));
        certified += plan.gap() < 1e-9;
        r.share = 0; // of the work: what is found at once stands
        const Plan hurried = make_plan(r);
        ASSERT_TRUE(has_plan(hurried)) << hurried.failure;
        EXPECT_LE(hurried.cost->memory.total().value, r.memory_limit_bytes);
        EXPECT_LE(hurried.lower_bound.value, least * (1 + 1e-9));
    }
    EXPECT_EQ(compared, 500);
    EXPECT_GT(decided, 10);
    EXPECT_GT(infeasible, 10);
    EXPECT_GE(certified, 150);
}

/// A plan that is found under a larger limit may take less than the smallest one that was found under this one.
TEST(Plan, WhatIsSaidToBeNeededIsNeeded) {
    Request r =
        request(training_step(
                    {48, {40, 24, 80, 32, 8, 88}, {"role0", "role1", "role2", "role3", "role4", "role5"}, true, true}),
                16);
    r.mesh.automatic = true;
    r.memory_limit_bytes = 22459;
    const Plan refused = make_plan(r);
    r.memory_limit_bytes = 23780;
    const Plan larger = make_plan(r);
    ASSERT_TRUE(refused.out_of_memory && has_plan(larger));
    EXPECT_LT(larger.cost->memory.total(), refused.least_memory) << "else this tests nothing";
    EXPECT_TRUE(refused.least_was_found);
    EXPECT_EQ(refused.failure, does_not_fit(refused.least_memory, cost::Bytes(22459), Least::found));
}

Graph digits() {
    return training_step({64, {64, 256, 128, 10}, {"pixel", "hidden", "hidden", "digit"}, true, true});
}

TEST(Plan, NeverWorseThanTheBaselines) {
    Random random(33);
    for (int trial = 0; trial < 25; ++trial) {
        Mlp mlp{uniform(random, 8, 300), {uniform(random, 10, 900)}, {"pixel"}, true, trial % 2 == 0};
        for (int layer = uniform(random, 1, 4); layer > 0; --layer) {
            mlp.widths.push_back(uniform(random, 10, 900));
            mlp.roles.push_back(layer % 2 ? "hidden" : "inner");
        }
        const Plan plan = make_plan(request(training_step(mlp), uniform(random, 1, 12)));
        ASSERT_TRUE(plan.failure.empty());
        EXPECT_GE(plan.baselines.size(), 3u);
        for (const Baseline &baseline : plan.baselines)
            if (baseline.excluded.empty()) {
                EXPECT_LE(plan.cost->seconds().value, baseline.seconds.value * (1 + 1e-12)) << baseline.name;
            }
        EXPECT_LE(plan.lower_bound, plan.cost->seconds());
    }
}

TEST(Plan, NeverWorseThanTheBaselinesOfConvolutions) {
    Random random(35);
    for (int trial = 0; trial < 10; ++trial) {
        const std::int64_t batch = uniform(random, 1, 16);
        const std::int64_t extent = uniform(random, 20, 120);
        const std::int64_t channels = uniform(random, 4, 32);
        const sharding::graphs::Spatial height{"height", extent, 3, 1, 1, 1, 1};
        Request r = request(sharding::graphs::convolutional_step(
                                {{batch, 3, channels, {height}}, {batch, channels, channels, {height}}}),
                            4);
        r.mesh.axes = {{"rows", 2}, {"cols", 2}};
        const Plan plan = make_plan(r);
        ASSERT_TRUE(plan.failure.empty());
        std::vector<std::string> names;
        for (const Baseline &baseline : plan.baselines) {
            names.push_back(baseline.name);
            if (baseline.excluded.empty()) {
                EXPECT_LE(plan.cost->seconds().value, baseline.seconds.value * (1 + 1e-12)) << baseline.name;
            }
        }
        EXPECT_EQ(names, (std::vector<std::string>{"pure batch", "pure model", "Megatron-style", "batch x model",
                                                   "pure domain", "batch x domain"}));
        const LayerStrategies &layers = plan.baselines.back().layers;
        ASSERT_EQ(layers.size(), 2U);
        for (const LayerStrategy &layer : layers)
            EXPECT_EQ(layer.loop_of_axis, (std::vector<std::string>{"batch", "height"}));
    }
}

TEST(Plan, SameTwice) {
    const Plan a = make_plan(request(digits(), 8));
    const Plan b = make_plan(request(digits(), 8));
    EXPECT_EQ(a.mesh.sizes, b.mesh.sizes);
    EXPECT_EQ(a.layers, b.layers);
    EXPECT_EQ(a.cost->seconds(), b.cost->seconds());
}

TEST(Plan, PinsAreObeyed) {
    Request r = request(digits(), 4);
    r.mesh.axes = {{"rows", 2}, {"cols", 2}};
    r.pins.assign(r.graph.layers.size(), {{"batch", {"rows"}, "batch -> rows"}});
    r.pins[LayerId(1)].push_back({"hidden", {}, "hidden -> none"});
    const Plan plan = make_plan(r);
    ASSERT_TRUE(plan.failure.empty());
    for (const LayerStrategy &layer : plan.layers) {
        EXPECT_EQ(layer.loop_of_axis[0], "batch");
        EXPECT_NE(layer.loop_of_axis[1], "batch");
    }
    EXPECT_NE(plan.layers[LayerId(1)].loop_of_axis[1], "hidden");
}

TEST(Plan, WithoutSearchRulesSayEverything) {
    Request r = request(digits(), 4);
    r.search = false;
    r.mesh.axes = {{"rows", 2}, {"cols", 2}};
    r.pins.assign(r.graph.layers.size(), {{"hidden", {"cols"}, "hidden -> cols"}});
    const Plan plan = make_plan(r);
    ASSERT_TRUE(plan.failure.empty());
    for (int layer : {0, 1, 2})
        EXPECT_EQ(plan.layers[LayerId(layer)].loop_of_axis, (std::vector<std::string>{"", "hidden"}));
    EXPECT_EQ(plan.layers[LayerId(3)].loop_of_axis, (std::vector<std::string>{"", ""})); // the loss has no such loop
    EXPECT_EQ(plan.gap(), 0);
}

TEST(Plan, MajorOrderOfPinnedAxesIsKept) {
    Request r = request(digits(), 4);
    r.search = false;
    r.mesh.axes = {{"rows", 2}, {"cols", 2}};
    r.pins.assign(r.graph.layers.size(), {{"batch", {"cols", "rows"}, "batch -> [cols, rows]"}});
    const Plan plan = make_plan(r);
    EXPECT_EQ(plan.layers[LayerId(0)].loop_of_axis, (std::vector<std::string>{"batch", "batch"}));
    EXPECT_EQ(plan.layers[LayerId(0)].order, (std::vector<int>{1, 0}));
}

TEST(Plan, MajorOrderOfPinnedAxesIsThatOfTheBaselines) {
    Request r = request(digits(), 4);
    r.mesh.axes = {{"rows", 2}, {"cols", 2}};
    r.pins.assign(r.graph.layers.size(), {{"batch", {"rows", "cols"}, "batch -> [rows, cols]"}});
    r.pins[LayerId(0)] = {{"batch", {"cols", "rows"}, "fc1: batch -> [cols, rows]"}};
    r.storage.optimizer.emplace();
    const Plan plan = make_plan(r);
    ASSERT_EQ(plan.baselines.front().name, "pure batch");
    const Baseline &batch = plan.baselines.front();
    EXPECT_EQ(batch.excluded, "");
    EXPECT_EQ(plan.layers, batch.layers) << "the rules allow nothing else";
    EXPECT_EQ(plan.layers[LayerId(0)].order, (std::vector<int>{1, 0}));
    EXPECT_EQ(plan.layers[LayerId(1)].order, std::vector<int>{});
    // What the rules forbid would be faster: nothing is sent from rank to rank between fc1 and fc2.
    LayerStrategies ascending = plan.layers;
    ascending[LayerId(0)].order.clear();
    EXPECT_LT(evaluate(r, plan.mesh, plan.axes, ascending).seconds(), batch.seconds);
    EXPECT_EQ(batch.seconds, plan.cost->seconds());
}

TEST(Plan, NeverLeavesRanksWithoutWorkByItself) {
    Request r = request(training_step({3, {3, 3, 2}, {"a", "b", "c"}, true, false}), 8);
    const Plan plan = make_plan(r);
    ASSERT_TRUE(plan.failure.empty());
    const auto loops = layer_loops(r.graph);
    for (const LayerId l : plan.layers.ids())
        for (const LayerLoop &loop : loops[l]) {
            int parts = 1;
            for (std::size_t axis = 0; axis < plan.axes.size(); ++axis)
                parts *= plan.layers[l].loop_of_axis[axis] == loop.name ? plan.mesh.sizes[axis] : 1;
            EXPECT_LE(parts, loop.extent);
        }
}

Request with_stored_parameters(Request request) {
    request.storage.parameters = {{"rows"}};
    return request;
}

/// Where the rules leave nothing else, such plans are compared with one another, and no other plan bounds them.
TEST(Plan, RulesMayLeaveRanksWithoutWork) {
    Request r = request(training_step({8, {4, 4, 4}, {"feature", "hidden", "class"}, true, false}), 12);
    r.mesh.axes = {{"rows", 0}, {"cols", 0}};
    r.pins.assign(r.graph.layers.size(), {{"batch", {"rows", "cols"}, "batch -> [rows, cols]"}});
    for (const Request &wanted : {r, with_stored_parameters(r)}) {
        const Plan plan = make_plan(wanted);
        ASSERT_TRUE(plan.failure.empty()) << plan.failure;
        bool done = false;
        const double least = exhaustive(wanted, 1'000, done);
        ASSERT_TRUE(done);
        EXPECT_DOUBLE_EQ(plan.cost->seconds().value, least);
        EXPECT_DOUBLE_EQ(plan.lower_bound.value, least);
    }
}

TEST(Plan, ImpossibleMeshesAndMemoryAreSaid) {
    Request r = request(digits(), 4);
    r.mesh.axes = {{"rows", 3}, {"cols", 0}};
    EXPECT_EQ(make_plan(r).failure, "4 ranks do not make up the mesh [rows: 3, cols]");
    r = request(digits(), 4);
    r.memory_limit_bytes = 1000;
    const std::string failure = make_plan(r).failure;
    EXPECT_TRUE(failure.starts_with("no plan fits the memory: a rank needs about ")) << failure;
    EXPECT_TRUE(failure.ends_with("the limit is 1000 B")) << failure;
}

TEST(Plan, MemoryThatLacksLittleIsToldInBytes) {
    EXPECT_EQ(does_not_fit(cost::Bytes(205140), cost::Bytes(204800)),
              "no plan fits the memory: a rank needs 205,140 bytes at least by the planner's estimate, the limit is "
              "204,800 bytes");
    EXPECT_EQ(does_not_fit(cost::Bytes(4096), cost::Bytes(1024), Least::state),
              "no plan fits the memory: a rank needs about 4.00 KiB at least for parameters and optimizer state alone, "
              "the limit is 1.00 KiB");
    EXPECT_EQ(does_not_fit(cost::Bytes(4096), cost::Bytes(1024), Least::found),
              "no plan fits the memory: the smallest one found takes about 4.00 KiB of a rank, the limit is 1.00 KiB");
}

TEST(Plan, ALimitOnMemorySplitsTheWeights) {
    Request r = request(digits(), 4);
    r.mesh.axes = {{"rows", 4}};
    r.machine.network().bytes_per_second = 1e6; // batch parallel or replicated is fastest by far
    const Plan free = make_plan(r);
    r.memory_limit_bytes = free.cost->memory.total().value * 0.6;
    const Plan limited = make_plan(r);
    ASSERT_TRUE(limited.failure.empty()) << limited.failure;
    EXPECT_TRUE(limited.memory_decided);
    EXPECT_GT(limited.cost->seconds(), free.cost->seconds());
    EXPECT_LE(limited.cost->memory.total().value, r.memory_limit_bytes);
}

/// Batch parallel, so that everything of a parameter is replicated unless it is stored in shares.
Request batch_parallel() {
    Request r = request(digits(), 4);
    r.mesh.axes = {{"rows", 4}};
    r.pins.assign(r.graph.layers.size(), {{"batch", {"rows"}, "batch -> rows"}});
    return r;
}

TEST(Plan, ALimitOnMemoryStoresParametersInShares) {
    Request r = batch_parallel();
    const Plan free = make_plan(r);
    EXPECT_TRUE(free.storage.parameters.empty()) << "they move more bytes";
    r.memory_limit_bytes = free.cost->memory.total().value * 0.95;
    const Plan limited = make_plan(r);
    ASSERT_TRUE(limited.failure.empty()) << limited.failure;
    EXPECT_EQ(limited.storage, (Storage{{0}, {0}, {0}}));
    EXPECT_LE(limited.cost->memory.total().value, r.memory_limit_bytes);
    r.memory_limit_bytes = free.cost->memory.total().value * 0.1;
    EXPECT_TRUE(make_plan(r).out_of_memory);
}

TEST(Plan, RulesOfStorageHold) {
    Request r = batch_parallel();
    r.storage.gradients = {{"rows"}};
    EXPECT_EQ(make_plan(r).storage, (Storage{{}, {0}, {0}})) << "gradients speak for the optimizer";
    r.storage.optimizer = StoragePin(std::vector<std::string>{});
    EXPECT_EQ(make_plan(r).storage, (Storage{{}, {0}, {}})) << "unless it has a rule of its own";
    r.search = false;
    r.storage = {};
    EXPECT_EQ(make_plan(r).storage, Storage{});
    r.storage.parameters = {{"rows"}};
    EXPECT_EQ(make_plan(r).storage, (Storage{{0}, {0}, {0}}));
}

TEST(Plan, StoredEverywhereIsAQuarterOnFourRanks) {
    Request r = batch_parallel();
    r.search = false;
    const auto state = [&r] {
        const cost::Memory memory = make_plan(r).cost->memory;
        return (memory.parameters + memory.gradients + memory.optimizer_state).value;
    };
    const double whole = state();
    r.storage.parameters = {{"rows"}};
    EXPECT_NEAR(state(), whole / 4, 0.01 * whole);
}

TEST(Plan, WarnsOfALayoutThatExceedsTheMachine) {
    Request r = batch_parallel();
    r.search = false;
    EXPECT_EQ(make_plan(r).warning, "");
    r.machine.name = "small";
    r.machine.memory_bytes = 1024;
    const Plan plan = make_plan(r);
    EXPECT_EQ(plan.failure, "");
    EXPECT_NE(plan.warning.find("a rank, machine 'small' has 1.00 KiB"), std::string::npos) << plan.warning;
}

TEST(Plan, RunnerUpsCostMore) {
    const Plan plan = make_plan(request(digits(), 8));
    ASSERT_EQ(plan.runner_ups.size(), plan.layers.size());
    for (const LayerId l : plan.layers.ids()) {
        ASSERT_TRUE(plan.runner_ups[l].has_value());
        EXPECT_GE(plan.runner_ups[l]->added.value, -1e-12);
        LayerStrategies other = plan.layers;
        other[l] = plan.runner_ups[l]->strategy;
        const double seconds =
            evaluate(request(digits(), 8), plan.mesh, plan.axes, other, plan.storage).seconds().value;
        EXPECT_NEAR(seconds - plan.cost->seconds().value, plan.runner_ups[l]->added.value, 1e-12);
    }
}

/// From any plan, on networks in which sums pass and values have many readers.
TEST(Plan, RunnersUpOfAnyPlanAreTheBestChangesOfOneLayer) {
    Random random(83);
    int compared = 0;
    int different = 0;
    for (int trial = 0; trial < 60; ++trial) {
        SCOPED_TRACE(trial);
        const Request r = request(sharding::reference::random_graph(random), 8);
        const MeshShape shape{{"rows", "cols"}, {{2, 4}}};
        const Space space = make_space(r, shape);
        LayerStrategies layers;
        for (const auto &options : space.options)
            layers.push_back(
                (*options)[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(options->size()) - 1))]);
        const sharding::GraphIndex index(r.graph);
        const StepStructure step(index, r.machine);
        TermCache cache(shape.mesh, r.machine);
        const auto price = [&](const LayerStrategies &of) {
            return evaluate(r, shape.mesh, shape.axes, of).seconds().value;
        };
        const double before = price(layers);
        const auto found = runner_ups(step, shape, space, r.machine, {}, cache, layers, 0);
        for (const LayerId l : layers.ids()) {
            if (!found[l])
                continue;
            LayerStrategies other = layers;
            other[l] = found[l]->strategy;
            ++compared;
            different += std::abs(price(other) - before - found[l]->added.value) > 1e-9 * before;
        }
    }
    EXPECT_GT(compared, 100);
    EXPECT_LT(different, compared / 20); // where it is not known which calls share a latency
}

/// One value that `readers` layers multiply by weights of their own; the results are added.
Graph fan_out(int readers) {
    using sharding::graphs::Builder;
    using sharding::graphs::Operand;
    Builder b;
    const auto product = [&](LayerId layer, Operand x, ValueId weight, const std::vector<std::string> &result) {
        return b.operation(
            {"einsum", layer, sharding::Phase::forward, sharding::Kernel::contraction, false, planrt::Reduction::sum},
            {std::move(x), b.plain(weight)}, result, b.graph.layers[layer].name);
    };
    const LayerId stem = b.layer("stem");
    const ValueId input = b.value("input", sharding::ValueKind::free, stem, {{"batch", 32}, {"pixel", 24}});
    const ValueId w = b.value("stem.w", sharding::ValueKind::variable, stem, {{"pixel", 24}, {"hidden", 40}});
    const ValueId x = product(stem, b.plain(input), w, {"batch", "hidden"});
    std::vector<Operand> results;
    for (int reader = 0; reader < readers; ++reader) {
        const LayerId layer = b.layer("reader" + std::to_string(reader));
        const ValueId weight = b.value(b.graph.layers[layer].name + ".w", sharding::ValueKind::variable, layer,
                                       {{"hidden", 40}, {"out", 16}});
        results.push_back(b.plain(product(layer, b.plain(x), weight, {"batch", "out"})));
    }
    const LayerId join = b.layer("join");
    b.graph.outputs.push_back(
        b.operation({"sum", join, sharding::Phase::forward, sharding::Kernel::reduction, false, planrt::Reduction::sum},
                    results, {"batch"}, "joined"));
    return std::move(b.graph);
}

TEST(Plan, AValueWithManyReadersIsPlannedExactlyOrWithANote) {
    for (const int readers : {6, 24, 60}) {
        SCOPED_TRACE(readers);
        Request r = request(fan_out(readers), 8);
        r.mesh.axes = {{"rows", 2}, {"cols", 2}, {"planes", 2}};
        const Plan plan = make_plan(r);
        ASSERT_TRUE(plan.failure.empty());
        EXPECT_TRUE(plan.gap() < 1e-9 || !plan.note.empty()) << plan.gap();
        EXPECT_LT(plan.gap(), 0.2);
        for (const Baseline &baseline : plan.baselines)
            if (baseline.excluded.empty()) {
                EXPECT_LE(plan.cost->seconds(), baseline.seconds) << baseline.name;
            }
        // On one axis that splits anything the same graph is planned exactly.
        r.mesh.axes = {{"rows", 4}, {"cols", 1}};
        r.ranks = 4;
        const Plan narrow = make_plan(r);
        EXPECT_TRUE(narrow.note.empty());
        EXPECT_NEAR(narrow.gap(), 0, 1e-9);
    }
}

#ifdef __SANITIZE_ADDRESS__
constexpr int many_layers = 50; // sanitizers slow it down twentyfold
#else
constexpr int many_layers = 1000;
#endif

TEST(Plan, AThousandLayersOnFiveHundredRanksInSeconds) {
    Mlp mlp{1024, {784}, {"pixel"}, true, true};
    for (int layer = 1; layer < many_layers; ++layer) {
        mlp.widths.push_back(1024);
        mlp.roles.push_back("hidden");
    }
    mlp.widths.push_back(10);
    mlp.roles.push_back("digit");
    const std::clock_t begin = std::clock();
    const Plan plan = make_plan(request(training_step(mlp), 512));
    const double cpu_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    ASSERT_TRUE(plan.failure.empty());
    EXPECT_LT(plan.gap(), 0.01);
    EXPECT_LT(cpu_seconds, 20); // about two on a core of 2023
}

} // namespace
} // namespace planc::plan

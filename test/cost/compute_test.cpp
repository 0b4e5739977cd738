// The roofline and the published forward times of AlexNet.
#include "cost/kernels/compute.h"

#include <gtest/gtest.h>

#include <optional>

namespace planc::cost {
namespace {

using sharding::Kernel;
using sharding::LayerId;
using sharding::OperationId;
using sharding::Phase;
using sharding::ValueId;
using sharding::ValueKind;

/// SKYLAKE with the cores that their later data use: 4480 GFLOPS.
Machine skylake() {
    Machine machine;
    machine.flops_per_second = 4480e9;
    machine.memory_bytes_per_second = 128e9;
    machine.gemm_block = GemmBlock{480, 3072, 384};
    return machine;
}

TEST(Roofline, IntensityOfTheBlock) {
    EXPECT_NEAR(intensity(480, 3072, 384, 4), 99.74, 0.005);
}

TEST(Roofline, BoundByPeakOrByMemory) {
    Machine machine;
    machine.flops_per_second = 1e9;
    machine.memory_bytes_per_second = 1e8;
    EXPECT_DOUBLE_EQ(roofline(Flops(1e6), Bytes(1e3), machine).value, 1e-3);
    EXPECT_DOUBLE_EQ(roofline(Flops(1e3), Bytes(1e6), machine).value, 1e-2);
    const double n = 1000; // unblocked, square: I = n / 6 flop/byte
    EXPECT_DOUBLE_EQ(product_seconds(n, n, n, 4, machine).value, 2 * n * n * n / 1e9);
    EXPECT_DOUBLE_EQ(product_seconds(6, 6, 6, 4, machine).value, 2 * 6 * 6 * 6 / (1e8 * 1.0));
}

/// AlexNet 64-192-384-384-256 at b = 64 (Castello et al. 2019), microseconds.
TEST(Roofline, PublishedForwardTimes) {
    const auto microseconds = [](double m, double n, double k) {
        return 1e6 * product_seconds(m, n, k, 4, skylake()).value;
    };
    const double b = 64;
    EXPECT_NEAR(microseconds(64, b * 55 * 55, 3 * 11 * 11), 2007.91, 0.01);
    EXPECT_NEAR(microseconds(192, b * 27 * 27, 64 * 5 * 5), 6398.54, 0.01);
    EXPECT_NEAR(microseconds(384, b * 13 * 13, 192 * 3 * 3), 3204.01, 0.5);
    EXPECT_NEAR(microseconds(384, b * 13 * 13, 384 * 3 * 3), 6408.02, 0.5);
    EXPECT_NEAR(microseconds(256, b * 13 * 13, 384 * 3 * 3), 4272.01, 0.5);
    EXPECT_NEAR(microseconds(4096, b, 9216), 1078.54, 0.01);
    EXPECT_NEAR(microseconds(4096, b, 4096), 479.35, 0.01);
    EXPECT_NEAR(microseconds(1001, b, 4096), 117.15, 0.01);
}

/// velocity = 0.9 velocity + x' dy: of one weight, by a product, and of another one, by something else.
TEST(Fusion, KnowsWhatProductsAddToVariables) {
    sharding::Graph graph;
    graph.layers = {{"h"}};
    const auto value = [&graph](const char *name, std::vector<std::int64_t> extents, ValueKind kind,
                                OperationId producer = {}) {
        return graph.values.push_back({name, {}, std::move(extents), 4, kind, producer, LayerId(0), {}});
    };
    const ValueId x = value("x", {16, 8}, ValueKind::free);
    const ValueId dy = value("dy", {16, 8}, ValueKind::free);
    const ValueId velocity = value("velocity", {8, 8}, ValueKind::variable);
    const ValueId gradient = value("gradient", {8, 8}, ValueKind::computed, OperationId(0));
    const ValueId scaled = value("scaled", {8, 8}, ValueKind::computed, OperationId(1));
    const ValueId moved = value("new velocity", {8, 8}, ValueKind::computed, OperationId(2));
    const std::vector<sharding::Loop> square{{"in", 8, {}}, {"out", 8, {}}};
    const auto operation = [&graph](Kernel kernel, Phase phase, sharding::Nest nest, std::vector<ValueId> operands,
                                    ValueId result) {
        sharding::Operation &added = graph.operations.emplace_back();
        added.kernel = kernel;
        added.phase = phase;
        added.nest = std::move(nest);
        added.operands = std::move(operands);
        added.results = {result};
        added.writes.resize(1);
    };
    operation(Kernel::contraction, Phase::weight_gradient,
              {{{"batch", 16, sharding::LoopKind::reduced}, square[0], square[1]}, {{0, 1}, {0, 2}}, {{1, 2}}}, {x, dy},
              gradient);
    operation(Kernel::pointwise, Phase::update, {square, {{0, 1}}, {{0, 1}}}, {velocity}, scaled);
    operation(Kernel::pointwise, Phase::update, {square, {{0, 1}, {0, 1}}, {{0, 1}}}, {scaled, gradient}, moved);
    graph.operations.back().writes = {velocity};
    EXPECT_TRUE(fusion(graph).back().accumulated);

    Machine machine;
    machine.memory_bytes_per_second = 1e6;
    const auto seconds = [&](std::vector<int> loops) {
        const int axes = static_cast<int>(loops.size());
        return seconds_under({std::move(loops), {}}, graph, graph.operations.back(), fusion(graph).back(),
                             {std::vector<int>(static_cast<std::size_t>(axes), 2)}, machine)
            .value;
    };
    for (const std::optional<support::LoopRate> &rate :
         {std::optional<support::LoopRate>(), std::optional(support::LoopRate{1e12, {}, {}, {}})}) {
        machine.kernels.loops = rate;
        EXPECT_NEAR(seconds({0}), 0, 1e-9) << "the product has added it";
        EXPECT_NEAR(seconds({-1}), 2 * 8 * 8 * 4 / 1e6, 1e-9) << "a sum over the axis comes between them";
    }

    graph.operations[OperationId(0)].kernel = Kernel::pointwise;
    EXPECT_FALSE(fusion(graph).back().accumulated);
}

TEST(Fusion, a_maximum_and_its_number_are_one_pass) {
    sharding::Graph graph;
    graph.values.resize(3);
    for (sharding::Value &value : graph.values)
        value.extents = {8};
    const auto pool = [&graph](const char *name, std::int64_t kernel) {
        sharding::Operation &added = graph.operations.emplace_back();
        added.name = name;
        added.kernel = Kernel::window;
        added.nest = {{{"height", 8, {}}, {"kernel", kernel, sharding::LoopKind::reduced}}, {{0}}, {{0}}};
        added.nest.windows = {{0, 0, 1, 8}};
        added.operands = {ValueId(0)};
        added.results = {ValueId(graph.operations.size())};
        added.writes.resize(1);
    };
    pool("pool max", 3);
    pool("pool argmax", 3);
    EXPECT_TRUE(fusion(graph).back().same_pass);
    EXPECT_FALSE(fusion(graph)[OperationId(0)].same_pass);
    graph.operations.back().nest.loops[1].extent = 5;
    EXPECT_FALSE(fusion(graph).back().same_pass) << "other windows";
    graph.operations.back().nest.loops[1].extent = 3;
    graph.operations.back().name = "pool average";
    EXPECT_FALSE(fusion(graph).back().same_pass) << "another kernel";
}

TEST(Fusion, gradients_of_both_kinds_are_one_loop) {
    sharding::Graph graph;
    graph.values.resize(3);
    for (sharding::Value &value : graph.values)
        value.extents = {8};
    graph.values[ValueId(1)].producer = OperationId(0);
    graph.values[ValueId(2)].producer = OperationId(1);
    const auto operation = [&graph](Kernel kernel, Phase phase, ValueId operand) {
        sharding::Operation &added = graph.operations.emplace_back();
        added.kernel = kernel;
        added.phase = phase;
        added.nest = {{{"hidden", 8, {}}}, {{0}}, {{0}}};
        added.operands = {operand};
        added.results = {operand + 1};
        added.writes.resize(1);
    };
    operation(Kernel::pointwise, Phase::input_gradient, ValueId(0));
    operation(Kernel::reduction, Phase::weight_gradient, ValueId(1));
    EXPECT_TRUE(fusion(graph)[OperationId(1)].operands[0]);
    graph.operations[OperationId(0)].phase = Phase::forward;
    EXPECT_FALSE(fusion(graph)[OperationId(1)].operands[0]);
}

/// y = f(x), y += 1, something with weights, z = g(y, x).
TEST(ReuseDistances, AreFromMiddleToMiddle) {
    ReuseDistances<char> distances;
    const auto run = [&distances](double bytes, std::vector<char> operands, std::vector<char> results) {
        std::vector<double> values;
        for (const Bytes &each : distances.run(Bytes(bytes), operands, results))
            values.push_back(each.value);
        return values;
    };
    using Values = std::vector<double>;
    EXPECT_EQ(run(20, {'x'}, {'y'}), (Values{0})) << "never seen";
    EXPECT_EQ(run(10, {'y'}, {'y'}), (Values{15}));
    EXPECT_EQ(run(100, {'w'}, {}), (Values{0}));
    EXPECT_EQ(run(10, {'y', 'x'}, {'z'}), (Values{110, 125}));
    EXPECT_EQ(run(20, {'x'}, {'y'}), (Values{15})) << "the next step";
}

/// dy is read behind y = f(x), far from where it was made.
TEST(OperationSeconds, FetchesFarOperandsFromMemory) {
    sharding::Graph graph;
    graph.values.resize(4);
    for (sharding::Value &value : graph.values)
        value.extents = {1000};
    const ValueId x(0);
    const ValueId y(1);
    const ValueId z(2);
    const ValueId end(3);
    const auto operation = [&graph](std::vector<ValueId> operands, ValueId result) {
        sharding::Operation &added = graph.operations.emplace_back();
        added.kernel = Kernel::pointwise;
        added.layer = LayerId(graph.operations.size());
        added.nest = {{{"hidden", 1000, {}}}, std::vector<std::vector<int>>(operands.size(), {0}), {{0}}};
        added.operands = std::move(operands);
        added.results = {result};
        added.writes.resize(1);
        graph.values[result].producer = graph.operations.end_id() - 1;
    };
    operation({x}, y);
    operation({y}, z);
    operation({z}, y);
    operation({y, x}, end);
    graph.outputs = {end};
    sharding::PerOperation<Fused> all = fusion(graph);
    EXPECT_TRUE(all.back().reuse.empty());
    find_reuse(graph, all);
    Fused last = all.back();
    ASSERT_EQ(last.reuse.size(), 2U);
    EXPECT_NEAR(last.reuse[0].value, 4000 + 6000, 2000) << "half of what the one before moves, and of its own 12000";
    EXPECT_NEAR(last.reuse[1].value, 4000 + 2 * 8000 + 6000, 5000);
    last.reuse = {Bytes(10000), Bytes(26000)};

    Machine machine;
    machine.memory_bytes_per_second = 1e6;
    machine.kernels.cache = support::CacheRate{13000, 1e9};
    machine.kernels.loops = support::LoopRate{1e12, {}, {}, {}};
    const auto seconds = [&](std::int64_t hidden) {
        return operation_seconds(graph, graph.operations.back(), {hidden}, machine, 1, &last).value;
    };
    const double far = 0.5 / 1e9 + 0.5 / 1e6; // half of 26000 bytes fit
    EXPECT_NEAR(seconds(1000), 4000 / 1e9 + 8000 * far, 1e-9) << "and the result is as far";
    EXPECT_NEAR(seconds(500), 6000 / 1e9, 1e-9) << "of half of everything all fits";
    machine.kernels.cache = {};
    EXPECT_NEAR(seconds(1000), 12000 / 1e6, 1e-9);
}

TEST(LocalExtents, LargestBlocks) {
    sharding::Nest nest;
    nest.loops = {{"batch", 10, {}}, {"out", 7, {}}};
    const sharding::Mesh mesh{{3, 2, 2}};
    EXPECT_EQ(local_extents(nest, {{0, 1, 0}, {}}, mesh), (std::vector<std::int64_t>{2, 4}));
    EXPECT_EQ(local_extents(nest, {{-1, -1, -1}, {}}, mesh), (std::vector<std::int64_t>{10, 7}));
}

} // namespace
} // namespace planc::cost

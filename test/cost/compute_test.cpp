// The roofline and the published forward times of AlexNet.
#include "cost/kernels/compute.h"
#include "cost/kernels/reuse_distances.h"
#include "cost/kernels/work.h"
#include "sharding/random_graph.h"

#include <planrt/needed_rows.h>

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace planc::cost {
namespace {

using sharding::OperationId;
using sharding::ValueId;

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

/// A pointwise operation on two tensors [in: 8, out: 8] of f32.
sharding::Part pointwise() {
    sharding::Part part;
    part.nest = {{{"in", 8, {}}, {"out", 8, {}}}, {{0, 1}, {0, 1}}, {{0, 1}}};
    part.operands.resize(2);
    part.results.resize(1);
    part.loops = {0, 1};
    return part;
}

/// velocity = 0.9 velocity + x' dy: the sum of the two, which the product makes.
TEST(SecondsUnder, KnowsWhatProductsAddToVariables) {
    sharding::Operation operation;
    operation.nest = pointwise().nest;
    sharding::Part sum = pointwise();
    sum.operands[0].in_memory = false;
    const sharding::Work work{{}, {sum}};
    Machine machine;
    machine.memory_bytes_per_second = 1e6;
    const auto seconds = [&](int loop) { return seconds_under({{loop}, {}}, operation, work, {{2}}, machine).value; };
    for (const std::optional<support::LoopRate> &rate :
         {std::optional<support::LoopRate>(), std::optional(support::LoopRate{1e12, {}, {}, {}})}) {
        machine.kernels.loops = rate;
        EXPECT_EQ(seconds(0), 0) << "the product has added it";
        EXPECT_NEAR(seconds(-1), 2 * 8 * 8 * 4 / 1e6, 1e-9) << "a sum over the axis comes between them";
    }
}

TEST(SecondsUnder, AddsThePartsOnTheirOwnLoops) {
    sharding::Operation operation;
    operation.nest = pointwise().nest;
    sharding::Part turned = pointwise();
    turned.loops = {1, 0};
    turned.nest.loops[0].extent = 4; // of another format
    turned.loops[0] = -1;
    Machine machine;
    machine.memory_bytes_per_second = 1e6;
    const auto seconds = [&](const sharding::Work &work) {
        return seconds_under({{0}, {}}, operation, work, {{4}}, machine).value * 1e6;
    };
    EXPECT_NEAR(seconds({{pointwise()}}), 3 * 2 * 8 * 4, 1e-6) << "in is split";
    EXPECT_NEAR(seconds({{turned}}), 3 * 4 * 2 * 4, 1e-6) << "its second loop is in, its first is nobody's";
    EXPECT_NEAR(seconds({{pointwise(), turned}}), 3 * 2 * 8 * 4 + 3 * 4 * 2 * 4, 1e-6);
    EXPECT_EQ(seconds({}), 0) << "nothing runs";
}

/// Ranks that split the columns have the rows that they touch: altogether less than one rank, which has the empty ones.
TEST(LeastSeconds, AreNoMoreThanRanksTakeAltogether) {
    const planrt::Pattern matrix =
        planrt::pattern_of(1000, 64, std::vector{3, 3, 500, 999}, std::vector{0, 40, 63, 17});
    sharding::Operation operation;
    operation.nest = sharding::reference::sparse_product(1000, 64, 8, planrt::number_matrix(matrix));
    operation.nest.sparse->density = 4.0 / (1000 * 64);
    sharding::Part part;
    part.kernel = sharding::Kernel::sparse_product;
    part.nest = operation.nest;
    part.operands.resize(1);
    part.results.resize(1);
    part.loops = {0, 1, 2};
    const sharding::Work work{{part}};
    Machine machine;
    machine.memory_bytes_per_second = 1e6;
    const double least = least_seconds(operation, work, machine).value;
    const auto altogether = [&](int loop) {
        return 8 * seconds_under({{loop}, {}}, operation, work, {{8}}, machine).value;
    };
    EXPECT_LT(altogether(2), seconds_under({{-1}, {}}, operation, work, {{1}}, machine).value);
    EXPECT_GT(least, 0);
    for (const int loop : {-1, 0, 1, 2})
        EXPECT_LE(least, altogether(loop)) << loop;
}

TEST(WorkOfOperations, EachByItselfWhereNothingIsScheduled) {
    sharding::Graph graph;
    graph.values.resize(3);
    graph.values[ValueId(2)].element_bytes = 8;
    sharding::Operation &operation = graph.operations.emplace_back();
    operation.nest = pointwise().nest;
    operation.operands = {ValueId(0), ValueId(1)};
    operation.results = {ValueId(2)};
    const auto work = work_of_operations(graph, {});
    ASSERT_EQ(work[OperationId(0)]->parts.size(), 1U);
    EXPECT_EQ(work[OperationId(0)]->parts[0].loops, (std::vector<int>{0, 1}));
    EXPECT_EQ(work[OperationId(0)]->parts[0].results[0].element_bytes, 8);
    EXPECT_TRUE(work[OperationId(0)]->parts[0].operands[1].in_memory);
}

TEST(WorkOfOperations, DistancesOnlyWhereThereIsACache) {
    sharding::Graph graph;
    graph.operations.emplace_back().nest = pointwise().nest;
    sharding::Part part = pointwise();
    part.operands[0].reuse = Bytes(1000);
    graph.work = {sharding::Work{{part}}};
    Machine machine;
    const auto reuse = [&] { return work_of_operations(graph, machine)[OperationId(0)]->parts[0].operands[0].reuse; };
    EXPECT_FALSE(reuse());
    machine.kernels.cache = support::CacheRate{13000, 1e9};
    EXPECT_NEAR(reuse()->value, 1024, 1e-9) << "rounded up to a power of the fourth root of 2";
}

TEST(WorkOfOperations, HasATextByWhichItIsAlike) {
    const sharding::Part part = pointwise();
    sharding::Part in_loop = part;
    in_loop.operands[1].in_memory = false;
    sharding::Part format = part;
    format.weight_format = true;
    EXPECT_EQ(text({{part}}), text({{part}}));
    for (const sharding::Work &other :
         {sharding::Work{{part, part}}, {{in_loop}}, {{format}}, {{}, {part}}, {{}, {}, {part}}, {}})
        EXPECT_NE(text({{part}}), text(other));
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

TEST(PartSeconds, FetchesFarOperandsFromMemory) {
    sharding::Part last;
    last.nest = {{{"hidden", 1000, {}}}, {{0}, {0}}, {{0}}};
    last.operands = {{4, true, Bytes(10000)}, {4, true, Bytes(26000)}};
    last.results.resize(1);

    Machine machine;
    machine.memory_bytes_per_second = 1e6;
    machine.kernels.cache = support::CacheRate{13000, 1e9};
    machine.kernels.loops = support::LoopRate{1e12, {}, {}, {}};
    const auto seconds = [&](std::int64_t hidden) { return part_seconds(last, {hidden}, machine).value; };
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

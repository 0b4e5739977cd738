// Windows: what a rank's part of the loop touches, element by element; halos; whole convolutional steps, executed.
#include "sharding/check_graph.h"
#include "sharding/convolutions.h"
#include "sharding/elements.h"
#include "sharding/placement.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace planc::sharding::reference {
namespace {

using graphs::Convolution;
using graphs::convolution_nest;
using graphs::ConvolutionKind;
using graphs::Spatial;
using planrt::Window;

/// By the definition in layout.h.
std::set<std::int64_t> touched_one_by_one(const Window &window, Range positions, std::int64_t extent) {
    std::set<std::int64_t> result;
    for (std::int64_t p = positions.begin; p < positions.end; ++p)
        for (std::int64_t k = 0; k < window.kernel; ++k)
            for (std::int64_t index = 0; index < extent; ++index) {
                const std::int64_t a = window.transposed ? index : p;
                const std::int64_t b = window.transposed ? p : index;
                if (b == a * window.stride - window.padding + k * window.dilation)
                    result.insert(index);
            }
    return result;
}

void check_touched(const Window &window, Range positions, std::int64_t extent) {
    const std::set<std::int64_t> expected = touched_one_by_one(window, positions, extent);
    const Range range = planrt::touched(window, positions, extent);
    if (!expected.empty()) {
        EXPECT_LE(range.begin, *expected.begin());
        EXPECT_GE(range.end, *expected.rbegin() + 1);
    }
    if (window.transposed && window.dilation > 1)
        return;                                                                          // bounds
    if (window.dilation == 1 && (window.transposed || window.stride <= window.kernel)) { // no gaps: exact
        EXPECT_EQ(expected.empty(), range.size() == 0);
    }
    if (range.size() > 0) { // else exact where padding is not cut off
        EXPECT_TRUE((range.begin == 0 && !window.transposed) || expected.contains(range.begin));
        EXPECT_TRUE((range.end == extent && !window.transposed) || expected.contains(range.end - 1));
    }
}

TEST(Window, TouchesWhatTheDefinitionSays) {
    for (const bool transposed : {false, true})
        for (std::int64_t code = 0; code < std::int64_t{4} * 3 * 3 * 4 * 5; ++code) {
            const Window window{6, 1 + code % 4, 1 + code / 4 % 3, 1 + code / 12 % 3, code / 36 % 4, transposed};
            const std::int64_t extent = 2 + code / 144 * 2;
            for (std::int64_t begin = 0; begin < 6; ++begin)
                for (std::int64_t end = begin; end <= 6; ++end)
                    check_touched(window, {begin, end}, extent);
            if (testing::Test::HasFailure())
                FAIL() << "kernel " << window.kernel << ", stride " << window.stride << ", dilation " << window.dilation
                       << ", padding " << window.padding << ", extent " << extent << transposed;
        }
}

// --- halos of known layers ----------------------------------------------------------------------------------------

/// Rows that rank `to` lacks and gets from rank `from` in the forward pass.
std::int64_t rows(const Spatial &spatial, int ranks, int from, int to) {
    const Mesh mesh{{ranks}};
    const Nest nest = convolution_nest({1, 1, 1, {spatial}}, ConvolutionKind::forward);
    const Placement wanted = derive(nest, {{3}, {}}, mesh).operands[0];
    Placement blocks = without_windows(wanted);
    for (const planrt::Transfer &receive : exchange(blocks, wanted, mesh, to).receives)
        if (receive.peer == from)
            return receive.box[1].size();
    return 0;
}

TEST(Halo, OfAlexNetsFirstLayer) {
    const Spatial conv1{"height", 227, 11, 4};
    EXPECT_EQ(rows(conv1, 2, 1, 0), 5);
    EXPECT_EQ(rows(conv1, 2, 0, 1), 2);
}

TEST(Halo, OfAUnitKernelWithAStride) {
    const Spatial unit{"height", 12, 1, 2};
    EXPECT_EQ(rows(unit, 4, 2, 1), 1);
    EXPECT_EQ(rows(unit, 4, 0, 1), 0);
}

TEST(Halo, IsHalfAKernelOnlyForAlignedBlocks) {
    for (const std::int64_t kernel : {1, 3, 5, 7}) {
        const Spatial same{"height", 32, kernel, 1, 1, kernel / 2, kernel / 2};
        EXPECT_EQ(rows(same, 4, 0, 1), kernel / 2);
        EXPECT_EQ(rows(same, 4, 2, 1), kernel / 2);
    }
}

TEST(Halo, MayBeWiderThanTheNeighboursBlock) {
    const Spatial wide{"height", 8, 7, 1, 1, 3, 3};
    for (int neighbour : {1, 2, 3})
        EXPECT_EQ(rows(wide, 8, 4 - neighbour, 4), 1) << neighbour << " blocks away";
    EXPECT_EQ(rows(wide, 8, 0, 4), 0);
}

/// The halo in parts: beyond the own block along a dimension, within it along those before, all along those behind.
std::vector<Placement> parts_of(Placement rest) {
    std::vector<Placement> parts;
    for (planrt::DimensionPlacement &dimension : rest.dimensions) {
        if (!dimension.window)
            continue;
        for (const auto part : {planrt::WindowPart::before, planrt::WindowPart::behind}) {
            dimension.window->part = part;
            parts.push_back(rest);
        }
        dimension.window->part = planrt::WindowPart::within;
    }
    return parts;
}

TEST(Halo, InPartsIsAllOfItInAsManyMessages) {
    Random random(11);
    for (int trial = 0; trial < 500 && !testing::Test::HasFailure(); ++trial) {
        const Mesh mesh{{uniform(random, 1, 4), uniform(random, 1, 4)}};
        const auto windows = [&](std::vector<int> axes) {
            return planrt::DimensionPlacement{uniform(random, 1, 16), std::move(axes),
                                              Window{uniform(random, 1, 12), uniform(random, 1, 5),
                                                     uniform(random, 1, 3), uniform(random, 1, 2),
                                                     uniform(random, 0, 3), uniform(random, 0, 1) == 1}};
        };
        const Placement wanted{{{3, {}}, windows({0}), windows({1})}, {}};
        const Placement blocks = without_windows(wanted);
        SCOPED_TRACE(text(wanted));
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const planrt::Box box = local_box(wanted, mesh, rank);
            planrt::Traffic sum;
            std::int64_t elements = volume(planrt::intersect(box, local_box(blocks, mesh, rank)));
            for (const Placement &part : parts_of(wanted)) {
                const planrt::Box part_box = local_box(part, mesh, rank);
                const planrt::Traffic sent = traffic(CollectiveKind::exchange, blocks, part, mesh, rank);
                EXPECT_EQ(volume(planrt::intersect(box, part_box)), volume(part_box));
                EXPECT_TRUE(exchange(blocks, part, mesh, rank).kept.empty());
                elements += volume(part_box);
                sum.calls += sent.calls;
                sum.elements += sent.elements;
            }
            EXPECT_EQ(elements, volume(box));
            EXPECT_EQ(sum, traffic(CollectiveKind::exchange, blocks, wanted, mesh, rank));
        }
    }
}

TEST(Halo, OfTwoSpatialDimensionsHasCorners) {
    const Mesh mesh{{3, 3}};
    const Nest nest = convolution_nest({1, 1, 1, {{"height", 9, 3, 1, 1, 1, 1}, {"width", 9, 3, 1, 1, 1, 1}}},
                                       ConvolutionKind::forward);
    const Placement wanted = derive(nest, {{3, 5}, {}}, mesh).operands[0];
    const planrt::Exchange middle = exchange(without_windows(wanted), wanted, mesh, 4);
    ASSERT_EQ(middle.receives.size(), 8U);
    for (const planrt::Transfer &receive : middle.receives)
        EXPECT_EQ(volume(receive.box), receive.peer % 2 == 0 ? 1 : 3) << "corners are of one element";
    EXPECT_EQ(traffic(CollectiveKind::exchange, without_windows(wanted), wanted, mesh, 4), (planrt::Traffic{8, 16}));
}

TEST(Halo, IsNoneWhereWindowsTouchJustTheBlocks) {
    const Nest pool = convolution_nest({1, 1, 1, {{"height", 8, 2, 2}}}, ConvolutionKind::forward);
    EXPECT_EQ(text(derive(pool, {{3}, {}}, Mesh{{4}}).operands[0]), "[1:, 8: 0, 1:]");
    EXPECT_EQ(text(derive(pool, {{3}, {}}, Mesh{{3}}).operands[0]), "[1:, 8: 0 window 4 2 2 1 0, 1:]");
    EXPECT_EQ(text(derive(pool, {{-1}, {}}, Mesh{{4}}).operands[0]), "[1:, 8:, 1:]") << "not cut: whole";
}

TEST(Halo, OfTheGradientIsTransposed) {
    const Nest nest = convolution_nest({1, 1, 1, {{"height", 9, 3, 2, 1, 1, 1}}}, ConvolutionKind::input_gradient);
    EXPECT_EQ(text(derive(nest, {{3}, {}}, Mesh{{2}}).operands[0]), "[1:, 5: 0 transposed window 9 3 2 1 1, 1:]");
    const Nest weights = convolution_nest({1, 1, 1, {{"height", 9, 3, 2, 1, 1, 1}}}, ConvolutionKind::weight_gradient);
    EXPECT_EQ(text(derive(weights, {{3}, {}}, Mesh{{2}}).results[0]), "[3:, 1:, 1:] partial 0");
}

TEST(Largest, VolumeIsThatOfAnInnerRank) {
    const Placement wanted{{{12, {0}, Window{12, 3, 1, 1, 1, false}}}, {}, Reduction::sum};
    EXPECT_EQ(largest_volume(wanted, Mesh{{3}}), 6); // 5, 6, 5
}

// --- routes into windows --------------------------------------------------------------------------------------------

TEST(WindowRoutes, OfKnownPlacements) {
    const Mesh mesh{{2, 2}};
    const Window window{8, 3, 1, 1, 1, false};
    const Placement wanted{{{8, {0}, window}, {4, {}}}, {}, Reduction::sum};
    const auto kinds = [&](std::vector<int> first, std::vector<int> second, std::vector<int> partial) {
        std::vector<CollectiveKind> result;
        for (const Step &step : reshard(
                 {{{8, std::move(first)}, {4, std::move(second)}}, std::move(partial), Reduction::sum}, wanted, mesh))
            result.push_back(step.kind);
        return result;
    };
    using Kinds = std::vector<CollectiveKind>;
    using enum CollectiveKind;
    EXPECT_EQ(kinds({}, {}, {}), Kinds{slice}) << "who has all keeps a part";
    EXPECT_EQ(kinds({0}, {}, {}), Kinds{exchange}) << "neighbours' rows";
    EXPECT_EQ(kinds({}, {0}, {}), Kinds{exchange}) << "one exchange moves blocks and halos";
    EXPECT_EQ(kinds({}, {}, {0}), (Kinds{reduce_scatter, exchange}));
    EXPECT_EQ(kinds({0}, {}, {1}), (Kinds{all_reduce, exchange}));
}

/// Each step is executed; in the last every rank receives its box without what it has, each element once.
void check_route(Random &random) {
    const Mesh mesh = random_mesh(random, 4, 12);
    std::vector<std::int64_t> extents;
    for (int d = uniform(random, 1, 3); d > 0; --d)
        extents.push_back(uniform(random, 1, 9));
    const Placement from = random_placement(extents, mesh, true, random, uniform(random, 0, 3) == 0);
    const Placement to = with_random_windows(random_placement(extents, mesh, false, random), random);
    const Whole whole = random_whole(extents, random);
    Distributed tensor = distribute(whole, from, mesh, random);
    const std::vector<Step> steps = reshard(from, to, mesh);
    SCOPED_TRACE(text(from) + " to " + text(to) + ": " + text(steps));
    for (const Step &step : steps) {
        Executed executed = execute(step, tensor, mesh);
        ASSERT_EQ(executed.error, "");
        std::int64_t sent = 0;
        std::int64_t lacking = 0;
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            ASSERT_EQ(executed.traffic[rank], traffic(step.kind, step.from, step.to, mesh, rank)) << rank;
            sent += executed.traffic[rank].elements;
            const Box wanted = local_box(step.to, mesh, rank);
            lacking += volume(wanted) - volume(intersect(wanted, local_box(step.from, mesh, rank)));
        }
        if (step.kind == CollectiveKind::exchange) {
            EXPECT_EQ(sent, lacking);
        } else if (step.kind == CollectiveKind::slice) {
            EXPECT_EQ(lacking, 0);
        }
        tensor = std::move(executed.tensor);
        ASSERT_EQ(difference(tensor, whole, mesh), "");
    }
    EXPECT_EQ(tensor.placement, to);
}

TEST(WindowRoutes, ExecutedOnRandomTensors) {
    Random random(11);
    for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        check_route(random);
    }
}

// --- convolutions ---------------------------------------------------------------------------------------------------

Spatial random_spatial(Random &random, const std::string &role, std::int64_t extent) {
    while (true) {
        const Spatial spatial{role,
                              extent,
                              uniform(random, 1, 4),
                              uniform(random, 1, 3),
                              uniform(random, 1, 2),
                              uniform(random, 0, 2),
                              uniform(random, 0, 2)};
        if (extent + spatial.before + spatial.behind > (spatial.kernel - 1) * spatial.dilation)
            return spatial;
    }
}

std::vector<Convolution> random_chain(Random &random) {
    std::vector<Convolution> chain;
    const bool plane = uniform(random, 0, 1) == 1;
    Convolution next{uniform(random, 1, 3), uniform(random, 1, 3), 1, {}};
    next.spatial.push_back({"height", uniform(random, 1, plane ? 7 : 14)});
    if (plane)
        next.spatial.push_back({"width", uniform(random, 1, 7)});
    for (int layers = uniform(random, 1, 3); layers > 0; --layers) {
        next.out = uniform(random, 1, 3);
        for (Spatial &spatial : next.spatial)
            spatial = random_spatial(random, spatial.role, spatial.extent);
        chain.push_back(next);
        next.in = next.out;
        for (Spatial &spatial : next.spatial)
            spatial.extent = spatial.positions();
    }
    return chain;
}

// No weights: the kernel's loop is in no tensor. Maxima, and sums.
TEST(Pool, ExecutedOnRandomMeshes) {
    Random random(13);
    for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        Nest nest = convolution_nest({2, 2, 2, {random_spatial(random, "height", uniform(random, 1, 12))}},
                                     ConvolutionKind::forward);
        nest.operands = {{0, 3, 2}};
        nest.results = {{0, 3, 2}};
        nest.loops[1] = {"unused", 1, LoopKind::reduced};
        nest.reduction = i % 2 == 0 ? Reduction::max : Reduction::sum;
        const Mesh mesh = random_mesh(random, 3, 12);
        Strategy strategy;
        for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
            strategy.loop_of_axis.push_back(std::vector<int>{-1, 0, 2, 3, 3}[uniform(random, 0, 4)]);
        const Derived derived = derive(nest, strategy, mesh);
        const Whole whole = random_whole({2, nest.windows[0].extent, 2}, random);
        const std::vector<Distributed> results =
            compute(nest, strategy, {distribute(whole, derived.operands[0], mesh, random)}, derived.results, mesh);
        EXPECT_TRUE(derived.results[0].partial.empty());
        EXPECT_EQ(difference(results[0], compute(nest, {whole})[0], mesh), "");
    }
}

// [whole: 16] as [major: 4, minor: 4] and back: the loop of the windows is cut as far as these are just the blocks.
TEST(BlocksOnly, LoopsAreCutAsFarAsBlocksFit) {
    Nest part;
    part.loops = {{"major", 4}, {"minor", 4, LoopKind::whole}};
    part.operands = {{0}};
    part.results = {{0, 1}};
    part.windows = {{0, 0, 1, 16, 4, 1, 0, false, true}};
    Nest join;
    join.loops = {{"whole", 16}, {"minor", 4, LoopKind::whole}};
    join.operands = {{0, 1}};
    join.results = {{0}};
    join.windows = {{0, 0, 1, 4, 4, 1, 0, true, true}};
    const auto bound = [](const Nest &nest, const Mesh &mesh) {
        const LayerStrategy all{std::vector<std::string>(mesh.sizes.size(), nest.loops[0].name), {}};
        const Strategy strategy = bind(all, nest, mesh);
        for (const Placement &operand : derive(nest, strategy, mesh).operands)
            for (const planrt::DimensionPlacement &dimension : operand.dimensions)
                EXPECT_FALSE(dimension.window);
        return strategy.loop_of_axis;
    };
    using Loops = std::vector<int>;
    for (const Nest &nest : {part, join}) {
        EXPECT_EQ(bound(nest, Mesh{{2}}), (Loops{0}));
        EXPECT_EQ(bound(nest, Mesh{{4}}), (Loops{0}));
        EXPECT_EQ(bound(nest, Mesh{{3}}), (Loops{-1}));
        EXPECT_EQ(bound(nest, Mesh{{8}}), (Loops{-1}));
        EXPECT_EQ(bound(nest, Mesh{{2, 2}}), (Loops{0, 0}));
        EXPECT_EQ(bound(nest, Mesh{{2, 4}}), (Loops{0, -1}));
        EXPECT_EQ(bound(nest, Mesh{{3, 2}}), (Loops{-1, -1}));
        EXPECT_EQ(bound(nest, Mesh{{1, 4}}), (Loops{0, 0}));
    }
}

TEST(Convolution, StepsExecutedOnRandomMeshesAndStrategies) {
    static const std::vector<std::string> loops = {"batch", "in", "out", "height", "width", "height", "width", ""};
    Random random(12);
    for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const Graph graph = graphs::convolutional_step(random_chain(random));
        ASSERT_EQ(check_graph(graph), "");
        const Mesh mesh = random_mesh(random, 3, 12);
        LayerStrategies strategies(graph.layers.size());
        for (LayerStrategy &strategy : strategies)
            for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
                strategy.loop_of_axis.push_back(loops[uniform(random, 0, static_cast<int>(loops.size()) - 1)]);
        const Storage storage = uniform(random, 0, 2) == 0 ? random_storage(mesh, random) : Storage{};
        EXPECT_EQ(run(graph, lay_out(graph, mesh, strategies, storage), mesh, random), "");
    }
}

} // namespace
} // namespace planc::sharding::reference

// lay_out(): random graphs under random strategies, executed copy by copy; and its agreement with copies_of and scope.
#include "sharding/lay_out.h"

#include "sharding/check_graph.h"
#include "sharding/graphs.h"
#include "sharding/placement.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::sharding {

static bool operator==(const Copy &a, const Copy &b) {
    return a.placement == b.placement && a.source == b.source && a.steps == b.steps && a.layer == b.layer &&
           a.phase == b.phase && a.first_use == b.first_use && a.pass == b.pass;
}
static bool operator==(const Strategy &a, const Strategy &b) {
    return a.loop_of_axis == b.loop_of_axis && a.order == b.order && a.stored == b.stored;
}

namespace reference {
namespace {

struct Case {
    Mesh mesh;
    Graph graph;
    LayerStrategies layers;
    Storage storage;
};

Case random_case(Random &random) {
    Case result;
    result.mesh = random_mesh(random, 3, 8);
    result.graph = random_graph(random);
    result.layers = random_strategies(result.graph, result.mesh, random);
    if (uniform(random, 0, 2) > 0)
        result.storage = random_storage(result.mesh, random);
    return result;
}

TEST(LayOut, ExecutedOnRandomGraphs) {
    Random random(4);
    for (int i = 0; i < 800 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const Case c = random_case(random);
        ASSERT_EQ(check_graph(c.graph), "");
        const LaidOut laid_out = lay_out(c.graph, c.mesh, c.layers, c.storage);
        EXPECT_EQ(run(c.graph, laid_out, c.mesh, random), "");
    }
}

/// Values leave for other stages as they lie, without sums or shares that are still to be gathered.
TEST(LayOut, SentValuesLieAsTransfersWantThem) {
    Random random(6);
    int sums = 0;
    int shares = 0;
    for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        Case c = random_case(random);
        for (const ValueId v : c.graph.values.ids())
            if (c.graph.values[v].kind == ValueKind::computed && uniform(random, 0, 2) == 0)
                c.graph.sent.push_back(v);
        ASSERT_EQ(check_graph(c.graph), "");
        const LaidOut laid_out = lay_out(c.graph, c.mesh, c.layers, c.storage);
        ASSERT_EQ(laid_out.sent_copy.size(), c.graph.sent.size());
        for (std::size_t s = 0; s < c.graph.sent.size(); ++s) {
            const std::vector<Copy> &copies = laid_out.copies[c.graph.sent[s]];
            const Placement &origin = copies.front().placement;
            const Placement &leaves = copies[laid_out.sent_copy[s]].placement;
            EXPECT_EQ(leaves, sent_placement(origin));
            EXPECT_TRUE(leaves.partial.empty());
            EXPECT_TRUE(leaves.stored.empty());
            sums += origin.partial.empty() ? 0 : 1;
            shares += origin.stored.empty() ? 0 : 1;
        }
        EXPECT_EQ(run(c.graph, laid_out, c.mesh, random), "");
    }
    EXPECT_GT(sums, 20);
    EXPECT_GT(shares, 20);
}

/// The gradient comes from another stage, and the update runs on shares.
TEST(LayOut, SharesOfFreeValuesAreCutFromWholeOnes) {
    graphs::Builder b;
    const LayerId layer = b.layer("fc");
    const ValueId w = b.value("w", ValueKind::variable, layer, {{"wide", 7}});
    const ValueId gradient = b.value("gradient of w", ValueKind::free, layer, {{"wide", 7}});
    b.update("sgd", layer, w, {w, gradient}, {w});
    const Mesh mesh{{3}};
    Storage storage;
    storage.parameters = storage.gradients = storage.optimizer = {0};
    const LaidOut laid_out = lay_out(b.graph, mesh, graphs::everywhere(b.graph, {""}), storage);
    const std::vector<Copy> &copies = laid_out.copies[gradient];
    ASSERT_EQ(copies.size(), 2U);
    EXPECT_EQ(copies[0].source, -1);
    EXPECT_EQ(copies[0].placement, replicated({7}));
    EXPECT_EQ(copies[1].source, 0);
    EXPECT_EQ(copies[1].placement.stored, std::vector{0});
    ASSERT_EQ(copies[1].steps.size(), 1U);
    EXPECT_EQ(copies[1].steps.front().kind, planrt::CollectiveKind::slice);
}

TEST(SentPlacement, SumsIntoTheLargestDimensionThatIsWhole) {
    Placement origin = replicated({4, 9, 6});
    origin.dimensions[1].axes = {0};
    origin.partial = {1};
    Placement leaves = replicated({4, 9, 6});
    leaves.dimensions[1].axes = {0};
    leaves.dimensions[2].axes = {1};
    EXPECT_EQ(sent_placement(origin), leaves);
    // Every dimension is cut: the largest is cut further.
    origin = replicated({4, 9});
    origin.dimensions[0].axes = {0};
    origin.dimensions[1].axes = {2};
    origin.partial = {1};
    leaves = replicated({4, 9});
    leaves.dimensions[0].axes = {0};
    leaves.dimensions[1].axes = {2, 1};
    EXPECT_EQ(sent_placement(origin), leaves);
    // A number, and shares.
    origin = replicated({});
    origin.partial = {0};
    EXPECT_EQ(sent_placement(origin), replicated({}));
    origin = replicated({4});
    origin.stored = {0};
    EXPECT_EQ(sent_placement(origin), replicated({4}));
}

TEST(LayOut, CopiesAreDistinctAndMadeFromEarlierOnes) {
    Random random(5);
    for (int i = 0; i < 300; ++i) {
        const Case c = random_case(random);
        const LaidOut laid_out = lay_out(c.graph, c.mesh, c.layers, c.storage);
        for (const ValueId v : c.graph.values.ids()) {
            const std::vector<Copy> &copies = laid_out.copies[v];
            ASSERT_FALSE(copies.empty());
            for (std::size_t a = 0; a < copies.size(); ++a) {
                EXPECT_LT(copies[a].source, static_cast<int>(a));
                EXPECT_EQ(copies[a].source < 0, copies[a].steps.empty());
                EXPECT_TRUE(a == 0 || c.graph.values[v].kind == ValueKind::free || copies[a].source >= 0);
                for (std::size_t b = 0; b < a; ++b)
                    EXPECT_TRUE(copies[a].placement != copies[b].placement || copies[a].pass != copies[b].pass);
            }
        }
    }
}

TEST(LayOut, OfOneValueEqualsThatOfTheGraph) {
    Random random(6);
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
        const Case c = random_case(random);
        const LaidOut laid_out = lay_out(c.graph, c.mesh, c.layers, c.storage);
        const GraphIndex index(c.graph);
        for (const ValueId v : c.graph.values.ids())
            EXPECT_EQ(copies_of(index, c.mesh, c.layers, v, c.storage), laid_out.copies[v]);
        for (const OperationId o : c.graph.operations.ids())
            EXPECT_EQ(strategy_of(index, c.mesh, c.layers, o, c.storage), laid_out.operations[o].strategy);
    }
}

TEST(Scope, LayersOutsideItChangeNothing) {
    Random random(7);
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
        const Case c = random_case(random);
        const GraphIndex index(c.graph);
        const LayerStrategies others = random_strategies(c.graph, c.mesh, random);
        const auto outside_replaced = [&](const std::vector<LayerId> &scope) {
            LayerStrategies mixed = others;
            for (const LayerId layer : scope)
                mixed[layer] = c.layers[layer];
            return mixed;
        };
        for (const ValueId v : c.graph.values.ids())
            EXPECT_EQ(copies_of(index, c.mesh, outside_replaced(scope(index, v)), v, c.storage),
                      copies_of(index, c.mesh, c.layers, v, c.storage));
        for (const OperationId o : c.graph.operations.ids())
            EXPECT_EQ(strategy_of(index, c.mesh, outside_replaced(layers_of_strategy(index, o)), o, c.storage),
                      strategy_of(index, c.mesh, c.layers, o, c.storage));
    }
}

} // namespace
} // namespace reference
} // namespace planc::sharding

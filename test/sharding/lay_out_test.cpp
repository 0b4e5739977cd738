// lay_out(): random graphs under random strategies, executed copy by copy; and its agreement with copies_of and scope.
#include "sharding/lay_out.h"

#include "sharding/check_graph.h"
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

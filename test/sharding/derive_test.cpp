// derive(): random nests under random strategies, executed on ranks and on one.
#include "sharding/random_graph.h"

#include "sharding/placement.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::sharding::reference {
namespace {

/// y[batch, out] = sum over in of x[batch, in] * w[in, out]
Nest dense() {
    Nest nest;
    nest.loops = {{"batch", 6, LoopKind::parallel}, {"in", 4, LoopKind::reduced}, {"out", 5, LoopKind::parallel}};
    nest.operands = {{0, 1}, {1, 2}};
    nest.results = {{0, 2}};
    return nest;
}

TEST(Derive, TheTableOfThePrinciple) {
    const Mesh mesh{{2}};
    const auto placed = [&](int loop) { return derive(dense(), {{loop}, {}}, mesh); };
    EXPECT_EQ(text(placed(0).operands[0]), "[6: 0, 4:]");
    EXPECT_EQ(text(placed(0).operands[1]), "[4:, 5:]");
    EXPECT_EQ(text(placed(0).results[0]), "[6: 0, 5:]");
    EXPECT_EQ(text(placed(1).operands[0]), "[6:, 4: 0]");
    EXPECT_EQ(text(placed(1).operands[1]), "[4: 0, 5:]");
    EXPECT_EQ(text(placed(1).results[0]), "[6:, 5:] partial 0");
    EXPECT_EQ(text(placed(2).operands[0]), "[6:, 4:]");
    EXPECT_EQ(text(placed(2).results[0]), "[6:, 5: 0]");
    EXPECT_EQ(text(placed(-1).results[0]), "[6:, 5:]");
}

TEST(Derive, OrderSaysWhichAxisIsMajor) {
    const Mesh mesh{{2, 2}};
    EXPECT_EQ(text(derive(dense(), {{0, 0}, {}}, mesh).results[0]), "[6: 0 1, 5:]");
    EXPECT_EQ(text(derive(dense(), {{0, 0}, {1, 0}}, mesh).results[0]), "[6: 1 0, 5:]");
}

TEST(Derive, AnAxisWithOneRankCutsNothing) {
    EXPECT_EQ(text(derive(dense(), {{1, 0}, {}}, Mesh{{1, 2}}).results[0]), "[6: 1, 5:]");
}

TEST(Derive, PartialSumsPassIntoTheResult) {
    Nest sum;
    sum.loops = {{"batch", 6, LoopKind::reduced}, {"out", 5, LoopKind::parallel}};
    sum.operands = {{0, 1}};
    sum.results = {{1}};
    sum.linear = true;
    const Derived derived = derive(sum, {{0, -1}, {}}, Mesh{{2, 2}}, {1});
    EXPECT_EQ(text(derived.operands[0]), "[6: 0, 5:] partial 1");
    EXPECT_EQ(text(derived.results[0]), "[5:] partial 0 1");
}

TEST(Derive, AMaximumLeavesPartialMaxima) {
    Nest nest = dense();
    nest.reduction = Reduction::max;
    EXPECT_EQ(derive(nest, {{1}, {}}, Mesh{{2}}).results[0].reduction, Reduction::max);
    EXPECT_EQ(derive(nest, {{0}, {}}, Mesh{{2}}).results[0].reduction, Reduction::sum) << "not partial";
}

TEST(Bind, FindsLoopsByName) {
    const Mesh mesh{{2, 2, 2}};
    const Strategy strategy = bind({{"out", "", "height"}, {2, 1, 0}}, dense(), mesh);
    EXPECT_EQ(strategy.loop_of_axis, (std::vector<int>{2, -1, -1}));
    EXPECT_EQ(strategy.order, (std::vector<int>{2, 1, 0}));
}

TEST(Bind, LeavesAnOperationUncutWhoseLoopIsWhole) {
    Nest nest = dense();
    nest.loops[2].kind = LoopKind::whole;
    EXPECT_EQ(bind({{"out", "batch"}, {}}, nest, Mesh{{2, 2}}).loop_of_axis, (std::vector<int>{-1, 0}));
}

TEST(Derive, SharesOfAFlatNest) {
    // a norm: every share of the iterations gives an addend
    Nest norm{{{"in", 3, LoopKind::reduced}, {"out", 4, LoopKind::reduced}}, {{0, 1}}, {{}}, Reduction::sum, true};
    EXPECT_TRUE(is_flat(norm));
    const Derived derived = derive(norm, {{-1, 1, -1}, {}, {2, 0}}, Mesh{{2, 2, 3}});
    EXPECT_EQ(derived.operands[0], (Placement{{{3, {}}, {4, {1}}}, {}, Reduction::sum, {2, 0}}));
    EXPECT_EQ(derived.results[0], (Placement{{}, {0, 1, 2}, Reduction::sum}));
    EXPECT_FALSE(is_flat(dense()));
}

Nest random_nest(Random &random) {
    Nest nest;
    nest.linear = uniform(random, 0, 2) == 0;
    nest.reduction = nest.linear ? Reduction::sum : static_cast<Reduction>(uniform(random, 0, 2));
    nest.operands.resize(uniform(random, 1, 3));
    nest.results.resize(uniform(random, 1, 2));
    for (int loop = 0; loop < uniform(random, 1, 5); ++loop) {
        const LoopKind kind = uniform(random, 0, 1) == 0 ? LoopKind::parallel : LoopKind::reduced;
        nest.loops.push_back({std::string(1, static_cast<char>('a' + loop)), uniform(random, 1, 5), kind});
        const int here = static_cast<int>(nest.loops.size()) - 1;
        for (std::vector<int> &operand : nest.operands)
            if (uniform(random, 0, 2) > 0)
                operand.insert(operand.begin() + uniform(random, 0, static_cast<int>(operand.size())), here);
        if (kind == LoopKind::parallel)
            for (std::vector<int> &result : nest.results)
                result.push_back(here);
    }
    return nest;
}

Strategy random_strategy(const Nest &nest, const Mesh &mesh, Random &random) {
    Strategy strategy;
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
        strategy.loop_of_axis.push_back(uniform(random, -1, static_cast<int>(nest.loops.size()) - 1));
        strategy.order.push_back(static_cast<int>(axis));
    }
    std::shuffle(strategy.order.begin(), strategy.order.end(), random);
    return strategy;
}

TEST(Derive, ExecutedOnRandomNests) {
    Random random(3);
    for (int i = 0; i < 1000 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const Mesh mesh = random_mesh(random, 3, 12);
        const Nest nest = random_nest(random);
        const Strategy strategy = random_strategy(nest, mesh, random);
        std::vector<int> partial_in;
        for (std::size_t axis = 0; nest.linear && axis < mesh.sizes.size(); ++axis)
            if (strategy.loop_of_axis[axis] < 0 && uniform(random, 0, 1) == 0)
                partial_in.push_back(static_cast<int>(axis));
        const Derived derived = derive(nest, strategy, mesh, partial_in);
        std::vector<Whole> whole;
        std::vector<Distributed> operands;
        for (std::size_t o = 0; o < nest.operands.size(); ++o) {
            std::vector<std::int64_t> extents;
            for (int loop : nest.operands[o])
                extents.push_back(nest.loops[loop].extent);
            whole.push_back(random_whole(extents, random));
            operands.push_back(distribute(whole.back(), derived.operands[o], mesh, random));
        }
        const std::vector<Whole> expected = compute(nest, whole);
        const std::vector<Distributed> results = compute(nest, strategy, operands, derived.results, mesh);
        for (std::size_t r = 0; r < expected.size(); ++r)
            EXPECT_EQ(difference(results[r], expected[r], mesh), "");
    }
}

} // namespace
} // namespace planc::sharding::reference

// check_graph(): a valid graph passes, each kind of damage is named.
#include "sharding/check_graph.h"

#include "sharding/graphs.h"

#include <gtest/gtest.h>

namespace planc::sharding {
namespace {

Graph valid() {
    return graphs::training_step({4, {3, 5, 2}, {"in", "hidden", "out"}, true, true});
}

TEST(CheckGraph, AcceptsATrainingStep) {
    EXPECT_EQ(check_graph(valid()), "");
}

TEST(CheckGraph, NamesWhatIsWrong) {
    const auto damaged = [](auto damage) {
        Graph graph = valid();
        damage(graph);
        return check_graph(graph);
    };
    EXPECT_EQ(damaged([](Graph &g) { g.values[ValueId(0)].extents.pop_back(); }),
              "value 'input' has unequal numbers of roles and extents");
    EXPECT_EQ(damaged([](Graph &g) { g.values[ValueId(0)].extents[0] = 0; }), "value 'input' has an extent below 1");
    EXPECT_EQ(damaged([](Graph &g) { g.values[ValueId(0)].layer = LayerId(9); }), "value 'input' has no layer");
    EXPECT_EQ(damaged([](Graph &g) { g.values[ValueId(0)].producer = OperationId(1); }),
              "value 'input' must have a producer exactly if it is computed");
    EXPECT_EQ(damaged([](Graph &g) { g.operations[OperationId(0)].operands[0] = ValueId(99); }),
              "operation 0 'einsum' reads no value");
    EXPECT_EQ(
        damaged([](Graph &g) { g.operations[OperationId(0)].operands[0] = g.operations[OperationId(1)].results[0]; }),
        "operation 0 'einsum' reads 'fc1 sum' before it is produced");
    EXPECT_EQ(damaged([](Graph &g) { g.operations[OperationId(0)].nest.loops[0].extent = 7; }),
              "operation 0 'einsum': loop 'batch' has extent 7, 'input' has 4");
    EXPECT_EQ(damaged([](Graph &g) { g.operations[OperationId(0)].nest.loops[1].kind = LoopKind::parallel; }),
              "operation 0 'einsum' lacks the parallel loop 'in' in a result");
    EXPECT_EQ(damaged([](Graph &g) { g.operations[OperationId(0)].nest.loops[0].kind = LoopKind::reduced; }),
              "operation 0 'einsum' has the reduced loop 'batch' in a result");
    EXPECT_EQ(damaged([](Graph &g) { g.operations[OperationId(0)].nest.loops[1].name = "batch"; }),
              "operation 0 'einsum' has two loops 'batch'");
    EXPECT_EQ(damaged([](Graph &g) { g.operations[OperationId(0)].nest.operands.pop_back(); }),
              "operation 0 'einsum' has operands without loops");
    EXPECT_EQ(damaged([](Graph &g) { g.operations.back().writes.back() = ValueId(0); }),
              "operation " + std::to_string(valid().operations.size() - 1) + " 'sgd' writes what is no variable");
    EXPECT_EQ(
        damaged([](Graph &g) { g.operations[OperationId(1)].results[0] = g.operations[OperationId(0)].results[0]; }),
        "operation 1 'add' is not the producer of its result");
    EXPECT_EQ(damaged([](Graph &g) { g.outputs.push_back({}); }), "an output is not a value");
}

} // namespace
} // namespace planc::sharding

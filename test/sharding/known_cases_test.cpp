// What the literature says of known layouts of dense networks.
#include "sharding/graphs.h"
#include "sharding/lay_out.h"
#include "sharding/reference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace planc::sharding {
namespace {

using graphs::everywhere;
using graphs::Mlp;
using graphs::training_step;

/// One step of communication as a line: "forward fc2: all-reduce 64 over 0".
std::vector<std::string> communication(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers) {
    static const char *const kinds[] = {"slice",      "all-gather", "reduce-scatter",
                                        "all-reduce", "all-to-all", "exchange"};
    const LaidOut laid_out = lay_out(graph, mesh, layers);
    std::vector<std::string> result;
    for (const std::vector<Copy> &copies : laid_out.copies) {
        for (const Copy &copy : copies) {
            for (const Step &step : copy.steps) {
                if (step.kind == CollectiveKind::slice)
                    continue;
                std::string line = name(copy.phase);
                line.append(" ").append(graph.layers[copy.layer].name).append(": ");
                line.append(kinds[static_cast<int>(step.kind)]).append(" ");
                line.append(std::to_string(traffic(step.kind, step.from, step.to, mesh, 0).elements)).append(" over");
                for (int axis : step.axes)
                    line.append(" ").append(std::to_string(axis));
                result.push_back(line);
            }
        }
    }
    // The graphs are also run, so that what is counted is enough.
    reference::Random random(8);
    EXPECT_EQ(reference::run(graph, laid_out, mesh, random), "");
    return result;
}
using Lines = std::vector<std::string>;

// --- Mesh-TensorFlow's two-layer example: io -> hidden -> io (Shazeer et al. 2018, section 4) ------------------------

const Mlp two_layer{8, {6, 12, 6}, {"io", "hidden", "io"}, false, false}; // b = 8, io = 6, h = 12

TEST(TwoLayer, BatchReducesBothWeights) {
    const Graph graph = training_step(two_layer);
    EXPECT_EQ(communication(graph, Mesh{{4}}, everywhere(graph, {"batch"})),
              (Lines{"loss loss: all-reduce 1 over 0", "weight gradient fc2: all-reduce 72 over 0",
                     "weight gradient fc1: all-reduce 72 over 0"}));
}

TEST(TwoLayer, HiddenReducesTheOutputForwardAndNothingBackward) {
    const Graph graph = training_step(two_layer);
    EXPECT_EQ(communication(graph, Mesh{{4}}, everywhere(graph, {"hidden"})),
              (Lines{"forward fc2: all-reduce 48 over 0"}));
}

TEST(TwoLayer, BatchAndHiddenReduceShares) {
    const Graph graph = training_step(two_layer);
    EXPECT_EQ(communication(graph, Mesh{{2, 3}}, everywhere(graph, {"batch", "hidden"})),
              (Lines{"forward fc2: all-reduce 24 over 1",            // b/r * io
                     "loss loss: all-reduce 1 over 0",               //
                     "weight gradient fc2: all-reduce 24 over 0",    // io * h/c
                     "weight gradient fc1: all-reduce 24 over 0"})); // io * h/c
}

// --- Megatron-LM: two layers a block, split by output, then by input (Shoeybi et al. 2019) ---------------------------

TEST(Megatron, OneAllReduceForwardAndOneBackwardPerBlock) {
    const Graph graph = training_step(
        {4, {3, 8, 3, 8, 3, 8, 3}, {"model", "hidden", "model", "hidden", "model", "hidden", "model"}, true, true});
    EXPECT_EQ(communication(graph, Mesh{{2}}, everywhere(graph, {"hidden"})),
              (Lines{"forward fc2: all-reduce 12 over 0", "forward fc4: all-reduce 12 over 0",
                     "forward fc6: all-reduce 12 over 0", "input gradient fc5: all-reduce 12 over 0",
                     "input gradient fc3: all-reduce 12 over 0"}));
}

TEST(OutputSplits, TheInputGradientIsScatteredWhereTheLayerBelowIsSplit) {
    // Both layers split by output: the gather of fc1's output forward, half of an all-reduce backward.
    const Graph graph = training_step({4, {3, 6, 8}, {"in", "hidden", "out"}, false, false});
    LayerStrategies layers = everywhere(graph, {"out"});
    layers[LayerId(0)].loop_of_axis = {"hidden"};
    EXPECT_EQ(communication(graph, Mesh{{2}}, layers),
              (Lines{"forward fc2: all-gather 24 over 0", "loss loss: all-reduce 1 over 0",
                     "input gradient fc2: reduce-scatter 24 over 0"}));
}

// --- forks -----------------------------------------------------------------------------------------------------------

/// x feeds two layers; their input gradients are added.
Graph fork() {
    graphs::Builder b;
    const LayerId left = b.layer("left");
    const LayerId right = b.layer("right");
    const auto contraction = [](LayerId layer, Phase phase) {
        return graphs::Builder::Spec{"einsum", layer, phase, Kernel::contraction, false, Reduction::sum};
    };
    std::vector<graphs::Operand> gradients;
    for (const LayerId layer : {left, right}) {
        const ValueId w = b.value("w", ValueKind::variable, layer, {{"in", 4}, {"out", 6}});
        const ValueId dy = b.value("dy", ValueKind::free, layer, {{"batch", 5}, {"out", 6}});
        gradients.push_back(b.plain(b.operation(contraction(layer, Phase::input_gradient), {b.plain(dy), b.plain(w)},
                                                {"batch", "in"}, "gradient")));
    }
    const ValueId sum = b.operation({"add", left, Phase::input_gradient, Kernel::pointwise, true, Reduction::sum},
                                    gradients, {"batch", "in"}, "sum of gradients");
    b.graph.outputs.push_back(sum);
    return b.graph;
}

TEST(Fork, GradientsAreAddedBeforeTheyAreReduced) {
    const Graph graph = fork();
    EXPECT_EQ(communication(graph, Mesh{{2}}, everywhere(graph, {"out"})),
              (Lines{"input gradient left: all-reduce 20 over 0"}));
}

TEST(Fork, ASumOfOnePartialGradientReducesFirst) {
    const Graph graph = fork();
    LayerStrategies layers = everywhere(graph, {"out"});
    layers[LayerId(1)].loop_of_axis = {""};
    EXPECT_EQ(communication(graph, Mesh{{2}}, layers), (Lines{"input gradient left: all-reduce 20 over 0"}));
    layers = everywhere(graph, {"out", "out"});
    layers[LayerId(1)].loop_of_axis = {"out", ""};
    EXPECT_EQ(communication(graph, Mesh{{2, 3}}, layers),
              (Lines{"input gradient left: all-reduce 20 over 1", "input gradient left: all-reduce 20 over 0"}))
        << "the common axis travels, the other is reduced first";
}

TEST(Fork, APartialSumThatIsReadTwiceIsReducedOnce) {
    graphs::Builder b;
    const LayerId layer = b.layer("layer");
    const ValueId x = b.value("x", ValueKind::free, layer, {{"batch", 4}, {"in", 6}});
    const ValueId w = b.value("w", ValueKind::variable, layer, {{"in", 6}, {"out", 3}});
    graphs::Builder::Spec spec{"einsum", layer, Phase::forward, Kernel::contraction, false, Reduction::sum};
    const ValueId y = b.operation(spec, {b.plain(x), b.plain(w)}, {"batch", "out"}, "y");
    spec.kernel = Kernel::pointwise;
    const ValueId relu = b.operation(spec, {b.plain(y)}, {"batch", "out"}, "relu");
    spec.linear = true;
    const ValueId scaled = b.operation(spec, {b.plain(y)}, {"batch", "out"}, "scaled");
    b.graph.outputs = {relu, scaled};
    EXPECT_EQ(communication(b.graph, Mesh{{2}}, everywhere(b.graph, {"in"})),
              (Lines{"forward layer: all-reduce 12 over 0"}));
}

TEST(Fork, ScopeOfTheSumReachesTheOperandsProducers) {
    const Graph graph = fork();
    EXPECT_EQ(scope(graph, graph.outputs[0]), (std::vector<LayerId>{LayerId(0), LayerId(1)}));
}

// --- homes -----------------------------------------------------------------------------------------------------------

TEST(Home, OptimizerStateLiesAsItsParameter) {
    const Graph graph = training_step({4, {6, 8, 6}, {"io", "hidden", "io"}, true, true});
    const LaidOut laid_out = lay_out(graph, Mesh{{2}}, everywhere(graph, {"hidden"}));
    int seen = 0;
    for (const ValueId v : graph.values.ids()) {
        if (graph.values[v].kind != ValueKind::variable)
            continue;
        const Placement &home = laid_out.copies[v][0].placement;
        for (std::size_t d = 0; d < home.dimensions.size(); ++d)
            EXPECT_EQ(home.dimensions[d].axes.empty(), graph.values[v].roles[d] != "hidden") << graph.values[v].name;
        ++seen;
    }
    EXPECT_EQ(seen, 8) << "two weights, two biases, and a momentum of each";
}

TEST(Home, GradientsAreScatteredWhereTheReaderSplitsTheWeight) {
    // The weight is read split by hidden; its gradient comes partial from a layer that splits the batch.
    graphs::Builder b;
    const LayerId forward = b.layer("forward");
    const LayerId backward = b.layer("backward");
    const ValueId x = b.value("x", ValueKind::free, forward, {{"batch", 4}, {"in", 3}});
    const ValueId w = b.value("w", ValueKind::variable, forward, {{"in", 3}, {"hidden", 8}});
    graphs::Builder::Spec spec{"einsum", forward, Phase::forward, Kernel::contraction, false, Reduction::sum};
    const ValueId y = b.operation(spec, {b.plain(x), b.plain(w)}, {"batch", "hidden"}, "y");
    spec.layer = backward;
    spec.phase = Phase::weight_gradient;
    const ValueId dw = b.operation(spec, {b.plain(x), b.plain(y)}, {"in", "hidden"}, "dw");
    b.update("sgd", backward, w, {w, dw}, {w});
    LayerStrategies layers = {{{"hidden"}, {}}, {{"batch"}, {}}};
    EXPECT_EQ(communication(b.graph, Mesh{{2}}, layers), (Lines{"weight gradient backward: all-to-all 8 over 0",
                                                                "weight gradient backward: reduce-scatter 24 over 0"}));
}

} // namespace
} // namespace planc::sharding

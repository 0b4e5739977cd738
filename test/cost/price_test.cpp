// The cost table of whole training steps: known vectors, and that everything adds up.
#include "cost/collectives/traffic.h"
#include "cost/price.h"
#include "sharding/graphs.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <map>

namespace planc::cost {
namespace {

using sharding::graphs::everywhere;
using sharding::graphs::Mlp;
using sharding::graphs::training_step;

Machine machine() {
    Machine machine;
    machine.network().latency = Seconds(1e-6);
    machine.network().bytes_per_second = 1e9;
    return machine;
}

CostTable priced(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers, const Storage &storage = {}) {
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
        names.push_back(axis == 0 ? "rows" : axis == 1 ? "cols" : "axis" + std::to_string(axis));
    return price(graph, sharding::lay_out(graph, mesh, layers, storage), mesh, names, machine(), layers, storage);
}

/// Bytes of the all-reduces by their axes, the loss's scalar left out.
std::map<std::vector<int>, double> reduced(const CostTable &table) {
    std::map<std::vector<int>, double> bytes;
    for (const LayerRow &layer : table.layers)
        for (const CollectiveRow &row : layer.collectives)
            if (row.kind == CollectiveKind::all_reduce && row.phase != Phase::loss)
                bytes[row.axes] += row.payload.value;
    return bytes;
}

/// Mesh-TensorFlow's example (Shazeer et al. 2018, section 3): io - hidden - io without biases.
class TwoLayer : public testing::Test {
  protected:
    static constexpr double b = 64, io = 128, h = 512;
    const Graph graph = training_step({64, {128, 512, 128}, {"io", "hidden", "io"}, false, false});
    using Vectors = std::map<std::vector<int>, double>;
};

TEST_F(TwoLayer, BatchReducesBothWeights) {
    EXPECT_EQ(reduced(priced(graph, {{8}}, everywhere(graph, {"batch"}))), (Vectors{{{0}, 4 * 2 * io * h}}));
}
TEST_F(TwoLayer, HiddenReducesTheOutputOnly) {
    EXPECT_EQ(reduced(priced(graph, {{8}}, everywhere(graph, {"hidden"}))), (Vectors{{{0}, 4 * b * io}}));
}
TEST_F(TwoLayer, TwoDimensional) {
    const double r = 4;
    const double c = 2;
    EXPECT_EQ(reduced(priced(graph, {{4, 2}}, everywhere(graph, {"batch", "hidden"}))),
              (Vectors{{{1}, 4 * b / r * io}, {{0}, 4 * 2 * io * h / c}}));
}

TEST(Price, MomentumTriplesTheWeights) {
    const Graph graph = training_step({8, {16, 32, 4}, {"in", "hidden", "out"}, true, true});
    const Memory memory = priced(graph, {{4}}, everywhere(graph, {"batch"})).memory;
    const double weights = 4 * (16 * 32 + 32 + 32 * 4 + 4);
    EXPECT_EQ(memory.parameters.value, weights);
    EXPECT_EQ(memory.optimizer_state.value, weights);
    EXPECT_EQ(memory.gradients.value, weights);
    EXPECT_EQ(memory.total().value, memory.kept().value + memory.buffers.value + memory.passing.value);
}

/// On a machine that computes in no time.
CostTable priced_communication(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers) {
    Machine quick = machine();
    quick.flops_per_second = quick.memory_bytes_per_second = 1e300;
    return price(graph, sharding::lay_out(graph, mesh, layers), mesh, {"rows"}, quick, layers);
}

Seconds of_collectives(const CostTable &table, bool longest) {
    Seconds result{};
    for (const LayerRow &layer : table.layers)
        for (const CollectiveRow &row : layer.collectives)
            if (row.phase != Phase::loss) // the scalar that is shown
                result = longest ? std::max(result, row.price.seconds()) : result + row.price.seconds();
    return result;
}

TEST(Chain, OfGradientsIsTheLongestReduction) {
    const Graph graph = training_step({64, {1024, 1024, 512}, {"a", "b", "c"}, false, false});
    const CostTable table = priced_communication(graph, {{4}}, everywhere(graph, {"batch"}));
    EXPECT_EQ(table.chain, of_collectives(table, true));
    EXPECT_LT(table.chain, table.carried());
    EXPECT_EQ(table.at_least(), table.carried());
}
/// One collective's part on the links may be beside another's of the processors.
TEST(Chain, LinksAndProcessorsShareWhatIsCarried) {
    const Graph graph = training_step({64, {1024, 1024, 512}, {"a", "b", "c"}, false, false});
    const LayerStrategies layers = everywhere(graph, {"batch"});
    const auto carried = [&](double processor) {
        Machine measured = machine();
        measured.collectives = {{"allreduce", 4, 0, Seconds(1e-6), 2e9, processor}};
        return price(graph, sharding::lay_out(graph, {{4}}, layers), {{4}}, {"rows"}, measured, layers).carried();
    };
    EXPECT_GT(carried(0).value, 0);
    EXPECT_NEAR(carried(0.25) / carried(0), 0.75, 1e-12);
    EXPECT_NEAR(carried(0.5) / carried(0), 0.5, 1e-12);
    EXPECT_NEAR(carried(0.9) / carried(0), 0.9, 1e-12);
    EXPECT_EQ(carried(1), carried(0));
}
TEST(Chain, OfActivationsIsAllThatLayersWaitFor) {
    const Graph graph = training_step({64, {512, 512, 512, 512}, {"io", "hidden", "io", "hidden"}, false, false});
    const CostTable table = priced_communication(graph, {{4}}, everywhere(graph, {"hidden"}));
    EXPECT_NEAR(table.chain.value, of_collectives(table, false).value, 1e-12);
    EXPECT_EQ(table.at_least(), table.chain);
}
TEST(Price, SmallGradientsShareOneCall) {
    const Graph graph = training_step({64, {64, 64, 64, 8}, {"a", "b", "c", "d"}, true, false});
    const CostTable table = priced(graph, {{4}}, everywhere(graph, {"batch"}));
    ASSERT_EQ(table.buckets.size(), 1u);
    EXPECT_EQ(table.buckets[0].layers, (std::vector<LayerId>{LayerId(0), LayerId(1), LayerId(2)}));
    EXPECT_EQ(table.buckets[0].payload.value, 4.0 * (64 * 64 * 2 + 64 * 8 + 64 + 64 + 8));
    for (const LayerId layer : table.buckets[0].layers)
        for (const CollectiveRow &row : table.layers[layer].collectives) {
            EXPECT_EQ(row.bucket, 0);
            EXPECT_EQ(row.calls, 0);
        }
    EXPECT_EQ(table.calls, 2); // the bucket and the loss
}

TEST(Price, LargeGradientsTravelAlone) {
    const Graph graph = training_step({64, {1024, 1024, 8}, {"a", "b", "c"}, false, false});
    const CostTable table = priced(graph, {{4}}, everywhere(graph, {"batch"}));
    EXPECT_TRUE(table.buckets.empty());
    ASSERT_EQ(table.layers[LayerId(0)].collectives.size(), 1u);
    EXPECT_EQ(table.layers[LayerId(0)].collectives[0].calls, 1);
    EXPECT_EQ(table.layers[LayerId(0)].collectives[0].payload.value, 4.0 * 1024 * 1024);
}

TEST(Price, MovementBetweenLayersIsAReshard) {
    const Graph graph = training_step({64, {128, 128, 128}, {"a", "b", "c"}, false, false});
    LayerStrategies layers = everywhere(graph, {"batch"});
    layers[LayerId(1)] = {{"c"}, {}};
    const CostTable table = priced(graph, {{4}}, layers);
    ASSERT_FALSE(table.reshards.empty());
    EXPECT_EQ(table.reshards[0].kind, CollectiveKind::all_gather);
    EXPECT_EQ(table.reshards[0].from_layer, LayerId(0));
    EXPECT_EQ(table.reshards[0].layer, LayerId(1));
    EXPECT_EQ(table.reshards[0].from, "batch over rows");
    EXPECT_EQ(table.reshards[0].to, "replicated");
}

/// Of every table: rows sum to the total, and the total is the busiest rank's own sum over planrt::traffic.
void expect_consistent(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers, const Storage &storage) {
    const sharding::LaidOut laid_out = sharding::lay_out(graph, mesh, layers, storage);
    const CostTable table = priced(graph, mesh, layers, storage);
    double communication = 0;
    double compute = 0;
    for (const LayerRow &layer : table.layers) {
        compute += layer.compute_seconds().value;
        communication += layer.seconds().value - layer.compute_seconds().value;
    }
    for (const CollectiveRow &row : table.reshards)
        communication += row.price.seconds().value;
    for (const BucketRow &bucket : table.buckets)
        communication += bucket.price.seconds().value;
    EXPECT_NEAR(compute, table.compute.value, 1e-9 * compute);
    EXPECT_NEAR(communication, table.communication.value, 1e-9 * communication);
    EXPECT_LE(table.chain.value, (1 + 1e-9) * table.seconds().value);

    std::vector<double> bytes(mesh.ranks(), 0.0);
    std::vector<std::int64_t> calls(mesh.ranks(), 0);
    for (const sharding::ValueId v : graph.values.ids())
        for (const sharding::Copy &copy : laid_out.copies[v])
            for (const sharding::Step &step : copy.steps)
                for (int rank = 0; rank < mesh.ranks(); ++rank) {
                    const Traffic traffic = planrt::traffic(step.kind, step.from, step.to, mesh, rank);
                    const int times = sharding::times(graph, v, copy);
                    bytes[rank] += static_cast<double>(times * traffic.elements) * graph.values[v].element_bytes;
                    calls[rank] += times * traffic.calls;
                }
    for (const sharding::Bucket &bucket : sharding::buckets(graph, laid_out, mesh))
        for (std::int64_t &count : calls)
            count -= static_cast<std::int64_t>(bucket.members.size()) - 1;
    EXPECT_EQ(table.payload.value, *std::max_element(bytes.begin(), bytes.end()));
    EXPECT_EQ(table.payload.value, bytes[table.busiest_rank]);
    EXPECT_EQ(table.calls, calls[table.busiest_rank]);
}

TEST(Price, AddsUpOnRandomGraphs) {
    sharding::reference::Random random(11);
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        const Graph graph = sharding::reference::random_graph(random);
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 12);
        const LayerStrategies layers = sharding::reference::random_strategies(graph, mesh, random);
        expect_consistent(graph, mesh, layers, sharding::reference::random_storage(mesh, random));
    }
}

TEST(Price, MoreRanksNeverCostMoreMemoryWhenSplit) {
    const Graph graph = training_step({512, {64, 512, 512, 8}, {"a", "hidden", "hidden", "d"}, true, true});
    double last = 1e300;
    for (int ranks : {1, 2, 4, 8, 64, 512}) {
        const double total = priced(graph, {{ranks}}, everywhere(graph, {"hidden"})).memory.total().value;
        EXPECT_LE(total, last);
        last = total;
    }
}

} // namespace
} // namespace planc::cost

// The profiles' closed forms, their split of a layer, and that `exact` is never above them under the same algorithms.
#include "cost/kernels/compute.h"
#include "cost/price.h"
#include "cost/profiles/profile.h"
#include "sharding/convolutions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::cost {
namespace {

using sharding::graphs::Convolution;
using sharding::graphs::everywhere;
using sharding::graphs::Spatial;
using sharding::graphs::training_step;

constexpr double alpha = 2e-6;
constexpr double beta = 1e-9; // a byte
constexpr double word = 4;

Machine machine() {
    Machine machine;
    machine.network().latency = Seconds(alpha);
    machine.network().bytes_per_second = 1 / beta;
    machine.algorithms.allreduce = {{Algorithm::rabenseifner, 0}};
    machine.algorithms.reduce_scatter = {{Algorithm::recursive_halving, 0}};
    machine.algorithms.allgather = {{Algorithm::recursive_doubling, 0}};
    return machine;
}

/// 64 samples, 100 inputs, 200 hidden units, 50 outputs.
class Perceptron : public testing::Test {
  protected:
    [[nodiscard]] ProfileTable table(Profile profile, const LayerStrategies &layers, const Mesh &mesh) const {
        return ProfileModel(profile, graph, priced, "batch").table(layers, mesh, {"rows", "cols"});
    }
    [[nodiscard]] double seconds(Profile profile, const LayerStrategies &layers, const Mesh &mesh) const {
        return table(profile, layers, mesh).communication.value;
    }
    /// Both layers split their outputs over cols, the batch over rows.
    [[nodiscard]] LayerStrategies hybrid() const {
        LayerStrategies layers = everywhere(graph, {"batch", "hidden"});
        layers[LayerId(1)] = {{"batch", "out"}, {}};
        return layers;
    }
    const Graph graph = training_step({64, {100, 200, 50}, {"in", "hidden", "out"}, true, false});
    Machine priced = machine();
};

double reduced(std::int64_t ranks, double words) {
    const double p = static_cast<double>(ranks);
    return 2 * (alpha * std::ceil(std::log2(p)) + beta * word * (p - 1) / p * words);
}

TEST_F(Perceptron, Batch) {
    const double wanted = reduced(6, 100 * 200) + reduced(6, 200 * 50);
    EXPECT_DOUBLE_EQ(seconds(Profile::gholami18, everywhere(graph, {"batch"}), {{6}}), wanted);
    EXPECT_DOUBLE_EQ(seconds(Profile::slides21, everywhere(graph, {"batch"}), {{6}}), wanted);
}

/// Pr = 2, Pc = 4: the first layer needs no gradient of its inputs.
TEST_F(Perceptron, BatchAndModel) {
    const double weights = reduced(4, 100 * 200 / 2.0) + reduced(4, 200 * 50 / 2.0);
    const double gathered = reduced(2, 64 / 4.0 * 200) / 2 + reduced(2, 64 / 4.0 * 50) / 2;
    EXPECT_DOUBLE_EQ(seconds(Profile::gholami18, hybrid(), {{4, 2}}), weights + gathered + reduced(2, 64 / 4.0 * 50));
    EXPECT_DOUBLE_EQ(seconds(Profile::slides21, hybrid(), {{4, 2}}), weights + gathered + reduced(2, 64 / 4.0 * 200));
}

/// The second layer gathers samples that the first has split over the same axis.
TEST_F(Perceptron, RedistributionBetweenLayers) {
    LayerStrategies layers = everywhere(graph, {"batch"});
    layers[LayerId(1)] = {{"out"}, {}};
    const double model = reduced(4, 64 * 50) / 2 + reduced(4, 64 * 50);
    const double redistribution = reduced(4, 64 * 50) / 2;
    EXPECT_DOUBLE_EQ(seconds(Profile::gholami18, layers, {{4}}), reduced(4, 100 * 200) + model + redistribution);
    EXPECT_DOUBLE_EQ(seconds(Profile::slides21, layers, {{4}}),
                     reduced(4, 100 * 200) + reduced(4, 64 * 50) / 2 + reduced(4, 64 * 200));
}

TEST_F(Perceptron, SaysWhatItDoesNotCover) {
    const ProfileTable table = this->table(Profile::slides21, everywhere(graph, {"hidden"}), {{2}});
    EXPECT_EQ(table.layers.at(0).unsupported, "");
    EXPECT_EQ(table.layers.at(1).unsupported, "splits the inputs of its weights");
    EXPECT_EQ(this->table(Profile::castello19, everywhere(graph, {"hidden"}), {{2}}).layers.at(0).unsupported,
              "is not split over 'batch' alone");
}

/// Step by step: t += backward_l; done = max(t, done) + allreduce_l.
TEST_F(Perceptron, OverlapsAllReducesWithTheLayersBelow) {
    priced.flops_per_second = 1e9;
    priced.memory_bytes_per_second = 1e12;
    const ProfileTable table = this->table(Profile::castello19, everywhere(graph, {"batch"}), {{4}});
    ASSERT_EQ(table.layers.size(), 2U);
    const double first = 2.0 * 16 * 100 * 200 / 1e9; // one product
    const double second = 2.0 * 16 * 200 * 50 / 1e9;
    EXPECT_NEAR(table.compute.value, 2 * first + 3 * second, 1e-12);
    EXPECT_EQ(table.layers[0].parameters, 100 * 200 + 200);
    const double below = reduced(4, 100 * 200 + 200);
    const double above = reduced(4, 200 * 50 + 50);
    EXPECT_NEAR(table.communication.value, below + above, 1e-12);
    const double forward = first + second;
    const double above_done = forward + 2 * second + above;
    EXPECT_NEAR(table.step.value, std::max(forward + 2 * second + first, above_done) + below, 1e-12);
    ASSERT_EQ(table.variants.size(), 2U);
    EXPECT_EQ(table.variants[1].what, "all gradients in one all-reduce by bucket");
    EXPECT_NEAR(table.variants[1].seconds.value, 2 * 3 * alpha + 2 * 0.75 * word * 30250 * beta, 1e-12);
}

/// Few samples: the weights' way from memory decides, t = bytes / mu.
TEST(Castello, RooflineWithoutBlocks) {
    Machine slow = machine();
    slow.flops_per_second = 1e12;
    slow.memory_bytes_per_second = 1e9;
    const Graph graph = training_step({1, {100, 200}, {"in", "hidden"}, false, false});
    const ProfileTable table =
        ProfileModel(Profile::castello19, graph, slow, "batch").table(everywhere(graph, {"batch"}), {{1}}, {"rows"});
    const double bytes = word * (200.0 * 1 + 200.0 * 100 + 100.0 * 1);
    EXPECT_NEAR(table.layers.at(0).phase(Phase::forward, true).value, bytes / 1e9, 1e-15);
    slow.gemm_block = GemmBlock{480, 3072, 384};
    const ProfileTable blocked =
        ProfileModel(Profile::castello19, graph, slow, "batch").table(everywhere(graph, {"batch"}), {{1}}, {"rows"});
    EXPECT_NEAR(blocked.layers.at(0).phase(Phase::forward, true).value, 2.0 * 100 * 200 / (99.74e9), 1e-9);
}

class Domain : public testing::Test {
  protected:
    static Convolution layer(std::int64_t in, std::int64_t out, std::int64_t kernel) {
        const Spatial height{"height", 32, kernel, 1, 1, kernel / 2, kernel / 2};
        return {4, in, out, {height, {"width", 20, kernel, 1, 1, kernel / 2, kernel / 2}}};
    }
    [[nodiscard]] double seconds(Profile profile) const {
        return ProfileModel(profile, graph, machine(), "batch")
            .table(LayerStrategies(2, {{"height"}, {}}), {{4}}, {"rows"})
            .communication.value;
    }
    const Graph graph = sharding::graphs::convolutional_step({layer(3, 8, 5), layer(8, 2, 3)});
};

/// floor(k/2) rows of B X_W X_C words; the first layer's input needs no gradient, hence no rows of the gradient of Y.
TEST_F(Domain, Halos) {
    const auto rows = [](double count, double channels) { return alpha + count * 4 * 20 * channels * word * beta; };
    const double weights = reduced(4, 5 * 5 * 3 * 8) + reduced(4, 3 * 3 * 8 * 2);
    EXPECT_NEAR(seconds(Profile::gholami18), weights + rows(2, 3) + rows(2, 8) + rows(1, 8) + rows(1, 2), 1e-12);
    EXPECT_NEAR(seconds(Profile::slides21), weights + 2 * (rows(2, 3) + rows(1, 8) + rows(1, 2)), 1e-12);
}

/// Of the exact table, what the formulas speak of: not the loss.
double exact(const Graph &graph, const LayerStrategies &layers, const Mesh &mesh) {
    const CostTable table =
        price(graph, sharding::lay_out(graph, mesh, layers), mesh, {"rows", "cols"}, machine(), layers);
    double loss = 0;
    for (const LayerRow &layer : table.layers)
        for (const CollectiveRow &row : layer.collectives)
            loss += row.phase == Phase::loss ? row.price.seconds().value : 0;
    return table.communication.value - loss;
}

TEST_F(Domain, ExactIsNotAbove) {
    EXPECT_LE(exact(graph, LayerStrategies(2, {{"height"}, {}}), {{4}}), seconds(Profile::slides21) + 1e-12);
}

TEST_F(Perceptron, ExactIsNotAbove) {
    const Graph plain = training_step({64, {100, 200, 50}, {"in", "hidden", "out"}, false, false}); // no biases
    const LayerStrategies batch = everywhere(plain, {"batch"});
    EXPECT_LE(exact(plain, batch, {{8}}), seconds(Profile::slides21, batch, {{8}}) + 1e-12);
    EXPECT_LE(exact(plain, hybrid(), {{4, 2}}), seconds(Profile::slides21, hybrid(), {{4, 2}}) + 1e-12);
}

/// B > 2 k k X_C / (3 Y_H Y_W): from there on, splitting the batch moves less than splitting the outputs.
TEST(Slides, BatchAndModelTie) {
    const auto words = [](std::int64_t batch, const char *loop) {
        const Spatial height{"height", 8, 3, 1, 1, 1, 1};
        const Convolution layer{batch, 16, 16, {height, {"width", 8, 3, 1, 1, 1, 1}}};
        const Graph graph = sharding::graphs::convolutional_step({layer, layer});
        const ProfileTable table = ProfileModel(Profile::slides21, graph, machine(), "batch")
                                       .table(LayerStrategies(2, {{loop}, {}}), {{4}}, {"rows"});
        double bytes = 0;
        for (const ProfileTerm &term : table.layers.at(1).terms) // the second has an input gradient
            bytes += term.wire.value;
        return bytes;
    };
    // 2 * 9 * 16 / (3 * 64) = 1.5
    EXPECT_GT(words(1, "batch"), words(1, "out"));
    EXPECT_LT(words(2, "batch"), words(2, "out"));
}

} // namespace
} // namespace planc::cost

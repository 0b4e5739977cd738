// Domain parallelism against Gholami et al. 2018: for odd kernels, stride 1 and padding that keeps the size, a rank
// between two others sends floor(k/2) rows to each side.
#include "cost/collectives/step_price.h"
#include "cost/price.h"
#include "sharding/convolutions.h"

#include <gtest/gtest.h>

namespace planc::cost {
namespace {

using sharding::graphs::Convolution;
using sharding::graphs::convolution_nest;
using sharding::graphs::ConvolutionKind;
using sharding::graphs::Spatial;

Machine machine() {
    Machine machine;
    machine.network().latency = Seconds(1e-6);
    machine.network().bytes_per_second = 1e9;
    return machine;
}

Convolution same(std::int64_t kernel) {
    const Spatial spatial{"height", 32, kernel, 1, 1, kernel / 2, kernel / 2};
    return {4, 3, 8, {spatial, {"width", 20, kernel, 1, 1, kernel / 2, kernel / 2}}};
}

/// Forward on x or backward on the gradient of y, the height on 4 ranks.
StepPrice halo(const Convolution &convolution, ConvolutionKind kind) {
    const Mesh mesh{{4}};
    const sharding::Derived derived = derive(convolution_nest(convolution, kind), {{3}, {}}, mesh);
    planrt::Placement blocks = derived.operands[0];
    blocks.dimensions[1].window.reset();
    const std::vector<sharding::Step> steps = sharding::reshard(blocks, derived.operands[0], mesh);
    return steps.empty() ? StepPrice{} : price_step(steps.at(0), 4, mesh, machine());
}

TEST(Halo, IsThatOfThePublishedFormula) {
    for (const std::int64_t kernel : {3, 5, 7}) {
        const double row = 4.0 * 20 * 4; // bytes per channel: batch, width
        const double rows = 2.0 * static_cast<double>(kernel / 2);
        const StepPrice forward = halo(same(kernel), ConvolutionKind::forward);
        EXPECT_EQ(forward.price.messages, 2);
        EXPECT_EQ(forward.price.wire.value, rows * row * 3);
        EXPECT_DOUBLE_EQ(forward.price.seconds().value, 2e-6 + rows * row * 3 / 1e9);
        EXPECT_EQ(halo(same(kernel), ConvolutionKind::input_gradient).price.wire.value, rows * row * 8);
    }
    EXPECT_EQ(halo(same(1), ConvolutionKind::forward).price.messages, 0) << "a kernel of 1 needs nothing";
}

TEST(Halo, IsBookedToTheLayerThatReadsIt) {
    const Graph graph = sharding::graphs::convolutional_step({same(3), {4, 8, 2, same(3).spatial}});
    const Mesh mesh{{4}};
    const LayerStrategies layers(2, {{"height"}, {}});
    const CostTable table = price(graph, sharding::lay_out(graph, mesh, layers), mesh, {"rows"}, machine(), layers);
    EXPECT_TRUE(table.reshards.empty());
    const auto halo_bytes = [&](LayerId layer, Phase phase) {
        double bytes = 0;
        for (const CollectiveRow &row : table.layers[layer].collectives)
            if (row.kind == CollectiveKind::exchange && row.phase == phase)
                bytes += row.payload.value;
        return bytes;
    };
    EXPECT_EQ(halo_bytes(LayerId(0), Phase::forward), 0) << "data fields are read with their halos";
    EXPECT_EQ(halo_bytes(LayerId(1), Phase::forward), 2.0 * 4 * 20 * 8 * 4);
    EXPECT_EQ(halo_bytes(LayerId(1), Phase::input_gradient), 2.0 * 4 * 20 * 2 * 4);
    EXPECT_EQ(halo_bytes(LayerId(0), Phase::input_gradient), 0) << "of data there is no gradient";
}

} // namespace
} // namespace planc::cost

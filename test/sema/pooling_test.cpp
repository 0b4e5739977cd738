// Pools and batch normalisation: operations, shapes, windows, states.
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

using Lines = std::vector<std::string>;

/// `x` is f32[batch: 8, height: 9, width: 6, channel: 3].
Network body(const std::string &result, const std::string &statements, const std::string &before = "") {
    return network_of("dim batch = 8\ndim height = 9\ndim width = 6\ndim channel = 3\n" + before +
                      "network n(x: f32[batch, height, width, channel]) -> " + result + " {\n" + statements + "\n}");
}

std::string windows(const Operation &operation) {
    std::string text;
    for (const Window &window : operation.windows)
        text += window.role + " " + std::to_string(window.kernel) + "/" + std::to_string(window.stride) + "/" +
                std::to_string(window.dilation) + " " + std::to_string(window.before) + "+" +
                std::to_string(window.behind) + ";";
    return text;
}

const Operation &pool(const Network &network) {
    for (const Operation &operation : network.operations)
        if (operation.kind == OperationKind::pool)
            return operation;
    throw std::runtime_error("no pool");
}

TEST(Pools, MoveByTheirKernel) { // O19
    const Network network = body("f32[batch, height: 4, width: 3, channel]", "y = max_pool(x, kernel = 2)\nreturn y");
    EXPECT_EQ(summary(network), (Lines{"max_pool [batch: 8, height: 4, width: 3, channel: 3] (y)"}));
    EXPECT_EQ(windows(pool(network)), "height 2/2/1 0+0;width 2/2/1 0+0;");
}

TEST(Pools, TakeAllSettingsOfWindows) { // O16, O19
    const Network network = body("f32[batch, height: 5, width, channel]",
                                 "y = max_pool(x, [3, 2], stride = [2, 1], padding = \"same\")\nreturn y");
    EXPECT_EQ(windows(pool(network)), "height 3/2/1 1+1;width 2/1/1 0+1;");
    const Network along =
        body("f32[batch, height, width: 3, channel]",
             "y = max_pool(x, 3, stride = 2, padding = 2, dilation = 2, spatial = [width])\nreturn y");
    EXPECT_EQ(windows(pool(along)), "width 3/2/2 2+2;");
}

TEST(Pools, AveragesDivideByTheWindow) { // O19
    const Network network =
        body("f32[batch, height: 5, width: 4, channel]", "y = average_pool(x, 2, padding = 1)\nreturn y");
    EXPECT_EQ(summary(network), (Lines{"sum_pool [batch: 8, height: 5, width: 4, channel: 3] (y)", "constant [] (y)",
                                       "mul [batch: 8, height: 5, width: 4, channel: 3] (y)"}));
    EXPECT_EQ(network.operations[2].number, 0.25);
    // Nothing to count where there is no padding.
    EXPECT_EQ(summary(body("f32[batch, height: 4, width: 3, channel]",
                           "y = average_pool(x, 2, count_padding = false)\nreturn y"))
                  .size(),
              3U);
}

TEST(Pools, GlobalAveragesLackTheSpatialDimensions) { // O19
    EXPECT_EQ(summary(body("f32[batch, channel]", "return global_average_pool(x)")),
              (Lines{"mean [batch: 8, channel: 3] (output)"}));
    EXPECT_EQ(summary(body("f32[batch, width, channel]", "return global_average_pool(x, spatial = [height])")),
              (Lines{"mean [batch: 8, width: 6, channel: 3] (output)"}));
}

TEST(BatchNorm, OwnsStatesThatAreNotTrained) { // Y3, O20
    const Network network = network_of("import \"std/norm.plan\"\ndim batch = 4\n"
                                       "network n(x: f32[batch, height: 2, channel: 3]) -> f32[batch, height: 2, "
                                       "channel: 3] {\n    y = batch_norm(x, momentum = 0.2)\n    return y\n}");
    EXPECT_EQ(parameters(network), (Lines{"y.scale", "y.b", "y.mean", "y.variance"}));
    EXPECT_TRUE(parameter(network, "y.scale").trained);
    EXPECT_FALSE(parameter(network, "y.mean").trained);
    EXPECT_FALSE(parameter(network, "y.variance").trained);
    EXPECT_EQ(parameter(network, "y.variance").initializer.a, 1);
    const Operation &norm = network.operations[static_cast<std::size_t>(network.results.front())];
    EXPECT_EQ(norm.kind, OperationKind::batch_norm);
    EXPECT_EQ(norm.operands.size(), 5U);
    EXPECT_DOUBLE_EQ(norm.number, 1e-5);
    EXPECT_DOUBLE_EQ(norm.momentum, 0.2);
}

TEST(BatchNorm, KeepsStatisticsOfTheDimensionsNamed) { // O20
    const Network network = network_of("import \"std/norm.plan\"\ndim batch = 4\n"
                                       "network n(x: f32[batch, height: 2, channel: 3]) -> f32[batch, height: 2, "
                                       "channel: 3] {\n    y = batch_norm(x, over = [height])\n    return y\n}");
    EXPECT_EQ(type_text(parameter(network, "y.mean").type), "[height: 2]");
}

// A pattern of the optimizer's groups matches what is trained only.
TEST(BatchNorm, StatesAreNoParametersOfTheOptimizer) { // R5
    const Analyzed analyzed = analyze_text(
        "import \"std/norm.plan\"\ndim batch = 4\nnetwork n(x: f32[batch, channel: 3]) -> f32[batch, channel: 3] {\n"
        "    y = batch_norm(x)\n    return y\n}\ndata noise = synthetic(seed = 1)\ntrain n on noise {\n"
        "    loss = mean_square_error(n(x), t)\n    optimizer = sgd(rate = 0.1) { *.mean { weight_decay = 0 } }\n"
        "    steps = 1\n}\n");
    EXPECT_EQ(analyzed.kind, "unknown_parameter");
}

} // namespace
} // namespace planc::sema

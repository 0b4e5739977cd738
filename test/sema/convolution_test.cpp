// Convolutions: loops, windows, shapes, and the layer of the standard library.
#include "analyzed.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::sema {
namespace {

using Lines = std::vector<std::string>;

const std::string head = "import \"std/conv.plan\"\ndim batch = 8\n";

const Operation &convolution(const Network &network) {
    for (const Operation &operation : network.operations)
        if (operation.kind == OperationKind::convolution)
            return operation;
    throw std::runtime_error("no convolution");
}

/// "height 3/2*1+1,0": role, kernel / stride * dilation + padding, and the loops.
std::string windows(const Operation &operation) {
    std::string text;
    for (const Window &window : operation.windows)
        text += (text.empty() ? "" : "; ") + window.role + " " + std::to_string(window.kernel) + "/" +
                std::to_string(window.stride) + "*" + std::to_string(window.dilation) + "+" +
                std::to_string(window.before) + "," + std::to_string(window.behind) + " {" +
                std::to_string(window.loop) + std::to_string(window.kernel_loop) + "}";
    return text;
}

Network conv_network(const std::string &type, const std::string &result, const std::string &call) {
    return network_of(head + "network n(x: " + type + ") -> " + result + " {\n    y = " + call + "\n    return y\n}\n");
}

TEST(Convolution, IsAnEinsumWithWindows) { // O17
    const Network network = network_of(R"(
dim batch = 8
network n(x: f32[batch, height: 9, width: 7, channel: 3]) -> f32[batch, height: 5, width: 6, digit: 4] {
    param w: [height: 3, width: 2, channel, digit] = ones
    y = convolution(x, w -> [batch, height, width, digit], stride = [2, 1], padding = [1, 0])
    return y
}
dim channel = 3
dim digit = 4
)");
    EXPECT_EQ(loops(convolution(network)),
              "batch:8 height:5 width:6 channel:3 height':3 width':2 digit:4 {0123} {4536} -> {0126}");
    EXPECT_EQ(windows(convolution(network)), "height 3/2*1+1,1 {14}; width 2/1*1+0,0 {25}");
    EXPECT_EQ(type_text(convolution(network).type), "[batch: 8, height: 5, width: 6, digit: 4]");
}

TEST(Convolution, GroupsAreALoopOfAllThree) { // O17
    const Network network = network_of(R"(
dim batch = 8
network n(x: f32[batch, time: 9, group: 2, in: 3]) -> f32[batch, time: 3, group: 2, out: 4] {
    param w: [group: 2, time: 5, in: 3, out: 4] = ones
    y = convolution(x, w -> [batch, time, group, out], spatial = time, dilation = 2, stride = 4, padding = [[3, 6]])
    return y
}
dim in = 3
dim out = 4
dim time = 9
dim group = 2
)");
    EXPECT_EQ(loops(convolution(network)), "batch:8 time:3 group:2 in:3 time':5 out:4 {0123} {2435} -> {0125}");
    EXPECT_EQ(windows(convolution(network)), "time 5/4*2+3,6 {14}");
}

TEST(Convolution, SamePaddingIsThatOfTensorFlow) { // O16
    const auto of = [](const std::string &extent, const std::string &settings) {
        const Network network = network_of(head + "network n(x: f32[batch, height: " + extent +
                                           ", channel: 1]) -> f32[batch, channel: 1] {\n    y = conv(x, channel: 1, " +
                                           settings + ")\n    return reduce_sum(y, over = [height])\n}\n");
        const Operation &operation = convolution(network);
        return windows(operation) + " " + std::to_string(operation.type.dimensions[1].extent);
    };
    EXPECT_EQ(of("8", "kernel = 3, padding = \"same\""), "height 3/1*1+1,1 {13} 8");
    EXPECT_EQ(of("8", "kernel = 3, padding = \"same\", stride = 2"), "height 3/2*1+0,1 {13} 4");
    EXPECT_EQ(of("7", "kernel = 3, padding = \"same\", stride = 2"), "height 3/2*1+1,1 {13} 4");
    EXPECT_EQ(of("7", "kernel = 4, padding = \"same\", dilation = 3"), "height 4/1*3+4,5 {13} 7");
    EXPECT_EQ(of("7", "kernel = 1, padding = \"same\", stride = 3"), "height 1/3*1+0,0 {13} 3");
    EXPECT_EQ(of("7", "kernel = 4, padding = \"valid\", stride = 2"), "height 4/2*1+0,0 {13} 2");
}

TEST(Convolution, LayerOwnsAWeightAndABias) {
    const Network network =
        conv_network("f32[batch, height: 9, width: 7, channel: 3]", "f32[batch, height: 9, width: 7, channel: 4]",
                     "relu(conv(x, channel: 4, kernel = 3, padding = 1))");
    EXPECT_EQ(summary(network),
              (Lines{"parameter [height: 3, width: 3, channel': 3, channel: 4] (y)",
                     "convolution [batch: 8, height: 9, width: 7, channel: 4] (y)", "parameter [channel: 4] (y)",
                     "add [batch: 8, height: 9, width: 7, channel: 4] (y)",
                     "relu [batch: 8, height: 9, width: 7, channel: 4] (y)"}));
    EXPECT_EQ(loops(convolution(network)),
              "batch:8 height:9 width:7 channel':3 height':3 width':3 channel:4 {0123} {4536} -> {0126}");
    EXPECT_EQ(parameters(network), (Lines{"y.w", "y.b"}));
    EXPECT_DOUBLE_EQ(parameter(network, "y.w").initializer.b, std::sqrt(2. / 27)); // He et al. 2015
}

TEST(Convolution, LayerTakesAnyNumberOfSpatialDimensions) {
    const Network one = conv_network("f32[batch, time: 9, channel: 3]", "f32[batch, time: 4, feature: 2]",
                                     "conv(x, feature: 2, kernel = 3, stride = 2, bias = false)");
    EXPECT_EQ(type_text(parameter(one, "y.w").type), "[time: 3, channel: 3, feature: 2]");
    const Network three = conv_network("f64[batch, depth: 4, height: 9, width: 7, channel: 3]",
                                       "f64[batch, depth: 3, height: 9, width: 7, channel: 2]",
                                       "conv(x, channel: 2, kernel = [2, 3, 3], padding = [0, 1, 1], bias = false)");
    EXPECT_EQ(type_text(parameter(three, "y.w").type), "[depth: 2, height: 3, width: 3, channel': 3, channel: 2]");
    const Network named =
        conv_network("f32[batch, frame: 4, height: 9, width: 7, channel: 3]",
                     "f32[batch, frame: 4, height: 9, width: 7, channel: 2]",
                     "conv(x, channel: 2, kernel = 3, padding = 1, spatial = [height, width], bias = false)");
    EXPECT_EQ(windows(convolution(named)), "height 3/1*1+1,1 {25}; width 3/1*1+1,1 {36}");
}

TEST(Convolution, ChannelsMayLieAnywhere) { // Y2
    const Network network =
        conv_network("f32[batch, channel: 3, height: 9, width: 7]", "f32[batch, height: 7, width: 5, channel: 2]",
                     "conv(x, channel: 2, kernel = 3, over = [channel])");
    EXPECT_EQ(loops(convolution(network)),
              "batch:8 channel':3 height:7 width:5 height':3 width':3 channel:2 {0123} {4516} -> {0236}");
}

TEST(Convolution, GroupsBearTheRoleOfTheResultsChannels) {
    const Network network =
        conv_network("f32[batch, height: 9, width: 7, channel: 6]", "f32[batch, height: 7, width: 5, channel: 10]",
                     "conv(x, channel: 10, kernel = 3, groups = 2)");
    EXPECT_EQ(summary(network),
              (Lines{"parameter [height: 3, width: 3, channel: 2, group_in: 3, group_out: 5] (y)",
                     "reshape [batch: 8, height: 9, width: 7, channel: 2, group_in: 3] (y)",
                     "convolution [batch: 8, height: 7, width: 5, channel: 2, group_out: 5] (y)",
                     "reshape [batch: 8, height: 7, width: 5, channel: 10] (y)", "parameter [channel: 10] (y)",
                     "add [batch: 8, height: 7, width: 5, channel: 10] (y)"}));
    EXPECT_DOUBLE_EQ(parameter(network, "y.w").initializer.b, std::sqrt(2. / 27)); // the fan-in of one group
}

TEST(Convolution, FoldsOverWidths) {
    const Network network = network_of(head + R"(
network n(x: f32[batch, height: 8, width: 8, channel: 3]) -> f32[batch, height: 2, width: 2, channel: 16] {
    y = fold h = x for (i, out) in enumerate([8, 16]) as block {
        yield relu(conv(h, channel: out, kernel = 3, stride = 2, padding = 1, bias = false))
    }
    return y
}
)");
    EXPECT_EQ(parameters(network), (Lines{"block[0].w", "block[1].w"}));
    EXPECT_EQ(type_text(parameter(network, "block[1].w").type), "[height: 3, width: 3, channel': 8, channel: 16]");
}

TEST(Convolution, ValuesOfCompileTime) { // O18
    const Network network = network_of(head + R"(
layer l(x: [.., in], sizes: ints, anything: any = "word") -> [..] {
    some = with_extents(tail([..]), sizes) + [other: 7]
    param w: [..some, last: equal_parts(in, 3)] = constant(if anything == "word" { 1 } else { 2 })
    return reduce_sum(x, over = [in]) * reduce_sum(w)
}
network n(x: f32[batch, height: 8, width: 8, channel: 12]) -> f32[batch, height: 8, width: 8] {
    y = l(x, [2, 5])
    return y
}
)");
    EXPECT_EQ(type_text(parameter(network, "y.w").type), "[height: 2, width: 5, other: 7, last: 4]");
    EXPECT_DOUBLE_EQ(parameter(network, "y.w").initializer.a, 1);
}

TEST(Convolution, TransposedWindowsCoverTheResult) { // O24
    const auto extents = [](const std::string &settings, const std::string &height, const std::string &width) {
        return convolution(conv_network("f32[batch, height: 5, width: 4, channel: 3]",
                                        "f32[batch, height: " + height + ", width: " + width + ", channel: 7]",
                                        "conv_transpose(x, channel: 7, " + settings + ")"))
            .transposed;
    };
    // PyTorch: (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1
    EXPECT_TRUE(extents("kernel = 3", "7", "6"));
    EXPECT_TRUE(extents("kernel = 2, stride = 2", "10", "8"));
    EXPECT_TRUE(extents("kernel = [4, 3], stride = [3, 2], padding = [1, [0, 1]], output_padding = [2, 1]", "16", "9"));
    EXPECT_TRUE(extents("kernel = 3, stride = 2, dilation = 2", "13", "11"));
    EXPECT_TRUE(extents("kernel = 3, stride = 2, padding = \"same\"", "10", "8"));
    EXPECT_TRUE(extents("kernel = 2, stride = 3, padding = \"same\"", "15", "12"));
}

} // namespace
} // namespace planc::sema

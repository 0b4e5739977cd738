// What the name of a dimension stands for: roles that a signature calls otherwise, one role at several extents, extents
// as numbers, tensors that are called as a dimension is.
#include "analyzed.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::sema {
namespace {

using Lines = std::vector<std::string>;

const std::string head = "import \"std/dense.plan\"\n"
                         "dim batch = 8\ndim channel = 4\ndim feature = 6\ndim key = 3\ndim depth = 2\n";

std::string report_of(const std::string &text) {
    const Analyzed analyzed = analyze_text(text);
    EXPECT_FALSE(analyzed.program);
    return analyzed.report;
}

TEST(DimensionNames, RoleIsFoundUnderAnotherName) { // D2, Y2: `last` of x is a channel, as `channel` of s is
    const std::string layer = "layer l(s: [.., channel], x: [.., last]) -> [.., channel] {\n";
    const auto summary_of = [&](const std::string &result, const std::string &shape) {
        return summary(network_of(head + layer + "    return " + result + "\n}\n" + R"(
network n(x: f32[batch, channel]) -> f32[batch)" +
                                  shape + R"(] {
    y = l(x, 2 * x)
    return y
})"));
    };
    const Lines doubled{"constant [] (y)", "mul [batch: 8, channel: 4] (y)"};
    const auto with = [&](const std::string &line) {
        Lines lines = doubled;
        lines.push_back(line);
        return lines;
    };
    EXPECT_EQ(summary_of("concat([s, x], channel)", ", channel: 8"), with("concat [batch: 8, channel: 8] (y)"));
    EXPECT_EQ(summary_of("concat([s, x], last)", ", channel: 8"), with("concat [batch: 8, channel: 8] (y)"));
    EXPECT_EQ(summary_of("softmax(x, over = channel)", ", channel"), with("softmax [batch: 8, channel: 4] (y)"));
    EXPECT_EQ(summary_of("slice(x, channel: 0..2)", ", channel: 2"), with("slice [batch: 8, channel: 2] (y)"));
    EXPECT_EQ(summary_of("einsum(x -> [.., channel])", ", channel"), with("einsum [batch: 8, channel: 4] (y)"));
    EXPECT_EQ(
        summary_of("transpose(transpose(x, [channel, ..]), [.., channel])", ", channel"),
        (Lines{doubled[0], doubled[1], "einsum [channel: 4, batch: 8] (y)", "einsum [batch: 8, channel: 4] (y)"}));
    EXPECT_EQ(summary_of("s + reduce_mean(x, over = [channel])", ", channel"),
              (Lines{doubled[0], doubled[1], "mean [batch: 8] (y)", "add [batch: 8, channel: 4] (y)"}));
}

TEST(DimensionNames, TheSignaturesNameComesFirst) { // Y2: `channel` is what the pattern calls so
    const Network network = network_of(head + R"(
layer l(x: [.., channel, last]) -> [.., last] {
    return reduce_sum(x, over = channel)
}
network n(x: f32[batch, feature, channel]) -> f32[batch, channel] {
    return l(x)
})");
    EXPECT_EQ(type_text(network.operations.back().type), "[batch: 8, channel: 4]");
}

TEST(DimensionNames, OneOfTwoLoopsOfARoleIsNotGuessed) { // D7: two sides bear one role, `other` names neither
    const std::string report = report_of(head + R"(
layer l(other: [.., channel], x: [.., in], out: dim) -> [.., channel] {
    param w: [in, out] = ones
    return einsum(x, w -> [.., channel])
}
network n(x: f32[batch, channel]) -> f32[batch, channel] {
    y = l(x, x, channel)
    return y
})");
    EXPECT_NE(report.find("no operand of 'einsum' has dimension 'channel'"), std::string::npos) << report;
    EXPECT_NE(report.find("the signature calls them 'in' and 'out'"), std::string::npos) << report;
}

const std::string up = R"(
layer up(x: [.., height, width, channel], skip: [.., height, width, channel], out: dim) -> [.., height, width, out] {
    each    = cast(iota(row: 2)) * 0 + (cast(iota(column: 2)) * 0 + 1)
    wide    = transpose(x * each, [.., height, row, width, column, channel])
    doubled = reshape(wide, [.., height: 2 * height, width: 2 * width, channel])
    both    = concat([doubled, skip], channel)
    mixed   = dense(both, out, bias = false)
    return mixed
}
)";

TEST(DimensionNames, OneRoleAtTwoExtents) { // Y2
    const Network network = network_of(head + up + R"(
network n(x: f32[batch, height: 3, width: 5, channel: 2]) -> f32[batch, height: 6, width: 10, channel] {
    small = 2 * x
    large = reshape(concat([small, small, small, small, small, small, small, small], channel),
                    [batch, height: 6, width: 10, channel: 4])
    y     = up(small, large, channel)
    return y
})");
    const Operation &result = network.operations.back();
    EXPECT_EQ(type_text(result.type), "[batch: 8, height: 6, width: 10, channel: 4]");
    EXPECT_EQ(loops(result), "batch:8 height:6 width:10 channel':6 channel:4 {0123} {34} -> {0124}");
}

TEST(DimensionNames, TwoExtentsInOneOperationAreAnError) { // D6
    const std::string report = report_of(head + R"(
layer both(x: [.., a], z: [.., a]) -> [.., a] {
    return x + z
}
network n(x: f32[batch, feature: 3], z: f32[batch, feature]) -> f32[batch, feature] {
    return both(x, z)
})");
    EXPECT_NE(report.find("'+' meets dimension 'feature' with extents 3 and 6"), std::string::npos) << report;
}

TEST(DimensionNames, AnArgumentsExtentHoldsForTensors) { // Y2
    const std::string report = report_of(head + R"(
layer l(width: dim, x: [.., width]) -> [.., width] {
    return x
}
network n(x: f32[batch, feature]) -> f32[batch, feature] {
    return l(feature: 3, x)
})");
    EXPECT_NE(report.find("'width' of 'l' is both [feature: 3] and [feature: 6]"), std::string::npos) << report;
}

TEST(DimensionNames, ResultsKeepTheCallersNameOfTheirExtent) { // Y2: y is as large as b, so its feature is `q`
    const Network network = network_of(head + R"(
layer second(x: [.., a], z: [.., a]) -> [.., a] {
    return 2 * z
}
layer outer(x: [.., p], z: [.., q]) -> [.., q] {
    y = second(x, z)
    return einsum(y, z -> [.., q])
}
network n(x: f32[batch, feature: 3], z: f32[batch, feature]) -> f32[batch, feature] {
    return outer(x, z)
})");
    EXPECT_EQ(loops(network.operations.back()), "batch:8 feature:6 {01} {01} -> {01}");
}

TEST(DimensionNames, ExtentsAreWholeNumbers) { // X3, Y1
    const Network network = network_of(head + R"(
layer l(x: [.., in], windows: ints) -> [.., in] {
    h = fold h = x for i in 0..depth { yield h + i }
    a = slice(h, feature: 0..in / 2)
    b = slice(h, feature: in / 2..in)
    return concat([b, a], in)
}
network n(x: f32[batch, feature]) -> f32[batch, feature] {
    param scale: [group: depth] = constant(depth)
    y = l(x, [depth, key])
    return y * reduce_sum(scale)
})");
    EXPECT_EQ(
        summary(network),
        (Lines{"parameter [group: 2] (scale)", "constant [] (y)", "add [batch: 8, feature: 6] (y)", "constant [] (y)",
               "add [batch: 8, feature: 6] (y)", "slice [batch: 8, feature: 3] (y)", "slice [batch: 8, feature: 3] (y)",
               "concat [batch: 8, feature: 6] (y)", "sum [] (output)", "mul [batch: 8, feature: 6] (output)"}));
    EXPECT_EQ(parameter(network, "scale").initializer.a, 2);
}

TEST(DimensionNames, ExtentsAreNumbersOfWindows) { // X3, O16
    const Network network = network_of(head + R"(
network n(x: f32[batch, height: 9, width: 9, channel]) -> f32[batch, height: 5, width: 3, channel] {
    return max_pool(x, kernel = key, stride = [depth, key], padding = [[1, 1], [0, 0]])
})");
    EXPECT_EQ(type_text(network.operations.back().type), "[batch: 8, height: 5, width: 3, channel: 4]");
}

TEST(DimensionNames, AnInlineExtentIsKnownToTheInitializer) { // Y4
    const Network network = network_of(head + R"(
layer l(x: [.., k]) -> [.., k] {
    param w: [k, inner: 3] = glorot_uniform(fan_in = [k], fan_out = [inner])
    param v: [feature: 9, k] = he_normal(fan_in = [feature])
    return x * reduce_sum(w) * reduce_sum(v)
}
network n(x: f32[batch, channel]) -> f32[batch, channel] {
    y = l(x)
    return y
})");
    EXPECT_DOUBLE_EQ(parameter(network, "y.w").initializer.b, std::sqrt(6. / (4 + 3)));
    EXPECT_DOUBLE_EQ(parameter(network, "y.v").initializer.b, std::sqrt(2. / 9));
}

TEST(DimensionNames, AnInlineExtentOfALayersParameterIsARole) { // D2, P2
    const Analyzed analyzed = analyze_text(head + R"(
layer l(x: [.., k]) -> [.., k] {
    param w: [k, inner: 3] = ones
    return x * reduce_sum(w)
}
network n(x: f32[batch, channel]) -> f32[batch, channel] {
    y = l(x)
    return y
}
mesh grid = [rows]
layout split on grid { inner -> rows }
)");
    EXPECT_TRUE(analyzed.program) << analyzed.report;
}

TEST(DimensionNames, ATensorHidesNoDimension) { // X4, Y2: `key` is a tensor, too
    const Network network = network_of(head + R"(
layer l(key: [.., key]) -> [.., key] {
    param scale: [key] = he_normal(fan_in = key)
    weights = softmax(key, over = key) + cast(iota(key))
    whole   = slice(reshape(weights, [.., key: key]), key: 0..key)
    y       = dense(whole, key)
    return concat([key, y * reduce_sum(scale)], key)
}
network n(x: f32[batch, key]) -> f32[batch, key: 6] {
    y = l(x)
    return y
})");
    EXPECT_EQ(type_text(network.operations.back().type), "[batch: 8, key: 6]");
    EXPECT_EQ(type_text(parameter(network, "y.y.w").type), "[key': 3, key: 3]");
}

TEST(DimensionNames, InANetworkToo) {
    const Network network = network_of(head + R"(
network n(key: f32[batch, key]) -> f32[batch, key] {
    param scale: [key] = ones
    mask = select(iota(key) < 2, 1, 0)
    y    = dense(key * mask, key)
    return y * reduce_sum(scale, over = [key])
})");
    EXPECT_EQ(type_text(parameter(network, "y.w").type), "[key': 3, key: 3]");
}

} // namespace
} // namespace planc::sema

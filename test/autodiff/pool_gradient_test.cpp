// Gradients of pools: windows that overlap, that leave gaps, padding, dilation, and gradients that lack dimensions.
#include "loss_function.h"

#include <gtest/gtest.h>

namespace planc::test {

namespace {

/// x [batch, height, width, channel] through a pool, and the square of the result times weights; with `kept` summed
/// over the dimensions that it lacks first.
void check(const std::string &kind, const std::string &windows, const Dimensions &positions, const Dimensions &kept) {
    SCOPED_TRACE(kind + windows);
    std::mt19937 random(1);
    LossFunction function;
    const std::string x = function.variable("x", {{"batch", 2}, {"height", 7}, {"width", 5}, {"channel", 2}});
    const Dimensions result{{"batch", 2}, positions[0], positions[1], {"channel", 2}};
    std::string value = function.operation("plan.pool \"" + kind + "\" (", {x}, ") " + windows, result);
    if (kept.size() < result.size())
        value = function.reduce("sum", value, kept);
    const std::string loss = function.weighted_sum(function.pointwise("square", {value}, kept));
    expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
}

} // namespace

TEST(PoolGradient, equals_finite_differences) {
    struct Case {
        const char *windows;
        Dimensions positions;
    };
    const Case cases[] = {
        {"windows [\"height\", \"width\"] kernels [3, 2] strides [2, 1] dilations [1, 1] paddings [1, 1, 0, 0]",
         {{"height", 4}, {"width", 4}}},
        {"windows [\"height\", \"width\"] kernels [2, 1] strides [3, 2] dilations [1, 1] paddings [0, 0, 0, 0]",
         {{"height", 2}, {"width", 3}}},
        {"windows [\"width\", \"height\"] kernels [2, 3] strides [1, 1] dilations [2, 2] paddings [1, 1, 1, 2]",
         {{"height", 6}, {"width", 5}}},
        {"windows [\"height\"] kernels [7] strides [1] dilations [1] paddings [2, 3]", {{"height", 6}, {"width", 5}}}};
    for (const Case &each : cases)
        for (const char *kind : {"max", "sum"}) {
            const Dimensions all{{"batch", 2}, each.positions[0], each.positions[1], {"channel", 2}};
            check(kind, each.windows, each.positions, all);
            for (std::size_t without = 0; without < all.size(); ++without) {
                Dimensions kept = all;
                kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(without));
                check(kind, each.windows, each.positions, kept);
            }
            check(kind, each.windows, each.positions, {});
        }
}

// Where the maximum was is noted by the forward pass, and only if its gradient is wanted.
TEST(PoolGradient, notes_maxima_only_for_a_gradient) {
    const auto count = [](bool trained) {
        LossFunction function;
        const Dimensions shape{{"batch", 2}, {"height", 4}};
        const std::string data = function.input("data", shape);
        const std::string w = function.variable("w", shape);
        const std::string x = trained ? function.pointwise("mul", {data, w}, shape) : data;
        const std::string pool = function.operation(
            "plan.pool \"max\" (", {x}, ") windows [\"height\"] kernels [2] strides [2] dilations [1] paddings [0, 0]",
            {{"batch", 2}, {"height", 2}});
        const std::string loss = function.reduce(
            "sum", function.pointwise("add", {function.reduce("sum", pool, {}), function.reduce("sum", w, {})}, {}),
            {});
        mlir::MLIRContext context;
        auto module = derive(function.text(loss, loss), context);
        std::string text;
        llvm::raw_string_ostream(text) << *module;
        const std::size_t argmax = text.find("\"argmax\"");
        if (argmax == std::string::npos)
            return std::string("none");
        const std::string line = text.substr(argmax, text.find('\n', argmax) - argmax);
        return line.find("phase = \"forward\"") != std::string::npos ? std::string("forward") : line;
    };
    EXPECT_EQ(count(true), "forward");
    EXPECT_EQ(count(false), "none");
}

} // namespace planc::test

// Inputs that would take forever, or overflow something, end in one error.
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

const std::string head = "dim batch = 8\n";

std::string network(const std::string &body) {
    return head + "network n(x: f32[batch]) -> f32[batch] {\n" + body + "\n    return x\n}";
}

TEST(Limits, Extents) { // D5
    EXPECT_EQ(analyze_text("dim a = -1").kind, "bad_extent");
    EXPECT_EQ(analyze_text("dim a = 9223372036854775807\ndim b = a + 1").kind, "integer_overflow");
    EXPECT_EQ(analyze_text("dim a = -9223372036854775807 - 2").kind, "integer_overflow");
    EXPECT_EQ(analyze_text("dim a = (-9223372036854775807 - 1) / -1").kind, "integer_overflow");
    EXPECT_EQ(analyze_text("network n(x: f32[a: 4294967296, b: 4294967296]) -> f32[] {\n"
                           "    return reduce_sum(x)\n}")
                  .kind,
              "tensor_too_large");
}

TEST(Limits, AChainOfDimensions) {
    std::string text = "dim d0 = 1\n";
    for (int i = 1; i < 5000; ++i)
        text = "dim d" + std::to_string(i) + " = d" + std::to_string(i - 1) + "\n" + text;
    EXPECT_EQ(analyze_text(text).kind, "elaboration_too_deep");
}

TEST(Limits, Work) {
    EXPECT_EQ(analyze_text(network("    y = fold h = x for i in 0..1000000 { yield relu(h) }")).kind,
              "too_many_operations");
    EXPECT_EQ(analyze_text(network("    y = fold h = 1 for i in 0..1000 {\n"
                                   "        z = fold k = 1 for j in 0..100000 { yield k }\n        yield z\n    }"))
                  .kind,
              "elaboration_too_long");
}

TEST(Limits, CallsThatDouble) {
    // 2^40 calls by forty layers, each of which calls the one before it twice.
    std::string text = head + "layer l0(x: [..]) -> [..] {\n    return x + x\n}\n";
    for (int i = 1; i < 40; ++i) {
        const std::string below = "l" + std::to_string(i - 1);
        text += "layer l" + std::to_string(i) + "(x: [..]) -> [..] {\n    return " + below + "(" + below + "(x))\n}\n";
    }
    text += "network n(x: f32[batch]) -> f32[batch] {\n    return l39(x)\n}";
    EXPECT_EQ(analyze_text(text).kind, "too_many_operations");
}

TEST(Limits, MutualRecursion) { // N7
    EXPECT_EQ(analyze_text(network("    y = a(x)") + "\nlayer a(x: [..]) -> [..] {\n    return b(x)\n}\n"
                                                     "layer b(x: [..]) -> [..] {\n    return a(x)\n}\n")
                  .kind,
              "endless_recursion");
}

/// The kind of error of a training with the settings, on data from the source.
std::string training(const std::string &settings, const std::string &source = "synthetic(seed = 1)",
                     const std::string &split = "") {
    return analyze_text("network n(x: f32[batch: 8]) -> f32[batch: 8] { return 2 * x }\ndata d = " + source + split +
                        "\ntrain n on d {\n    loss = mean_square_error(n(x), y)\n" + settings + "\n}")
        .kind;
}

TEST(Limits, Counts) { // R4, R6, T1, T3
    const std::string huge = "9223372036854775807";
    const std::string sgd = "optimizer = sgd(rate = 0.1)\n";
    EXPECT_EQ(training(sgd + "epochs = 7\nseed = " + huge), "");
    EXPECT_EQ(training(sgd + "epochs = 1000000000000000"), "too_many_steps"); // 16 batches
    EXPECT_EQ(training(sgd + "epochs = " + huge), "out_of_range");
    EXPECT_EQ(training(sgd + "steps = 1000000000000000"), "");
    EXPECT_EQ(training(sgd + "steps = " + huge), "out_of_range");
    EXPECT_EQ(training(sgd + "steps = 2", "synthetic(samples = " + huge + ")"), "out_of_range");
    EXPECT_EQ(
        training(sgd + "steps = 2", "csv(\"x.csv\")", " { x = column(0); y = column(1); split = train " + huge + " }"),
        "out_of_range");
    for (const std::string schedule :
         {"warmup(steps = #, then = 0.1)", "cosine(0.1, steps = #)", "polynomial(0.1, steps = #)",
          "step_decay(0.1, every = #)", "step_decay(0.1, at = [2, #])", "linear_scaling(0.1, batch = #)"}) {
        const std::string rate = std::string(schedule).replace(schedule.find('#'), 1, huge);
        EXPECT_EQ(training("steps = 9\noptimizer = sgd(rate = " + rate + ")"), "out_of_range") << rate;
    }
}

} // namespace
} // namespace planc::sema

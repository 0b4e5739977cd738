// Declarations and bodies as a whole: their order, what is visible where, defaults.
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

TEST(Declarations, NamesMayBeUsedBeforeTheyAreDeclared) { // I1
    const Analyzed analyzed = analyze_text(R"(
train n on noise { loss = mean_square_error(n(x), y); optimizer = sgd(rate = rows); steps = 2; layout = split }
layout split on grid { batch -> axis }
mesh grid = [axis: rows]
data noise = synthetic(seed = 1)
network n(x: f32[batch, hidden]) -> f32[batch, hidden] { return twice(x) }
layer twice(x: [..]) -> [..] { return 2 * x }
dim hidden = 2 * batch
dim batch = 4 * rows
dim rows = 2
)");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    EXPECT_EQ(type_text(analyzed.program->networks.front().arguments.front().type), "[batch: 8, hidden: 16]");
}

const std::string head = "dim batch = 8\ndim hidden = 6\n";

TEST(Bodies, NamesOfABranchAreVisibleInsideOnly) { // N4
    const std::string body = head + R"(
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    if hidden == 6 {
        inner = 2 * x
        y     = inner + 1
        if hidden == 7 { return x } else { z = y; return z + OUTSIDE }
    }
    return x
})";
    const auto with = [&](const std::string &name) { return std::string(body).replace(body.find("OUTSIDE"), 7, name); };
    EXPECT_EQ(summary(network_of(with("inner"))),
              (std::vector<std::string>{"constant [] (inner)", "mul [batch: 8, hidden: 6] (inner)", "constant [] (y)",
                                        "add [batch: 8, hidden: 6] (y)", "add [batch: 8, hidden: 6] (output)"}));
    EXPECT_EQ(analyze_text(head + R"(
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    if hidden == 6 { inner = 2 * x } else { other = x }
    return inner
})")
                  .kind,
              "unknown_name");
}

TEST(Bodies, OnlyTheBranchTakenIsElaborated) { // N4: the other one would not fit
    const Network network = network_of(head + R"(
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    if hidden == 6 {
        return 2 * x
    } else {
        return reduce_sum(x)
    }
})");
    EXPECT_EQ(summary(network),
              (std::vector<std::string>{"constant [] (output)", "mul [batch: 8, hidden: 6] (output)"}));
}

TEST(Bodies, DefaultsAreConstantExpressions) { // Y5
    const std::string layer =
        "layer scaled(x: [.., in], times: int = 2 * hidden, more: bool = times > 11) -> [.., in] {\n"
        "    return if more { x * times } else { x }\n}\n";
    const auto number_in = [&](const std::string &call) {
        const Network network = network_of(head + layer + R"(
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    return )" + call + "\n}\n");
        for (const Operation &operation : network.operations)
            if (operation.kind == OperationKind::constant)
                return operation.number;
        return 0.;
    };
    EXPECT_EQ(number_in("scaled(x)"), 12);
    EXPECT_EQ(number_in("scaled(x, 13)"), 13);
    EXPECT_EQ(number_in("scaled(x, 3)"), 0);
    EXPECT_EQ(number_in("scaled(x, 3, true)"), 3);
}

TEST(Errors, OneMistakeGivesOne) { // E2: what is made of it is used twice
    for (const char *mistake : {"h = relu(y)\n    g = h + h\n    return g * h", "h = einsum(x)\n    return h + h"}) {
        const Analyzed analyzed =
            analyze_text(head + "network n(x: f32[batch, hidden]) -> f32[batch, hidden] {\n    " + mistake + "\n}\n");
        EXPECT_FALSE(analyzed.program);
        EXPECT_EQ(analyzed.errors, 1) << analyzed.report;
    }
}

} // namespace
} // namespace planc::sema

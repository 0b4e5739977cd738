// Orders of a graph's vertices (T11): which dimensions have them, and what depends on them.
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

/// A network on four vertices; `a` and the table of words are files of test/sema/Inputs.
Analyzed ordered(const std::string &arguments, const std::string &body, const std::string &order = "random(1)") {
    const std::string inputs = std::string(PLANC_SOURCE_DIR) + "/test/sema/Inputs";
    return analyze_text("dim vertex = 4\ndim class = 2\nnetwork n(" + arguments +
                        "x: f32[vertex, class]) -> f32[vertex, class] {\n    " + body +
                        "\n}\n"
                        "data small = graph(\"" +
                        inputs + "/vertices.csv\", header = true, order = " + order +
                        ") {\n"
                        "    a     = matrix_market(\"" +
                        inputs +
                        "/square.mtx\")\n"
                        "    x     = columns(2..4)\n    label = column(0)\n}\n"
                        "train n on small {\n    loss      = cross_entropy(n(" +
                        (arguments.empty() ? "x" : "a, x") +
                        "), label)\n    optimizer = sgd(rate = 0.1)\n    epochs    = 2\n}\n");
}

std::string order_of(const std::string &body) {
    return ordered("", body).report;
}

TEST(VertexOrder, HasTheDimensionsThatShareLoops) {
    const Analyzed analyzed =
        ordered("a: sparse[vertex, vertex', f32], ",
                "param w: [class, vertex'] = ones\n"
                "param m: [class, hidden: 4] = ones\n"
                "    score = spmm(a, x) + einsum(einsum(x, w -> [vertex, vertex']), w -> [vertex, class])\n"
                "    other = einsum(einsum(x, m -> [vertex, hidden]), m -> [vertex, class])\n"
                "    return score + other");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Train &train = analyzed.program->trains.front();
    ASSERT_TRUE(train.order);
    EXPECT_EQ(train.order->roles, (std::vector<std::string>{"vertex", "vertex'"})); // hidden has as many indices
    EXPECT_TRUE(train.matrices[0].ordered_rows && train.matrices[0].ordered_columns);
}

TEST(VertexOrder, OfColumnsThatAreNoVertices) {
    const Analyzed analyzed =
        ordered("a: sparse[vertex, word: 4, f32], ", "param w: [word: 4, class] = ones\n    return spmm(a, w) + x");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Train &train = analyzed.program->trains.front();
    EXPECT_EQ(train.order->roles, (std::vector<std::string>{"vertex"}));
    EXPECT_TRUE(train.matrices[0].ordered_rows && !train.matrices[0].ordered_columns);
}

TEST(VertexOrder, OfTheFile) {
    const Analyzed analyzed = ordered("", "return x + cast(iota(vertex))", "file");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    EXPECT_FALSE(analyzed.program->trains.front().order);
}

TEST(VertexOrder, WhatDependsOnIt) {
    const auto depends = [](const std::string &name, const std::string &body) {
        EXPECT_NE(order_of(body).find("'" + name + "' depends on the order of 'vertex"), std::string::npos)
            << name << ": " << order_of(body);
    };
    depends("iota", "return x + cast(iota(vertex))");
    depends("slice", "return concat([slice(x, vertex: 2..4), slice(x, vertex: 0..2)], vertex)");
    depends("concat", "return slice(concat([x, x], vertex), vertex: 0..4)");
    depends("reshape", "return reshape(reshape(x, [half: 2, rest: 4]), [vertex, class])");
    depends("embedding",
            "return embedding(reduce_sum(x, over = class) > 0, rename(x, vertex -> vertex'), over = vertex')");
    depends("pool", "y = max_pool(reshape(transpose(x, [class, vertex]), [class, vertex, one: 1]), kernel = 1)\n"
                    "    return transpose(reshape(y, [class, vertex]), [vertex, class])");
}

TEST(VertexOrder, WhatDoesNot) {
    EXPECT_EQ(order_of("y = reshape(x, [vertex, part: 2, one: 1])\n    return reshape(y, [vertex, class])"), "");
    EXPECT_EQ(order_of("y = transpose(x, [class, vertex])\n    return transpose(y, [vertex, class])"), "");
    EXPECT_EQ(
        order_of("return concat([slice(x, class: 1..2), slice(x, class: 0..1)], class) + softmax(x, over = class)"),
        "");
}

} // namespace
} // namespace planc::sema

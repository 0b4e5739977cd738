// Sparse arguments and their products: D9, O21.
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

const std::string head = "dim vertex = 5\ndim word = 7\ndim hidden = 3\n";

Network network(const std::string &arguments, const std::string &result, const std::string &body) {
    return network_of(head + "network n(" + arguments + ") -> " + result + " {\n    " + body + "\n}\n");
}

const Operation &last(const Network &network) {
    return network.operations.back();
}

TEST(Sparse, ProductsSumOverTheColumns) { // O21
    const Network square =
        network("a: sparse[vertex, vertex', f32], x: f32[vertex, hidden]", "f32[vertex, hidden]", "return spmm(a, x)");
    ASSERT_EQ(square.matrices.size(), 1U);
    EXPECT_EQ(type_text(square.matrices[0].type), "[vertex: 5, vertex': 5]");
    EXPECT_EQ(square.arguments.size(), 1U); // of tensors
    EXPECT_EQ(last(square).text, "a");
    EXPECT_FALSE(last(square).mean);
    EXPECT_EQ(loops(last(square)), "vertex:5 vertex':5 hidden:3 {01} {12} -> {02}");
}

TEST(Sparse, MatricesMayBeRectangularAndWide) { // D9
    const Network words = network("a: sparse[vertex, word, f64], x: f64[word, hidden]", "f64[vertex, hidden]",
                                  "return spmm(a, x, reduce = mean)");
    EXPECT_EQ(loops(last(words)), "vertex:5 word:7 hidden:3 {01} {12} -> {02}");
    EXPECT_TRUE(last(words).mean);
    const Network inner =
        network("a: sparse[vertex, word, f32], x: f32[hidden, word]", "f32[hidden, vertex]", "return spmm(a, x)");
    EXPECT_EQ(loops(last(inner)), "vertex:5 word:7 hidden:3 {01} {21} -> {20}");
}

TEST(Sparse, SignaturesOfLayersBindRowsAndColumns) { // D9, Y2
    const Network layered = network_of(head + R"(
layer twice(x: [source, in], a: sparse[target, source], out: dim) -> [target, out] {
    param w: [in, out] = ones
    return spmm(a, einsum(x, w -> [source, out]))
}
network n(a: sparse[vertex, vertex', f32], x: f32[vertex, word]) -> f32[vertex, hidden] {
    h = twice(x, a, hidden)
    y = twice(h, a, hidden)
    return y
})");
    EXPECT_EQ(parameters(layered), (std::vector<std::string>{"h.w", "y.w"}));
    EXPECT_EQ(loops(last(layered)), "vertex:5 vertex':5 hidden:3 {01} {12} -> {02}");
}

TEST(Sparse, NetworksPassTheirMatricesOn) { // N7
    const Analyzed analyzed =
        analyze_text(head + R"(
network inner(b: sparse[vertex, vertex', f32], x: f32[vertex, hidden]) -> f32[vertex, hidden] {
    return spmm(b, x)
}
)" +
                     "network n(a: sparse[vertex, vertex', f32], x: f32[vertex, hidden]) -> f32[vertex, hidden] {\n"
                     "    y = inner(a, x)\n    return y\n}\n");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    EXPECT_EQ(last(analyzed.program->networks[1]).text, "a");
}

} // namespace
} // namespace planc::sema

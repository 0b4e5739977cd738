// Paths of layers and parameters (N5).
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

using Lines = std::vector<std::string>;

const std::string head = "import \"std/dense.plan\"\ndim batch = 8\ndim hidden = 6\n";

Network hidden_network(const std::string &body, const std::string &layers = "") {
    return network_of(head + layers + "network n(x: f32[batch, hidden]) -> f32[batch, hidden] {\n" + body + "\n}");
}

TEST(LayerNames, OneCallInABinding) {
    EXPECT_EQ(parameters(hidden_network("    h = relu(dense(x, hidden))\n    return h")), (Lines{"h.w", "h.b"}));
}

TEST(LayerNames, SeveralCallsInABinding) {
    const Network network = hidden_network(R"(
    h = gain(dense(dense(x, hidden, bias = false), hidden, bias = false))
    return h)",
                                           R"(
layer gain(x: [.., in]) -> [.., in] {
    param g: [in] = ones
    return x * g
}
)");
    EXPECT_EQ(parameters(network), (Lines{"h.dense[0].w", "h.dense[1].w", "h.gain.g"}));
    EXPECT_EQ(network.layers, (Lines{"h.dense[0]", "h.dense[1]", "h.gain"}));
}

TEST(LayerNames, ChoicesDoNotCountTwice) {
    const Network network = hidden_network(R"(
    h = if hidden == 6 { dense(x, hidden) } else { dense(x, hidden, bias = false) }
    return h)");
    EXPECT_EQ(parameters(network), (Lines{"h.w", "h.b"}));
}

TEST(LayerNames, FoldWithALabel) { // X8
    const Network network = hidden_network(R"(
    body = fold h = x for i in 0..2 as block {
        grow   = relu(dense(h, hidden: 12, bias = false))
        shrink = dense(grow, hidden, bias = false)
        yield h + shrink
    }
    return body)");
    EXPECT_EQ(parameters(network),
              (Lines{"block[0].grow.w", "block[0].shrink.w", "block[1].grow.w", "block[1].shrink.w"}));
    EXPECT_EQ(network.layers,
              (Lines{"block[0].grow", "block[0].shrink", "block[0]", "block[1].grow", "block[1].shrink", "block[1]"}));
}

TEST(LayerNames, FoldWithoutALabelHasTheNameOfItsBinding) { // X8
    const Network network = hidden_network(R"(
    body = fold h = x for (i, width) in enumerate([6, 3, 6]) {
        next = dense(h, hidden: width, bias = false)
        yield next
    }
    return body)");
    EXPECT_EQ(parameters(network), (Lines{"body[0].next.w", "body[1].next.w", "body[2].next.w"}));
    EXPECT_EQ(type_text(parameter(network, "body[1].next.w").type), "[hidden': 6, hidden: 3]");
}

TEST(LayerNames, CompositesNest) {
    const Network network = hidden_network(R"(
    body = fold h = x for i in 0..1 as block {
        attention = pair(h)
        yield attention
    }
    return body)",
                                           R"(
layer pair(x: [.., in]) -> [.., in] {
    query = dense(x, in, bias = false)
    key   = dense(x, in, bias = false)
    return query * key
}
)");
    EXPECT_EQ(parameters(network), (Lines{"block[0].attention.query.w", "block[0].attention.key.w"}));
    EXPECT_EQ(network.layers, (Lines{"block[0].attention.query", "block[0].attention.key", "block[0].attention"}));
}

TEST(LayerNames, BindingsOfALeafAreLocal) {
    const Network network = hidden_network("    h = double(x)\n    return h", R"(
layer double(x: [.., in]) -> [.., in] {
    twice = x + x
    return twice
}
)");
    EXPECT_EQ(network.layers, Lines{"h"});
}

TEST(LayerNames, FoldInALeaf) {
    const Network network = hidden_network("    h = scales(x)\n    return h", R"(
layer scales(x: [.., in]) -> [.., in] {
    y = fold h = x for i in 0..2 {
        param g: [in] = ones
        yield h * g
    }
    return y
}
)");
    EXPECT_EQ(parameters(network), (Lines{"h.y[0].g", "h.y[1].g"}));
    EXPECT_EQ(network.layers, Lines{"h"});
}

TEST(LayerNames, NetworksNestWhenCalled) { // N7
    const Analyzed analyzed = analyze_text(head + R"(
network inner(x: f32[batch, hidden]) -> f32[batch, hidden] {
    h = dense(x, hidden, bias = false)
    return h
}
network outer(x: f32[batch, hidden]) -> f32[batch, hidden] {
    a = inner(x)
    b = relu(inner(a))
    return b
})");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    EXPECT_EQ(parameters(analyzed.program->networks[0]), Lines{"h.w"});
    EXPECT_EQ(parameters(analyzed.program->networks[1]), (Lines{"a.h.w", "b.h.w"}));
}

TEST(LayerNames, EveryParameterHasItsOwnName) {
    EXPECT_EQ(analyze_text(head + "network n(x: f32[batch, hidden]) -> f32[batch, hidden] {\n"
                                  "    body = fold h = x for i in 0..2 as a { yield relu(h) }\n"
                                  "    tail = fold h = body for i in 0..2 as a { yield relu(h) }\n"
                                  "    return tail\n}")
                  .kind,
              "duplicate_layer");
}

TEST(LayerNames, WhatAFoldYieldsBearsTheNameOfTheIteration) {
    const Network network = hidden_network(R"(
    y = fold h = x for i in 0..2 as block {
        yield relu(dense(h, hidden, bias = false)) + h
    }
    return y)");
    EXPECT_EQ(parameters(network), (Lines{"block[0].w", "block[1].w"}));
    EXPECT_EQ(network.layers, (Lines{"block[0]", "block[1]"}));
}

// --- shared layers (N8)

const std::string tower = R"(
layer tower(x: [.., in], out: dim, inner: int = 4) -> [.., out] {
    grow = relu(dense(x, hidden: inner, bias = false))
    yes  = dense(grow, out, bias = false)
    return yes
}
)";

TEST(LayerNames, CallsOfASharedLayerAreLayersWithTheSameParameters) { // N8
    const Network network = hidden_network(R"(
    shared both = tower(hidden, inner = 5)
    a = both(x)
    b = relu(both(a)) + both(x = x)
    return b)",
                                           tower);
    EXPECT_EQ(parameters(network), (Lines{"both.grow.w", "both.yes.w"}));
    EXPECT_EQ(network.layers, (Lines{"both.grow", "a.grow", "both.yes", "a.yes", "b.both[0].grow", "b.both[0].yes", "b",
                                     "b.both[1].grow", "b.both[1].yes"}));
    EXPECT_EQ(type_text(parameter(network, "both.grow.w").type), "[hidden': 6, hidden: 5]");
}

TEST(LayerNames, SharedLayersNest) { // N8, X8
    const Network network = hidden_network(R"(
    shared all = twice(hidden)
    y = fold h = x for i in 0..2 as block {
        yield all(h)
    }
    z = all(y)
    return z)",
                                           R"(
layer twice(x: [.., in], out: dim) -> [.., out] {
    shared one = dense(out, bias = false)
    first  = one(x)
    second = one(first)
    own    = dense(second, out, bias = false)
    return own
}
)");
    EXPECT_EQ(parameters(network), (Lines{"all.one.w", "all.own.w"}));
    EXPECT_EQ(network.layers,
              (Lines{"all.one", "block[0].first", "block[0].second", "all.own", "block[0].own", "block[1].first",
                     "block[1].second", "block[1].own", "z.first", "z.second", "z.own"}));
}

TEST(LayerNames, RunningStatisticsOfASharedLayerAreOne) { // N8, O20
    const Network network = hidden_network("    shared norm = batch_norm(momentum = 0.2)\n    a = norm(x)\n"
                                           "    b = norm(2 * a)\n    return b",
                                           "import \"std/norm.plan\"\n");
    EXPECT_EQ(parameters(network), (Lines{"norm.scale", "norm.b", "norm.mean", "norm.variance"}));
}

} // namespace
} // namespace planc::sema

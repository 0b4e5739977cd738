// The loop nests of operations.
#include "ir/nest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace planc::ir {

namespace {

using sharding::LoopKind;
using sharding::Nest;

/// The nest of the last operation of a body with the arguments %x [a: 2, b: 3], %y [b: 3], %w [b': 3, c: 4], %i [b: 3].
Nest nest(const std::string &body) {
    mlir::MLIRContext context;
    context.loadDialect<PlanDialect, mlir::func::FuncDialect>();
    const std::string text = "!x = !plan.tensor<a: 2, b: 3, f32>\n!y = !plan.tensor<b: 3, f32>\n"
                             "!w = !plan.tensor<\"b'\": 3, c: 4, f32>\n!s = !plan.tensor<f32>\n"
                             "!i = !plan.tensor<b: 3, i32>\n"
                             "func.func @f(%x: !x, %y: !y, %w: !w, %i: !i) {\n  %c = plan.constant 2.0 : !s\n" +
                             body + "\n  return\n}\n";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
        throw std::runtime_error("no module:\n" + text);
    auto function = module->lookupSymbol<mlir::func::FuncOp>("f");
    return nest_of(function.getBody().front().getTerminator()->getPrevNode());
}

std::string loops(const Nest &nest) {
    std::string text;
    for (const sharding::Loop &loop : nest.loops)
        text += (text.empty() ? "" : ", ") + loop.name + ": " + std::to_string(loop.extent) +
                (loop.kind == LoopKind::reduced ? " reduced"
                 : loop.kind == LoopKind::whole ? " whole"
                                                : "");
    return text;
}

/// The nest of attention. Besides the rows, p and g, queries [a, p, g, f] have the dimensions of keys [a, k, f]; the
/// values [a, k, f] have a dimension f of their own.
Nest attention(const std::string &kind, const std::string &result) {
    const std::string q = "!plan.tensor<a: 2, p: 6, g: 2, f: 3, f32>";
    const std::string k = "!plan.tensor<a: 2, k: 5, f: 3, f32>";
    const std::string v = "!plan.tensor<a: 2, k: 5, f: 4, f32>";
    const std::string sums = "!plan.tensor<a: 2, p: 6, g: 2, f32>";
    const std::string dy = "!plan.tensor<p: 6, a: 2, g: 2, f: 4, f32>";
    const std::string seen = "!plan.tensor<k: 5, a: 2, i32>";
    const auto random = [](const std::string &name, const std::string &type) {
        return "%" + name + " = plan.random key \"" + name + "\" : " + type + "\n";
    };
    const bool forward = kind == "output" || kind == "total";
    return nest(random("q", q) + random("k", k) + random("v", v) + random("sums", sums) + random("dy", dy) +
                random("seen", seen) + "%0 = plan.attention [\"" + kind + "\"] (%q, %k, %v" +
                (forward ? "" : ", %sums, %dy, %sums") +
                ", %seen) over \"k\" dot \"f\" {position = \"p\", masked} : (" + q + ", " + k + ", " + v +
                (forward ? "" : ", " + sums + ", " + dy + ", " + sums) + ", " + seen + ") -> " + result);
}

using Maps = std::vector<std::vector<int>>;

} // namespace

TEST(Nest, of_einsum_is_named_by_subscripts) {
    const Nest n = nest("%0 = plan.einsum \"a i, i c -> c a\"(%x, %w) : (!x, !w) -> !plan.tensor<c: 4, a: 2, f32>");
    EXPECT_EQ(loops(n), "a: 2, i: 3 reduced, c: 4");
    EXPECT_EQ(n.operands, (Maps{{0, 1}, {1, 2}}));
    EXPECT_EQ(n.results, (Maps{{2, 0}}));
    EXPECT_FALSE(n.linear);
}

TEST(Nest, of_one_operand_is_linear) {
    EXPECT_TRUE(nest("%0 = plan.einsum \"a b -> b\"(%x) : (!x) -> !y").linear);
}

// %x [a: 2, b: 3] as an image of 3 rows, padded to 5, at stride 2; %w's b' is the kernel.
TEST(Nest, of_convolution_has_windows) {
    const std::string numbers = " windows [\"b\"] kernels [\"k\"] strides [2] dilations [1] paddings [1, 1] : ";
    const Nest n = nest("%0 = plan.conv \"forward\" \"a b, k c -> a b c\"(%x, %w)" + numbers +
                        "(!x, !w) -> !plan.tensor<a: 2, b: 2, c: 4, f32>");
    EXPECT_EQ(loops(n), "a: 2, b: 2, k: 3 whole, c: 4");
    EXPECT_EQ(n.operands, (Maps{{0, 1}, {2, 3}}));
    EXPECT_EQ(n.results, (Maps{{0, 1, 3}}));
    ASSERT_EQ(n.windows.size(), 1U);
    EXPECT_EQ(n.windows[0].extent, 3);
    EXPECT_EQ(sharding::window_of(n.windows[0], n), (planrt::Window{2, 3, 2, 1, 1, false}));

    const Nest back = nest("%0 = plan.conv \"input_gradient\" \"a b, k c -> a b c\"(%x, %w)" + numbers +
                           "(!x, !w) -> !plan.tensor<a: 2, b: 5, c: 4, f32>");
    EXPECT_EQ(loops(back), "a: 2, b: 5, k: 3 whole, c: 4");
    EXPECT_EQ(sharding::window_of(back.windows[0], back), (planrt::Window{5, 3, 2, 1, 1, true}));

    const Nest weights =
        nest("%0 = plan.conv \"weight_gradient\" \"a b, b -> k a\"(%x, %y) windows [\"b\"] kernels "
             "[\"k\"] strides [1] dilations [1] paddings [0, 1] : (!x, !y) -> !plan.tensor<k: 2, a: 2, f32>");
    EXPECT_EQ(loops(weights), "a: 2, b: 3 reduced, k: 2 whole");
    EXPECT_EQ(weights.results, (Maps{{2, 0}}));
}

// Both operands of the gradient of a maximum have the window.
TEST(Nest, of_pool_has_windows) {
    const std::string numbers = " windows [\"b\"] kernels [3] strides [2] dilations [1] paddings [1, 1] : ";
    const Nest n = nest("%0 = plan.pool \"sum\"(%x)" + numbers + "(!x) -> !plan.tensor<a: 2, b: 2, f32>");
    EXPECT_EQ(loops(n), "a: 2, b: 2, window b: 3 whole");
    EXPECT_EQ(n.operands, (Maps{{0, 1}}));
    EXPECT_EQ(n.results, (Maps{{0, 1}}));
    ASSERT_EQ(n.windows.size(), 1U);
    EXPECT_EQ(n.windows[0].extent, 3);
    EXPECT_EQ(sharding::window_of(n.windows[0], n), (planrt::Window{2, 3, 2, 1, 1, false}));

    const Nest back = nest("%at = plan.pool \"argmax\"(%x)" + numbers +
                           "(!x) -> !plan.tensor<a: 2, b: 2, i32>\n"
                           "%most = plan.pool \"max\"(%x)" +
                           numbers +
                           "(!x) -> !plan.tensor<a: 2, b: 2, f32>\n"
                           "%0 = plan.pool \"max_gradient\"(%most, %at)" +
                           numbers + "(!plan.tensor<a: 2, b: 2, f32>, !plan.tensor<a: 2, b: 2, i32>) -> !x");
    EXPECT_EQ(loops(back), "a: 2, b: 3, window b: 3 whole");
    ASSERT_EQ(back.windows.size(), 2U);
    EXPECT_EQ(back.windows[1].operand, 1);
    EXPECT_EQ(sharding::window_of(back.windows[1], back), (planrt::Window{3, 3, 2, 1, 1, true}));
}

TEST(Nest, of_pointwise_is_named_by_roles) {
    const Nest n = nest("%0 = plan.pointwise \"add\"(%y, %x) : (!y, !x) -> !x");
    EXPECT_EQ(loops(n), "a: 2, b: 3");
    EXPECT_EQ(n.operands, (Maps{{1}, {0, 1}}));
    EXPECT_EQ(n.results, (Maps{{0, 1}}));
    EXPECT_TRUE(n.linear);
}

// What partial sums may pass through.
TEST(Nest, linearity) {
    const auto linear = [](const std::string &function, const std::string &operands, const std::string &types) {
        return nest("%0 = plan.pointwise \"" + function + "\"(" + operands + ") : (" + types + ") -> !x").linear;
    };
    EXPECT_TRUE(linear("sub", "%x, %x", "!x, !x"));
    EXPECT_TRUE(linear("neg", "%x", "!x"));
    EXPECT_TRUE(linear("mul", "%x, %c", "!x, !s"));
    EXPECT_TRUE(linear("mul", "%c, %x", "!s, !x"));
    EXPECT_TRUE(linear("div", "%x, %c", "!x, !s"));
    EXPECT_FALSE(linear("div", "%c, %x", "!s, !x"));
    EXPECT_FALSE(linear("mul", "%x, %y", "!x, !y"));
    EXPECT_FALSE(linear("add", "%x, %c", "!x, !s")) << "the number would be added on every rank";
    EXPECT_FALSE(linear("relu", "%x", "!x"));
}

TEST(Nest, of_reductions) {
    const Nest sum = nest("%0 = plan.reduce \"sum\"(%x) : (!x) -> !y");
    EXPECT_EQ(loops(sum), "a: 2 reduced, b: 3");
    EXPECT_EQ(sum.results, (Maps{{1}}));
    EXPECT_TRUE(sum.linear);
    const Nest max = nest("%0 = plan.reduce \"max\"(%x) : (!x) -> !y");
    EXPECT_EQ(max.reduction, sharding::Reduction::max);
    EXPECT_FALSE(max.linear);
    EXPECT_EQ(nest("%0 = plan.reduce \"min\"(%x) : (!x) -> !y").reduction, sharding::Reduction::min);
}

TEST(Nest, of_sources) {
    const Nest iota = nest("%0 = plan.iota : !y");
    EXPECT_EQ(loops(iota), "b: 3");
    EXPECT_TRUE(iota.operands.empty());
    EXPECT_EQ(loops(nest("%0 = plan.constant 1.0 : !s")), "");
}

TEST(Nest, of_embeddings) {
    const Nest n = nest("%0 = plan.embedding %i, %w over \"b'\" : (!i, !w) -> !plan.tensor<b: 3, c: 4, f32>");
    EXPECT_EQ(loops(n), "b: 3, c: 4, b': 3 reduced");
    EXPECT_EQ(n.operands, (Maps{{0}, {2, 1}}));
    EXPECT_EQ(n.results, (Maps{{0, 1}}));
    EXPECT_FALSE(n.linear);
}

// Positions are looked up by position: the table's loop has a name of its own.
TEST(Nest, of_an_embedding_whose_indices_have_the_dimension_too) {
    const Nest n = nest("%0 = plan.embedding %i, %x over \"b\" : (!i, !x) -> !plan.tensor<b: 3, a: 2, f32>");
    EXPECT_EQ(loops(n), "b: 3, a: 2, b': 3 reduced");
    EXPECT_EQ(n.operands, (Maps{{0}, {1, 2}}));
}

TEST(Nest, of_the_gradient_of_an_embedding) {
    const Nest n = nest("%g = plan.embedding %i, %x over \"b\" : (!i, !x) -> !plan.tensor<b: 3, a: 2, f32>\n"
                        "%0 = plan.embedding_gradient %i, %g over \"v\" : (!i, !plan.tensor<b: 3, a: 2, f32>) -> "
                        "!plan.tensor<a: 2, v: 5, f32>");
    EXPECT_EQ(loops(n), "b: 3 reduced, a: 2, v: 5");
    EXPECT_EQ(n.operands, (Maps{{0}, {0, 1}}));
    EXPECT_EQ(n.results, (Maps{{1, 2}}));
}

// Each query needs all keys and all features; the values' own loop stays whole, and has a name of its own.
TEST(Nest, of_attention) {
    const Nest n = attention("output", "!plan.tensor<a: 2, p: 6, g: 2, f: 4, f32>");
    EXPECT_EQ(loops(n), "a: 2, p: 6, g: 2, k: 5 whole, f: 3 whole, f': 4 whole");
    EXPECT_EQ(n.operands, (Maps{{0, 1, 2, 4}, {0, 3, 4}, {0, 3, 5}, {3, 0}}));
    EXPECT_EQ(n.results, (Maps{{0, 1, 2, 5}}));
    EXPECT_FALSE(n.linear);

    const Nest total = attention("total", "!plan.tensor<g: 2, a: 2, p: 6, f32>");
    EXPECT_EQ(loops(total), "a: 2, p: 6, g: 2, k: 5 whole, f: 3 whole, f': 4 whole");
    EXPECT_EQ(total.results, (Maps{{2, 0, 1}}));
}

// Sums over the keys, or over all rows of queries.
TEST(Nest, of_the_gradients_of_attention) {
    const Nest queries = attention("query_gradient", "!plan.tensor<a: 2, p: 6, g: 2, f: 3, f32>");
    EXPECT_EQ(loops(queries), "a: 2, p: 6, g: 2, k: 5 reduced, f: 3 whole, f': 4 whole");
    EXPECT_EQ(queries.operands, (Maps{{0, 1, 2, 4}, {0, 3, 4}, {0, 3, 5}, {0, 1, 2}, {1, 0, 2, 5}, {0, 1, 2}, {3, 0}}));
    EXPECT_EQ(queries.results, (Maps{{0, 1, 2, 4}}));
    EXPECT_EQ(queries.reduction, sharding::Reduction::sum);
    EXPECT_FALSE(queries.linear);

    const Nest keys = attention("key_gradient", "!plan.tensor<a: 2, k: 5, f: 3, f32>");
    EXPECT_EQ(loops(keys), "a: 2, p: 6 reduced, g: 2 reduced, k: 5, f: 3 whole, f': 4 whole");
    EXPECT_EQ(keys.operands, queries.operands);
    EXPECT_EQ(keys.results, (Maps{{0, 3, 4}}));

    const Nest values = attention("value_gradient", "!plan.tensor<a: 2, k: 5, f: 4, f32>");
    EXPECT_EQ(loops(values), loops(keys));
    EXPECT_EQ(values.results, (Maps{{0, 3, 5}}));
}

TEST(Nest, of_a_sparse_product) {
    const Nest n =
        nest("%0 = plan.spmm \"m\" \"v a, a b -> v b\" (%x) nonzeros 3 : (!x) -> !plan.tensor<v: 5, b: 3, f32>");
    EXPECT_EQ(loops(n), "v: 5, b: 3, a: 2 reduced");
    EXPECT_EQ(n.operands, (Maps{{2, 1}}));
    EXPECT_EQ(n.results, (Maps{{0, 1}}));
    EXPECT_TRUE(n.linear);
}

TEST(Nest, of_parts_of_a_dimension) {
    const Nest slice = nest("%0 = plan.slice %x over \"b\" from 1 : (!x) -> !plan.tensor<a: 2, b: 1, f32>");
    EXPECT_EQ(loops(slice), "a: 2, b: 1 whole, b': 3 whole");
    EXPECT_EQ(slice.operands, (Maps{{0, 2}}));
    EXPECT_EQ(slice.results, (Maps{{0, 1}}));
    EXPECT_TRUE(slice.linear);
    const Nest pad = nest("%0 = plan.pad %x over \"a\" before 1 : (!x) -> !plan.tensor<a: 4, b: 3, f32>");
    EXPECT_EQ(loops(pad), "b: 3, a: 4 whole, a': 2 whole");
    const Nest concat = nest("%0 = plan.concat %x, %x over \"a\" : (!x, !x) -> !plan.tensor<a: 4, b: 3, f32>");
    EXPECT_EQ(loops(concat), "b: 3, a: 4 whole, a': 2 whole, a'': 2 whole");
    EXPECT_EQ(concat.operands, (Maps{{2, 0}, {3, 0}}));
}

TEST(Nest, of_reshapes_splits_what_stays_in_its_place) {
    const Nest split = nest("%0 = plan.reshape %w : (!w) -> !plan.tensor<\"b'\": 3, d: 2, e: 2, f32>");
    EXPECT_EQ(loops(split), "b': 3, d: 2, e: 2 whole");
    const Nest moved = nest("%0 = plan.reshape %x : (!x) -> !plan.tensor<b: 3, a: 2, f32>");
    EXPECT_EQ(loops(moved), "b: 3 whole, a: 2 whole, a': 2 whole, b': 3 whole");
    EXPECT_EQ(loops(nest("%0 = plan.reshape %x : (!x) -> !plan.tensor<a: 2, d: 1, b: 3, f32>")),
              "a: 2, b: 3, d: 1 whole");
}

// A dimension cut in two, or two joined: the first part is a window on the whole, of as many indices as it stands for.
TEST(Nest, of_reshapes_splits_first_parts) {
    const Nest split = nest("%0 = plan.reshape %w : (!w) -> !plan.tensor<\"b'\": 3, c: 2, e: 2, f32>");
    EXPECT_EQ(loops(split), "b': 3, c: 2, e: 2 whole");
    EXPECT_EQ(split.operands, (Maps{{0, 1}}));
    EXPECT_EQ(split.results, (Maps{{0, 1, 2}}));
    ASSERT_EQ(split.windows.size(), 1U);
    const sharding::NestWindow &part = split.windows[0];
    EXPECT_EQ((std::vector<std::int64_t>{part.dimension, part.kernel_loop, part.extent, part.stride, part.padding}),
              (std::vector<std::int64_t>{1, 2, 4, 2, 0}));
    EXPECT_TRUE(part.blocks_only && !part.transposed);

    const Nest joined = nest("%1 = plan.reshape %w : (!w) -> !plan.tensor<\"b'\": 3, d: 2, e: 2, f32>\n"
                             "%0 = plan.reshape %1 : (!plan.tensor<\"b'\": 3, d: 2, e: 2, f32>) -> !w");
    EXPECT_EQ(loops(joined), "b': 3, c: 4, e: 2 whole");
    EXPECT_EQ(joined.operands, (Maps{{0, 1, 2}}));
    EXPECT_EQ(joined.results, (Maps{{0, 1}}));
    ASSERT_EQ(joined.windows.size(), 1U);
    EXPECT_EQ(joined.windows[0].extent, 2);
    EXPECT_TRUE(joined.windows[0].blocks_only && joined.windows[0].transposed);
}

TEST(Nest, of_free_values_and_accumulators) {
    EXPECT_EQ(loops(nest("%0 = plan.random key \"k\" : !x")), "a: 2, b: 3");
    EXPECT_EQ(loops(nest("%0 = plan.step : !plan.tensor<f64>")), "");
    EXPECT_TRUE(nest("%0 = plan.accumulate %x to \"x\" : (!x) -> !x").linear);
}

} // namespace planc::ir

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

/// The nest of the last operation of a body with the arguments %x [a: 2, b: 3], %y [b: 3], %w [b': 3, c: 4].
Nest nest(const std::string &body) {
    mlir::MLIRContext context;
    context.loadDialect<PlanDialect, mlir::func::FuncDialect>();
    const std::string text = "!x = !plan.tensor<a: 2, b: 3, f32>\n!y = !plan.tensor<b: 3, f32>\n"
                             "!w = !plan.tensor<\"b'\": 3, c: 4, f32>\n!s = !plan.tensor<f32>\n"
                             "func.func @f(%x: !x, %y: !y, %w: !w) {\n  %c = plan.constant 2.0 : !s\n" +
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
                (loop.kind == LoopKind::reduced ? " reduced" : "");
    return text;
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

TEST(Nest, of_updates_covers_all_results) {
    const Nest n = nest("%0, %1 = plan.sgd %x, %x, %x {rate = 0.1, momentum = 0.9, weight_decay = 0.0} : (!x, !x, !x) "
                        "-> (!x, !x)");
    EXPECT_EQ(loops(n), "a: 2, b: 3");
    EXPECT_EQ(n.operands, (Maps{{0, 1}, {0, 1}, {0, 1}}));
    EXPECT_EQ(n.results, (Maps{{0, 1}, {0, 1}}));
}

} // namespace planc::ir

// Tensors stored in shares, elements that only move, micro-batches.
#include "interpret/whole_batch.h"

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace planc::interpret {

namespace {

const std::string aliases = R"(
!whole = !plan.tensor<a: 5, b: 3, f64, #plan.layout<>>
!shares = !plan.tensor<a: 5, b: 3, f64, #plan.layout<stored by [p]>>
!other_shares = !plan.tensor<a: 5, b: 3, f64, #plan.layout<stored by [p, q]>>
!sum = !plan.tensor<f64, #plan.layout<partial sum = [p]>>
!s = !plan.tensor<f64, #plan.layout<>>
)";

/// Two axes, p of 4 ranks and q of 2.
Outcome run_body(const std::string &body, const std::string &result) {
    mlir::MLIRContext context;
    context.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    const std::string text = aliases + "module attributes {plan.mesh = #plan.mesh<p: 4, q: 2>} {\n" +
                             "func.func @f(%x: !whole {plan.input = \"x\"}) -> " + result + " {\n" + body + "}\n}\n";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
        throw std::runtime_error("no module:\n" + text);
    Inputs inputs;
    Array &x = inputs.fields["x"] = {{5, 3}, {}};
    for (int i = 0; i < 15; ++i)
        x.elements.push_back(i);
    return run(*module, "f", inputs);
}

std::string failure(const std::string &body, const std::string &result) {
    try {
        static_cast<void>(run_body(body, result));
    } catch (const Failure &failed) {
        return failed.what();
    }
    return "";
}

constexpr const char *cut = "  %0 = plan.collective \"slice\" %x over [\"p\"] : !whole -> !shares\n";

} // namespace

// 15 elements on 4 ranks: 4, 4, 4 and 3.
TEST(Shares, elementwise_and_gathered) {
    const Outcome outcome = run_body(std::string(cut) + R"(
  %1 = plan.pointwise "square"(%0) : (!shares) -> !shares
  %2 = plan.collective "all_gather" %1 over ["p"] : !shares -> !whole
  return %2 : !whole
)",
                                     "!whole");
    for (int i = 0; i < 15; ++i)
        EXPECT_EQ(outcome.results[0].elements[static_cast<std::size_t>(i)], i * i);
    EXPECT_EQ(outcome.collectives.back().traffic[0].elements, 15);
}

TEST(Shares, sums_are_addends_of_each_share) {
    const Outcome outcome = run_body(std::string(cut) + R"(
  %1 = plan.reduce "sum"(%0) : (!shares) -> !sum
  %2 = plan.collective "all_reduce" %1 over ["p"] : !sum -> !s
  return %2 : !s
)",
                                     "!s");
    EXPECT_EQ(outcome.results[0].elements[0], 105);
}

// Each rank gives its share of x, the others nothing: addends of the sums of rows.
TEST(Shares, addends_are_scattered_into_shares) {
    const Outcome outcome = run_body(R"(
  %0 = plan.collective "slice" %x over ["p"] : !whole -> !plan.tensor<a: 5, b: 3, f64, #plan.layout<a = [p]>>
  %1 = plan.reduce "sum"(%0) : (!plan.tensor<a: 5, b: 3, f64, #plan.layout<a = [p]>>) -> !plan.tensor<b: 3, f64, #plan.layout<partial sum = [p]>>
  %2 = plan.collective "reduce_scatter" %1 over ["p"] : !plan.tensor<b: 3, f64, #plan.layout<partial sum = [p]>> -> !plan.tensor<b: 3, f64, #plan.layout<stored by [p]>>
  return %2 : !plan.tensor<b: 3, f64, #plan.layout<stored by [p]>>
)",
                                     "!plan.tensor<b: 3, f64, #plan.layout<stored by [p]>>");
    EXPECT_EQ(outcome.results[0].elements, (std::vector<double>{30, 35, 40}));
}

TEST(Shares, of_one_operation_must_agree) {
    EXPECT_NE(failure(std::string(cut) + R"(
  %1 = plan.collective "slice" %0 over ["q"] : !shares -> !other_shares
  %2 = plan.pointwise "add"(%0, %1) : (!shares, !other_shares) -> !shares
  return %2 : !shares
)",
                      "!shares")
                  .find("do not hold the same elements"),
              std::string::npos);
}

TEST(Moves, of_a_dimension_that_is_cut_are_refused) {
    EXPECT_NE(failure(R"(
  %0 = plan.collective "slice" %x over ["p"] : !whole -> !plan.tensor<a: 5, b: 3, f64, #plan.layout<a = [p]>>
  %1 = plan.slice %0 over "a" from 1 : (!plan.tensor<a: 5, b: 3, f64, #plan.layout<a = [p]>>) -> !plan.tensor<a: 2, b: 3, f64, #plan.layout<>>
  return %1 : !plan.tensor<a: 2, b: 3, f64, #plan.layout<>>
)",
                      "!plan.tensor<a: 2, b: 3, f64, #plan.layout<>>")
                  .find("cannot be split"),
              std::string::npos);
}

TEST(Moves, beside_a_dimension_that_is_cut) {
    const Outcome outcome = run_body(R"(
  %0 = plan.collective "slice" %x over ["p"] : !whole -> !plan.tensor<a: 5, b: 3, f64, #plan.layout<a = [p]>>
  %1 = plan.pad %0 over "b" before 1 : (!plan.tensor<a: 5, b: 3, f64, #plan.layout<a = [p]>>) -> !plan.tensor<a: 5, b: 6, f64, #plan.layout<a = [p]>>
  %2 = plan.reshape %1 : (!plan.tensor<a: 5, b: 6, f64, #plan.layout<a = [p]>>) -> !plan.tensor<a: 5, c: 3, d: 2, f64, #plan.layout<a = [p]>>
  %3 = plan.collective "all_gather" %2 over ["p"] : !plan.tensor<a: 5, c: 3, d: 2, f64, #plan.layout<a = [p]>> -> !plan.tensor<a: 5, c: 3, d: 2, f64, #plan.layout<>>
  return %3 : !plan.tensor<a: 5, c: 3, d: 2, f64, #plan.layout<>>
)",
                                     "!plan.tensor<a: 5, c: 3, d: 2, f64, #plan.layout<>>");
    const std::vector<double> &got = outcome.results[0].elements;
    EXPECT_EQ(std::vector<double>(got.begin() + 6, got.begin() + 12), (std::vector<double>{0, 3, 4, 5, 0, 0}));
}

namespace {

/// The loss is the sum of x over 7 samples in parts of 3, 2 and 2; w becomes that sum.
constexpr const char *micro_batches = R"(
!s = !plan.tensor<f64>
module attributes {plan.microbatches = 3 : i64, plan.batch = 7 : i64} {
plan.variable @w : !s = <constant, 0.0, 0.0> {trained}
plan.variable @"sum of x" : !s = <constant, 0.0, 0.0> {accumulator}
func.func @accumulate_rest(%x: !plan.tensor<batch: 3, f64> {plan.input = "x"}) attributes {plan.accumulates} {
  %sum = plan.reduce "sum"(%x) : (!plan.tensor<batch: 3, f64>) -> !s
  %old = plan.read @"sum of x" : !s
  %new = plan.pointwise "add"(%old, %sum) : (!s, !s) -> !s
  plan.write %new, @"sum of x" : !s
  return
}
func.func @accumulate(%x: !plan.tensor<batch: 2, f64> {plan.input = "x"}) attributes {plan.accumulates} {
  %sum = plan.reduce "sum"(%x) : (!plan.tensor<batch: 2, f64>) -> !s
  %old = plan.read @"sum of x" : !s
  %new = plan.pointwise "add"(%old, %sum) : (!s, !s) -> !s
  plan.write %new, @"sum of x" : !s
  return
}
func.func @train(%x: !plan.tensor<batch: 2, f64> {plan.input = "x"}) -> !s {
  %sum = plan.reduce "sum"(%x) : (!plan.tensor<batch: 2, f64>) -> !s
  %old = plan.read @"sum of x" : !s
  %new = plan.pointwise "add"(%old, %sum) : (!s, !s) -> !s
  plan.write %new, @w : !s
  return %sum : !s
}
}
)";

} // namespace

TEST(MicroBatches, run_in_order_and_begin_at_zero) {
    mlir::MLIRContext context;
    context.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(micro_batches, &context);
    ASSERT_TRUE(module);
    Inputs inputs;
    inputs.fields["x"] = {{7}, {1, 2, 3, 10, 20, 100, 200}};
    inputs.variables["w"] = {{}, {0}};
    for (int step = 0; step < 2; ++step) {
        const Outcome outcome = run_train_step(*module, inputs);
        EXPECT_EQ(outcome.variables.at("w").elements[0], 336);
        EXPECT_EQ(outcome.results[0].elements[0], 300);
        inputs.variables = outcome.variables;
    }
    inputs.fields["x"] = {{6}, {1, 2, 3, 10, 20, 100}};
    EXPECT_THROW(static_cast<void>(run_train_step(*module, inputs)), Failure);
}

} // namespace planc::interpret

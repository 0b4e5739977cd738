// Operations of the schedule, and the check of where their values lie.
#include "interpret/buffers.h"
#include "interpret/interpret.h"

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace planc::interpret {

namespace {

Outcome run(const std::string &program, const Inputs &inputs) {
    mlir::MLIRContext context;
    context.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    const auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
    if (!module)
        throw std::runtime_error("no module:\n" + program);
    return interpret::run(*module, "f", inputs);
}

std::string failure(const std::string &program, const Inputs &inputs) {
    try {
        static_cast<void>(run(program, inputs));
    } catch (const Failure &failed) {
        return failed.what();
    }
    return "";
}

template <class Work> std::string failure_of(Work work) {
    try {
        work();
    } catch (const Failure &failed) {
        return failed.what();
    }
    return "";
}

Inputs one_to(std::vector<std::int64_t> extents, int elements) {
    Inputs inputs;
    Array &x = inputs.fields["x"] = {std::move(extents), {}};
    for (int i = 1; i <= elements; ++i)
        x.elements.push_back(i);
    return inputs;
}

} // namespace

TEST(Buffers, a_value_is_whole_until_its_place_is_written) {
    Buffers buffers(128);
    const int a = buffers.write(0, 64, "a");
    const int b = buffers.write(64, 64, "b");
    buffers.read(a);
    static_cast<void>(buffers.write(60, 4, "c"));
    buffers.read(b);
    EXPECT_EQ(failure_of([&] { buffers.read(a); }), "a was overwritten by c");
    EXPECT_EQ(failure_of([&] { static_cast<void>(buffers.write(128, 4, "d")); }), "d lies outside of the arena");
}

TEST(Buffers, nobody_touches_what_a_collective_uses) {
    Buffers buffers(128);
    const int input = buffers.write(0, 32, "input");
    const int output = buffers.write(32, 32, "output");
    const int scratch = buffers.write(64, 32, "scratch");
    buffers.start(7, {input}, {output, scratch});
    buffers.read(input);
    EXPECT_EQ(failure_of([&] { buffers.read(output); }), "output is read before collective 7 is waited for");
    EXPECT_EQ(failure_of([&] { static_cast<void>(buffers.write(0, 4, "other")); }),
              "other is written where collective 7 is under way");
    EXPECT_EQ(failure_of([&] { static_cast<void>(buffers.write(64, 4, "other")); }),
              "other is written where collective 7 is under way");
    buffers.wait(7);
    buffers.read(output);
    static_cast<void>(buffers.write(64, 4, "other"));
}

TEST(Buffers, several_collectives_may_read_a_value) {
    Buffers buffers(64);
    const int sent = buffers.write(0, 32, "sent");
    buffers.start(7, {sent}, {});
    buffers.start(8, {sent}, {});
    buffers.wait(8);
    EXPECT_EQ(failure_of([&] { static_cast<void>(buffers.write(0, 4, "other")); }),
              "other is written where collective 7 is under way");
    buffers.wait(7);
    static_cast<void>(buffers.write(0, 4, "other"));
}

// x = [[1, 2, 3], [4, 5, 6]]: x xT, xT x, and x xT added to itself.
TEST(InterpretSchedule, products) {
    const std::string types = "!x = !plan.tensor<a: 2, k: 3, f32>\n!y = !plan.tensor<b: 2, k: 3, f32>\n"
                              "!ab = !plan.tensor<a: 2, b: 2, f32>\n!z = !plan.tensor<a: 2, l: 3, f32>\n"
                              "!kl = !plan.tensor<k: 3, l: 3, f32>\n";
    const Outcome outcome = run(types + R"(
        func.func @f(%x: !x {plan.input = "x"}) -> (!ab, !kl, !ab) {
            %y = plan.view %x : (!x) -> !y
            %0 = plan.gemm "a k, b k -> a b" (%x, %y) : (!x, !y) -> !ab
            %z = plan.view %x : (!x) -> !z
            %1 = plan.gemm "a k, a l -> k l" (%x, %z) : (!x, !z) -> !kl
            %2 = plan.gemm "a k, b k -> a b" (%x, %y, %0) : (!x, !y, !ab) -> !ab
            return %0, %1, %2 : !ab, !kl, !ab
        })",
                                one_to({2, 3}, 6));
    EXPECT_EQ(outcome.results[0].elements, (std::vector<double>{14, 32, 32, 77}));
    EXPECT_EQ(outcome.results[1].elements, (std::vector<double>{17, 22, 27, 22, 29, 36, 27, 36, 45}));
    EXPECT_EQ(outcome.results[2].elements, (std::vector<double>{28, 64, 64, 154}));
}

TEST(InterpretSchedule, batched_product_and_permutation) {
    const Outcome outcome = run(R"(
        !x = !plan.tensor<n: 2, a: 2, f32>
        !y = !plan.tensor<n: 2, b: 2, f32>
        !nab = !plan.tensor<n: 2, a: 2, b: 2, f32>
        !abn = !plan.tensor<a: 2, b: 2, n: 2, f32>
        func.func @f(%x: !x {plan.input = "x"}) -> !abn {
            %y = plan.view %x : (!x) -> !y
            %0 = plan.gemm "n a, n b -> n a b" (%x, %y) : (!x, !y) -> !nab
            %1 = plan.permute %0 : (!nab) -> !abn
            return %1 : !abn
        })",
                                one_to({2, 2}, 4));
    // n = 0: [[1, 2], [2, 4]]; n = 1: [[9, 12], [12, 16]]
    EXPECT_EQ(outcome.results[0].elements, (std::vector<double>{1, 9, 2, 12, 2, 12, 4, 16}));
}

// Two sums over the halves of x in one call; stages called in turn.
TEST(InterpretSchedule, members_of_a_bucket_travel_in_one_call) {
    const Outcome outcome = run(R"(
        !x = !plan.tensor<a: 3, f32, #plan.layout<a = [p]>>
        !part = !plan.tensor<f32, #plan.layout<partial sum = [p]>>
        !sum = !plan.tensor<f32, #plan.layout<>>
        module attributes {plan.mesh = #plan.mesh<p: 2>} {
            func.func @f(%x: !x {plan.input = "x"}) -> (!sum, !sum) {
                %0:2 = plan.loops outer 1 {
                    %a = plan.reduce "sum"(%x) : (!x) -> !part
                    %s = plan.pointwise "square"(%x) : (!x) -> !x
                    %b = plan.reduce "sum"(%s) : (!x) -> !part
                    plan.yield %a, %b : !part, !part
                } : !part, !part
                %1:2 = plan.start 0 "all_reduce"(%0#0, %0#1) over ["p"] {tensors = ["a", "b"]} : (!part, !part) -> (!sum, !sum)
                plan.progress
                %2:2 = plan.wait 0(%1#0, %1#1) : (!sum, !sum) -> (!sum, !sum)
                return %2#0, %2#1 : !sum, !sum
            }
        })",
                                one_to({3}, 3));
    EXPECT_EQ(outcome.results[0].elements, std::vector<double>{6});
    EXPECT_EQ(outcome.results[1].elements, std::vector<double>{14});
    ASSERT_EQ(outcome.collectives.size(), 1U);
    EXPECT_EQ(outcome.collectives[0].traffic.at(1), (planrt::Traffic{1, 2}));
}

namespace {

/// x -> -x -> -x + x, with the offset of the first result.
std::string placed(const std::string &offset) {
    return R"(
        !x = !plan.tensor<a: 3, f32>
        module attributes {plan.arena_bytes = 256} {
            func.func @f(%x: !x {plan.input = "x", plan.offset = 0}) -> !x {
                %0 = plan.permute %x {offsets = array<i64: )" +
           offset + R"(>} : (!x) -> !x
                %1 = plan.loops outer 1 {
                    %2 = plan.pointwise "add"(%0, %x) : (!x, !x) -> !x
                    plan.yield %2 : !x
                } {offsets = array<i64: 128>} : !x
                return %1 : !x
            }
        })";
}

} // namespace

TEST(InterpretSchedule, a_value_whose_place_is_given_away_too_early_is_refused) {
    EXPECT_EQ(run(placed("64"), one_to({3}, 3)).results[0].elements, (std::vector<double>{2, 4, 6}));
    const std::string text = failure(placed("0"), one_to({3}, 3));
    EXPECT_NE(text.find("input 0 was overwritten by permute\n  at"), std::string::npos) << text;
}

TEST(InterpretSchedule, an_update_in_place_is_the_variable) {
    const auto program = [](const std::string &offset) {
        return R"(
        !w = !plan.tensor<a: 2, f32>
        module attributes {plan.arena_bytes = 128} {
            plan.variable @w : !w = <constant, 0.0, 0.0> {offset = 0}
            func.func @f() -> !w {
                %w = plan.read @w : !w
                %0 = plan.loops outer 1 {
                    %1 = plan.pointwise "neg"(%w) : (!w) -> !w
                    plan.yield %1 : !w
                } {offsets = array<i64: )" +
               offset + R"(>} : !w
                plan.write %0, @w : !w
                return %w : !w
            }
        })";
    };
    Inputs inputs;
    inputs.variables["w"] = {{2}, {1, 2}};
    const std::string text = failure(program("0"), inputs);
    EXPECT_NE(text.find("variable 'w' was overwritten by loops"), std::string::npos) << text;
    const std::string copied = failure(program("64"), inputs);
    EXPECT_NE(copied.find("variable 'w' was overwritten by variable 'w'"), std::string::npos) << copied;
}

} // namespace planc::interpret

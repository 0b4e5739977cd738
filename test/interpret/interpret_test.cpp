// The interpreter does what layouts say, and refuses what they must not say.
#include "interpret/interpret.h"

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace planc::interpret {

namespace {

/// Two axes, p of 2 ranks and q of 3; `types` are aliases that the body uses.
class Program {
  public:
    explicit Program(const std::string &functions, const std::string &variables = "") {
        context_.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
        const std::string text =
            aliases + "module attributes {plan.mesh = #plan.mesh<p: 2, q: 3>} {\n" + variables + functions + "}\n";
        module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
        if (!module_)
            throw std::runtime_error("no module:\n" + text);
    }

    Outcome run(const Inputs &inputs) { return interpret::run(*module_, "f", inputs); }

    std::string failure(const Inputs &inputs) {
        try {
            static_cast<void>(run(inputs));
        } catch (const Failure &failed) {
            return failed.what();
        }
        return "";
    }

  private:
    static inline const std::string aliases = R"(
!whole = !plan.tensor<a: 5, b: 4, f32, #plan.layout<>>
!by_p = !plan.tensor<a: 5, b: 4, f32, #plan.layout<a = [p]>>
!by_pq = !plan.tensor<a: 5, b: 4, f32, #plan.layout<a = [p, q]>>
!by_q_b = !plan.tensor<a: 5, b: 4, f32, #plan.layout<b = [q]>>
!p_and_q = !plan.tensor<a: 5, b: 4, f32, #plan.layout<a = [p], b = [q]>>
!column = !plan.tensor<a: 5, f32, #plan.layout<>>
!column_by_p = !plan.tensor<a: 5, f32, #plan.layout<a = [p]>>
!column_partial = !plan.tensor<a: 5, f32, #plan.layout<partial sum = [q]>>
!column_by_q = !plan.tensor<a: 5, f32, #plan.layout<a = [q]>>
!column_max = !plan.tensor<a: 5, f32, #plan.layout<partial max = [q]>>
)";
    mlir::MLIRContext context_;
    mlir::OwningOpRef<mlir::ModuleOp> module_;
};

Inputs counting() {
    Inputs inputs;
    Array &x = inputs.fields["x"] = {{5, 4}, {}};
    for (int i = 0; i < 20; ++i)
        x.elements.push_back(i);
    return inputs;
}

std::string collective(const std::string &kind, const std::string &axes, const std::string &from,
                       const std::string &to) {
    return "func.func @f(%x: " + from + " {plan.input = \"x\"}) -> " + to + " {\n  %0 = plan.collective \"" + kind +
           "\" %x over [" + axes + "] : " + from + " -> " + to + "\n  return %0 : " + to + "\n}\n";
}

} // namespace

// Whatever moves, the whole tensor is the same: uneven blocks over one axis, over two, over a dimension each.
TEST(Interpret, reshards_keep_the_tensor) {
    const std::vector<std::array<std::string, 4>> cases{{"slice", "", "!whole", "!by_pq"},
                                                        {"all_gather", "\"p\", \"q\"", "!by_pq", "!whole"},
                                                        {"all_gather", "\"q\"", "!p_and_q", "!by_p"},
                                                        {"all_to_all", "\"q\"", "!by_pq", "!p_and_q"},
                                                        {"exchange", "\"p\", \"q\"", "!by_p", "!by_q_b"},
                                                        {"exchange", "\"p\", \"q\"", "!by_q_b", "!by_pq"}};
    for (const auto &[kind, axes, from, to] : cases) {
        SCOPED_TRACE(kind + " " + from + " " + to);
        const Outcome outcome = Program(collective(kind, axes, from, to)).run(counting());
        EXPECT_EQ(outcome.results[0].elements, counting().fields["x"].elements);
        EXPECT_EQ(outcome.collectives.at(0).kind, kind);
    }
}

TEST(Interpret, partial_sums_are_combined) {
    for (const std::string end : {"\"all_reduce\" %0 over [\"q\"] : !column_partial -> !column",
                                  "\"reduce_scatter\" %0 over [\"q\"] : !column_partial -> !column_by_q"}) {
        const std::string type = end.substr(end.find("-> ") + 3);
        Program program("func.func @f(%x: !by_q_b {plan.input = \"x\"}) -> " + type +
                        " {\n %0 = plan.reduce \"sum\"(%x) : (!by_q_b) -> !column_partial\n %1 = plan.collective " +
                        end + "\n return %1 : " + type + "\n}\n");
        const Outcome outcome = program.run(counting());
        EXPECT_EQ(outcome.results[0].elements, (std::vector<double>{6, 22, 38, 54, 70}));
        EXPECT_EQ(outcome.collectives.at(0).traffic.at(0).elements, 5);
    }
}

TEST(Interpret, partial_maxima_are_combined) {
    Program program(R"(func.func @f(%x: !by_q_b {plan.input = "x"}) -> !column {
        %0 = plan.reduce "max"(%x) : (!by_q_b) -> !column_max
        %1 = plan.collective "all_reduce" %0 over ["q"] : !column_max -> !column
        return %1 : !column
    })");
    EXPECT_EQ(program.run(counting()).results[0].elements, (std::vector<double>{3, 7, 11, 15, 19}));
}

TEST(Interpret, iota_counts_globally) {
    Program program(R"(func.func @f() -> !column_by_q {
        %0 = plan.iota : !column_by_q
        return %0 : !column_by_q
    })");
    EXPECT_EQ(program.run({}).results[0].elements, (std::vector<double>{0, 1, 2, 3, 4}));
}

TEST(Interpret, a_partial_sum_that_is_called_replicated_is_refused) {
    Program program(R"(func.func @f(%x: !by_q_b {plan.input = "x"}) -> !column {
        %0 = plan.reduce "sum"(%x) : (!by_q_b) -> !column
        return %0 : !column
    })");
    const std::string failure = program.failure(counting());
    EXPECT_NE(failure.find("replicas differ on ranks 0 and 1\n  at"), std::string::npos) << failure;
    EXPECT_NE(failure.find("plan.reduce"), std::string::npos) << failure;
}

TEST(Interpret, loops_that_run_over_two_ranges_are_refused) {
    Program program(R"(func.func @f(%x: !by_p {plan.input = "x"}) -> !whole {
        %0 = plan.pointwise "neg"(%x) : (!by_p) -> !whole
        return %0 : !whole
    })");
    const std::string failure = program.failure(counting());
    EXPECT_NE(failure.find("loop 'a' runs over [0, 3) for one tensor and over [0, 5) for another"), std::string::npos)
        << failure;
}

TEST(Interpret, a_collective_over_the_wrong_group_is_refused) {
    Program program(collective("all_gather", "\"p\"", "!by_pq", "!whole"));
    const std::string failure = program.failure(counting());
    EXPECT_NE(failure.find("rank 0 does not get all of its part"), std::string::npos) << failure;
}

TEST(Interpret, a_slice_of_what_is_elsewhere_is_refused) {
    Program program(collective("slice", "", "!by_p", "!by_q_b"));
    const std::string failure = program.failure(counting());
    EXPECT_NE(failure.find("is to send elements that it does not have"), std::string::npos) << failure;
}

TEST(Interpret, a_partial_sum_may_not_leave) {
    Program program(R"(func.func @f(%x: !by_q_b {plan.input = "x"}) -> !column_partial {
        %0 = plan.reduce "sum"(%x) : (!by_q_b) -> !column_partial
        return %0 : !column_partial
    })");
    const std::string failure = program.failure(counting());
    EXPECT_NE(failure.find("a partial result leaves the program"), std::string::npos) << failure;
}

TEST(Interpret, variables_are_read_and_written_where_they_lie) {
    const std::string variable = "plan.variable @w : !column_by_p = <constant, 0.0, 0.0>\n";
    const auto body = [](const std::string &type) {
        return "func.func @f() {\n %w = plan.read @w : " + type + "\n %0 = plan.pointwise \"square\"(%w) : (" + type +
               ") -> " + type + "\n plan.write %0, @w : " + type + "\n return\n}\n";
    };
    Inputs inputs;
    inputs.variables["w"] = {{5}, {1, 2, 3, 4, 5}};
    const Outcome outcome = Program(body("!column_by_p"), variable).run(inputs);
    EXPECT_EQ(outcome.variables.at("w").elements, (std::vector<double>{1, 4, 9, 16, 25}));

    const std::string failure = Program(body("!column"), variable).failure(inputs);
    EXPECT_NE(failure.find("the value does not lie as the variable does"), std::string::npos) << failure;
    const std::string missing = Program(body("!column_by_p"), variable).failure({});
    EXPECT_NE(missing.find("variable 'w' has no value"), std::string::npos) << missing;
}

TEST(Interpret, inputs_are_checked) {
    Program program(collective("slice", "", "!whole", "!by_p"));
    Inputs inputs = counting();
    inputs.fields["x"].extents = {4, 5};
    EXPECT_NE(program.failure(inputs).find("input 'x' is not of the declared shape"), std::string::npos);
    EXPECT_NE(program.failure({}).find("argument 0 has no value"), std::string::npos);
}

} // namespace planc::interpret

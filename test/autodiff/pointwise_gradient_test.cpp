// Gradients of every pointwise function, with operands that lack dimensions.
#include "loss_function.h"

#include "autodiff/pointwise_gradients.h"
#include "ir/pointwise.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::test {

namespace {

// Without a derivative, or with none of their own by design.
const std::vector<std::string> constant_functions{"equal",      "not_equal", "greater",    "greater_equal", "less",
                                                  "less_equal", "floor",     "gelu_slope", "stop_gradient", "modulo"};

bool needs_positive(const std::string &function) {
    static const std::vector<std::string> functions{"log", "sqrt", "rsqrt", "power", "reciprocal", "div"};
    return std::find(functions.begin(), functions.end(), function) != functions.end();
}

Dimensions some_of(const Dimensions &all, std::mt19937 &random) {
    Dimensions kept = all;
    std::bernoulli_distribution keep(0.6);
    std::erase_if(kept, [&](const Dimension &) { return !keep(random); });
    std::shuffle(kept.begin(), kept.end(), random);
    return kept;
}

} // namespace

TEST(PointwiseGradient, every_function) {
    for (const ir::PointwiseFunction &entry : ir::pointwise_functions()) {
        const std::string name(entry.name);
        if (std::find(constant_functions.begin(), constant_functions.end(), name) != constant_functions.end())
            continue;
        for (unsigned seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(name + ", seed " + std::to_string(seed));
            std::mt19937 random(seed);
            const Dimensions result{{"a", 2}, {"b", 3}, {"c", 2}};
            LossFunction function;
            std::vector<std::string> operands;
            for (int i = 0; i < entry.operands; ++i)
                operands.push_back(function.variable("x" + std::to_string(i), some_of(result, random)));
            if (name == "select")
                operands[0] = function.pointwise("greater", {operands[0], function.constant(0)}, result);
            const std::string loss = function.weighted_sum(function.pointwise(name, operands, result));
            const double low = needs_positive(name) ? 0.5 : -2;
            expect_gradients(function.text(loss, loss), random_inputs(function, low, 2, random));
            if (HasFatalFailure())
                return;
        }
    }
}

TEST(PointwiseGradient, functions_without_a_derivative_are_those) {
    for (const ir::PointwiseFunction &entry : ir::pointwise_functions()) {
        bool any = false;
        for (int operand = 0; operand < entry.operands; ++operand)
            any |= autodiff::has_derivative({entry.name.data(), entry.name.size()}, static_cast<unsigned>(operand));
        const bool constant =
            std::find(constant_functions.begin(), constant_functions.end(), entry.name) != constant_functions.end();
        EXPECT_NE(any, constant) << entry.name;
    }
}

// The result of a broadcast, summed: the gradient lacks dimensions, and each repetition counts.
TEST(PointwiseGradient, summed_broadcasts) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const Dimensions all{{"a", 2}, {"b", 3}, {"c", 2}};
        LossFunction function;
        const std::string x = function.variable("x", some_of(all, random));
        const std::string y = function.variable("y", some_of(all, random));
        const std::string sum = function.pointwise("add", {x, y}, all);
        const std::string part = function.reduce("sum", sum, {{"b", 3}});
        const std::string loss = function.reduce("sum", function.pointwise("square", {part}, {{"b", 3}}), {});
        expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
        if (HasFatalFailure())
            return;
    }
}

TEST(PointwiseGradient, power_of_zero) {
    LossFunction function;
    const std::string x = function.variable("x", {{"a", 3}});
    const std::string y = function.variable("y", {{"a", 3}});
    const std::string loss = function.reduce("sum", function.pointwise("power", {x, y}, {{"a", 3}}), {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs inputs;
    inputs.variables["x"] = {{3}, {0, 0, 2}};
    inputs.variables["y"] = {{3}, {2, 0, 0}};
    const auto after = interpret::run(*module, "train", inputs).variables;
    EXPECT_EQ(after.at("x").elements, (std::vector<double>{0, 0, 2}));
    EXPECT_EQ(after.at("y").elements, (std::vector<double>{2, 0, -std::log(2.0)}));
}

TEST(PointwiseGradient, ties_of_maximum_share) {
    LossFunction function;
    const std::string x = function.variable("x", {{"a", 3}});
    const std::string y = function.variable("y", {{"a", 3}});
    const std::string loss = function.reduce("sum", function.pointwise("maximum", {x, y}, {{"a", 3}}), {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs inputs;
    inputs.variables["x"] = {{3}, {1, 2, 3}};
    inputs.variables["y"] = {{3}, {2, 2, 2}};
    const auto after = interpret::run(*module, "train", inputs).variables;
    EXPECT_EQ(after.at("x").elements, (std::vector<double>{1, 1.5, 2}));
    EXPECT_EQ(after.at("y").elements, (std::vector<double>{1, 1.5, 2}));
}

} // namespace planc::test

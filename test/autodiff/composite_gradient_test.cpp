// Gradients of reductions, softmax, losses, and of networks with forks and tied weights.
#include "loss_function.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::test {

namespace {

void expect_gradients_of(const LossFunction &function, const std::string &loss, unsigned seed) {
    std::mt19937 random(seed);
    interpret::Inputs inputs = random_inputs(function, -2, 2, random);
    if (const auto labels = inputs.fields.find("label"); labels != inputs.fields.end())
        for (double &label : labels->second.elements)
            label = std::uniform_int_distribution(0, 3)(random);
    expect_gradients(function.text(loss, loss), inputs);
}

const Dimensions cube{{"a", 2}, {"b", 4}, {"c", 3}};

} // namespace

TEST(ReduceGradient, all_reductions) {
    const std::vector<Dimensions> results{{}, {{"b", 4}}, {{"c", 3}, {"a", 2}}, cube};
    for (const std::string kind :
         {"plan.reduce \"sum\"(", "plan.reduce \"max\"(", "plan.reduce \"min\"(", "plan.mean "})
        for (const Dimensions &result : results) {
            LossFunction function;
            const std::string x = function.variable("x", cube);
            const std::string y = function.operation(kind, {x}, kind.back() == '(' ? ")" : "", result);
            expect_gradients_of(function, function.weighted_sum(y), 3);
        }
}

TEST(ReduceGradient, ties_share_evenly) {
    LossFunction function;
    const std::string loss = function.reduce("max", function.variable("x", {{"a", 4}}), {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs inputs;
    inputs.variables["x"] = {{4}, {5, 1, 5, 2}};
    const auto after = interpret::run(*module, "train", inputs).variables;
    EXPECT_EQ(after.at("x").elements, (std::vector<double>{4.5, 1, 4.5, 2}));
}

TEST(CompositeGradient, softmax) {
    for (const std::string tail : {"over \"a\"", "over \"b\"", "over \"c\" log"}) {
        LossFunction function;
        const std::string x = function.variable("x", cube);
        expect_gradients_of(function, function.weighted_sum(function.operation("plan.softmax ", {x}, tail, cube)), 5);
    }
}

TEST(CompositeGradient, softmax_does_not_overflow) {
    LossFunction function;
    const std::string y =
        function.operation("plan.softmax ", {function.variable("x", {{"a", 3}})}, "over \"a\" log", {{"a", 3}});
    const std::string loss = function.reduce("sum", y, {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs inputs;
    inputs.variables["x"] = {{3}, {1e4, 1e4, 1e4}};
    EXPECT_NEAR(interpret::run(*module, "train", inputs).results[0].elements[0], -3 * std::log(3.0), 1e-12);
}

TEST(CompositeGradient, cross_entropy) {
    for (const bool with_position : {false, true}) {
        Dimensions samples{{"batch", 3}};
        if (with_position)
            samples.push_back({"position", 2});
        Dimensions logits = samples;
        logits.insert(logits.begin() + 1, {"class", 4});
        LossFunction function;
        const std::string x = function.variable("x", logits);
        const std::string label = function.input("label", samples, "i32");
        const std::string scaled = function.pointwise("mul", {x, function.constant(3)}, logits);
        const std::string loss = function.operation("plan.cross_entropy ", {scaled, label}, "over \"class\"", {});
        expect_gradients_of(function, loss, 7);
    }
}

TEST(CompositeGradient, mean_square_error) {
    LossFunction function;
    const std::string x = function.variable("x", {{"a", 2}, {"b", 3}});
    const std::string y = function.variable("y", {{"b", 3}, {"a", 2}});
    expect_gradients_of(function, function.operation("plan.mean_square_error ", {x, y}, "", {}), 9);
}

// A residual unit whose weight is used twice, under a loss of two parts.
TEST(CompositeGradient, forks_and_tied_weights) {
    const Dimensions activation{{"batch", 3}, {"hidden", 4}};
    LossFunction function;
    const std::string x = function.input("x", activation);
    const std::string w = function.variable("w", {{"hidden'", 4}, {"hidden", 4}});
    const std::string b = function.variable("b", {{"hidden", 4}});
    const auto dense = [&](const std::string &from) {
        const std::string y = function.einsum("batch hidden', hidden' hidden -> batch hidden", {from, w}, activation);
        return function.pointwise("tanh", {function.pointwise("add", {y, b}, activation)}, activation);
    };
    const std::string first = dense(x);
    const std::string second = function.pointwise("add", {dense(first), first}, activation);
    const std::string decay =
        function.reduce("sum", function.pointwise("square", {w}, {{"hidden'", 4}, {"hidden", 4}}), {});
    const std::string data = function.weighted_sum(function.pointwise("mul", {second, first}, activation));
    expect_gradients_of(function, function.pointwise("add", {data, decay}, {}), 11);
}

TEST(CompositeGradient, stop_gradient_stops) {
    LossFunction function;
    const std::string x = function.variable("x", {{"a", 3}});
    const std::string y = function.variable("y", {{"a", 3}});
    const std::string fixed = function.pointwise("stop_gradient", {x}, {{"a", 3}});
    const std::string loss = function.reduce("sum", function.pointwise("mul", {fixed, y}, {{"a", 3}}), {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs inputs;
    inputs.variables["x"] = {{3}, {1, 2, 3}};
    inputs.variables["y"] = {{3}, {1, 1, 1}};
    const auto after = interpret::run(*module, "train", inputs).variables;
    EXPECT_EQ(after.at("x").elements, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(after.at("y").elements, (std::vector<double>{0, -1, -2}));
}

} // namespace planc::test

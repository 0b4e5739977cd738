// The optimizers against their formulas, over several steps.
#include "loss_function.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::test {

namespace {

/// loss = sum of x² / 2, whose gradient is x.
std::string half_square(const std::string &optimizer) {
    LossFunction function;
    function.optimizer = optimizer;
    const std::string x = function.variable("x", {{"a", 2}});
    const std::string sum = function.reduce("sum", function.pointwise("square", {x}, {{"a", 2}}), {});
    const std::string loss = function.pointwise("mul", {sum, function.constant(0.5)}, {});
    return function.text(loss, loss);
}

std::vector<double> train(const std::string &text, int steps, interpret::Inputs inputs) {
    mlir::MLIRContext context;
    auto module = derive(text, context);
    for (int step = 0; step < steps; ++step) {
        inputs.step = step;
        inputs.variables = interpret::run(*module, "train", inputs).variables;
    }
    return inputs.variables.at("x").elements;
}

} // namespace

TEST(Update, sgd) {
    interpret::Inputs inputs;
    inputs.variables["x"] = {{2}, {1, -3}};
    const auto x = train(half_square(R"({kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.5})"), 3, inputs);
    EXPECT_NEAR(x[0], std::pow(1 - 0.1 * 1.5, 3), 1e-14);
    EXPECT_NEAR(x[1], -3 * std::pow(1 - 0.1 * 1.5, 3), 1e-14);
}

TEST(Update, momentum) {
    interpret::Inputs inputs;
    inputs.variables["x"] = {{2}, {1, -3}};
    inputs.variables["x.momentum"] = {{2}, {0, 0}};
    const auto x = train(half_square(R"({kind = "sgd", rate = 0.1, momentum = 0.9, weight_decay = 0.01})"), 4, inputs);
    for (int i = 0; i < 2; ++i) {
        double w = i == 0 ? 1 : -3;
        double v = 0;
        for (int step = 0; step < 4; ++step) {
            v = 0.9 * v + (w + 0.01 * w);
            w -= 0.1 * v;
        }
        EXPECT_NEAR(x[static_cast<std::size_t>(i)], w, 1e-14);
    }
}

TEST(Update, adam) {
    interpret::Inputs inputs;
    inputs.variables["x"] = {{2}, {1, -3}};
    inputs.variables["x.first_moment"] = inputs.variables["x.second_moment"] = {{2}, {0, 0}};
    const auto x = train(half_square(R"({kind = "adam", rate = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1.0e-8,
                                         weight_decay = 0.01})"),
                         4, inputs);
    for (int i = 0; i < 2; ++i) {
        double w = i == 0 ? 1 : -3;
        double m = 0;
        double v = 0;
        for (int t = 1; t <= 4; ++t) {
            const double g = w + 0.01 * w;
            m = 0.9 * m + 0.1 * g;
            v = 0.99 * v + 0.01 * g * g;
            w -= 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.99, t))) + 1e-8);
        }
        EXPECT_NEAR(x[static_cast<std::size_t>(i)], w, 1e-12);
    }
}

} // namespace planc::test

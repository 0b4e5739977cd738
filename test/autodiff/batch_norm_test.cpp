// Batch normalisation: gradients, statistics, and what evaluation and micro-batches make of it.
#include "loss_function.h"

#include "interpret/whole_batch.h"
#include "spmd/accumulators.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::test {

namespace {

const Dimensions shape{{"batch", 6}, {"height", 2}, {"channel", 3}};
const Dimensions channels{{"channel", 3}};

/// The square of batch_norm(data · w), times weights.
std::string normalised(LossFunction &function, const Dimensions &statistics) {
    const std::string data = function.input("data", shape);
    const std::string w = function.variable("w", {{"height", 2}, {"channel", 3}});
    const std::vector<std::string> operands{function.pointwise("mul", {data, w}, shape),
                                            function.variable("scale", statistics), function.variable("b", statistics),
                                            function.statistic("mean", statistics),
                                            function.statistic("variance", statistics)};
    return function.batch_norm(operands, 0.01, 0.25, shape);
}

interpret::Inputs inputs_for(const LossFunction &function, unsigned seed) {
    std::mt19937 random(seed);
    interpret::Inputs inputs = random_inputs(function, -1, 1, random);
    for (double &element : inputs.variables.at("variance").elements)
        element = std::abs(element) + 0.5;
    return inputs;
}

/// x = data · w of one channel.
std::vector<double> values(const interpret::Inputs &inputs, std::size_t channel, std::size_t first,
                           std::size_t samples) {
    std::vector<double> result;
    for (std::size_t i = first * 6 + channel; i < (first + samples) * 6; i += 3)
        result.push_back(inputs.fields.at("data").elements[i] * inputs.variables.at("w").elements[i % 6]);
    return result;
}

struct Moments {
    double mean = 0;
    double unbiased = 0; ///< variance
};

Moments moments(const std::vector<double> &x) {
    Moments result;
    for (const double value : x)
        result.mean += value / static_cast<double>(x.size());
    for (const double value : x)
        result.unbiased += (value - result.mean) * (value - result.mean) / static_cast<double>(x.size() - 1);
    return result;
}

} // namespace

TEST(BatchNorm, gradients_flow_through_the_statistics) {
    for (const Dimensions &statistics :
         {channels, Dimensions{{"height", 2}}, Dimensions{{"channel", 3}, {"height", 2}}}) {
        LossFunction function;
        const std::string y = normalised(function, statistics);
        const std::string loss = function.weighted_sum(function.pointwise("square", {y}, shape));
        expect_gradients(function.text(loss, loss), inputs_for(function, 3));
    }
}

TEST(BatchNorm, training_moves_the_running_statistics_which_prediction_takes) {
    LossFunction function;
    const std::string y = normalised(function, channels);
    const std::string loss = function.weighted_sum(y);
    const interpret::Inputs inputs = inputs_for(function, 5);
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, y), context);
    const auto after = interpret::run(*module, "train", inputs).variables;
    const std::vector<double> predicted = interpret::run(*module, "predict", inputs).results[0].elements;
    for (std::size_t c = 0; c < 3; ++c) {
        const double mean = inputs.variables.at("mean").elements[c];
        const double variance = inputs.variables.at("variance").elements[c];
        const std::vector<double> x = values(inputs, c, 0, 6);
        EXPECT_NEAR(after.at("mean").elements[c], 0.75 * mean + 0.25 * moments(x).mean, 1e-12);
        EXPECT_NEAR(after.at("variance").elements[c], 0.75 * variance + 0.25 * moments(x).unbiased, 1e-12);
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(predicted[3 * i + c],
                        (x[i] - mean) / std::sqrt(variance + 0.01) * inputs.variables.at("scale").elements[c] +
                            inputs.variables.at("b").elements[c],
                        1e-12);
    }
}

// Two micro-batches are two batches: statistics of their own, running ones moved twice, gradients added.
TEST(BatchNorm, micro_batches_have_statistics_of_their_own) {
    LossFunction function;
    const std::string y = normalised(function, channels);
    const std::string loss = function.weighted_sum(function.pointwise("square", {y}, shape));
    const interpret::Inputs inputs = inputs_for(function, 7);
    mlir::MLIRContext context;
    auto module =
        derive("module attributes {plan.microbatches = 2 : i64} {\n" + function.text(loss, y) + "\n}", context);
    ASSERT_TRUE(succeeded(spmd::expand_accumulates(*module)));
    const interpret::Outcome outcome = interpret::run_train_step(*module, inputs);
    for (std::size_t c = 0; c < 3; ++c) {
        Moments running{inputs.variables.at("mean").elements[c], inputs.variables.at("variance").elements[c]};
        for (const std::size_t first : {0U, 3U}) {
            const Moments part = moments(values(inputs, c, first, 3));
            running = {0.75 * running.mean + 0.25 * part.mean, 0.75 * running.unbiased + 0.25 * part.unbiased};
        }
        EXPECT_NEAR(outcome.variables.at("mean").elements[c], running.mean, 1e-12);
        EXPECT_NEAR(outcome.variables.at("variance").elements[c], running.unbiased, 1e-12);
    }
    // d loss / d b by differences of the loss of both parts.
    const auto loss_at = [&](double b) {
        interpret::Inputs moved = inputs;
        moved.variables.at("b").elements[1] = b;
        return interpret::run_train_step(*module, moved).results[0].elements[0];
    };
    const double b = inputs.variables.at("b").elements[1];
    EXPECT_NEAR(b - outcome.variables.at("b").elements[1], (loss_at(b + 1e-5) - loss_at(b - 1e-5)) / 2e-5, 1e-7);
}

} // namespace planc::test

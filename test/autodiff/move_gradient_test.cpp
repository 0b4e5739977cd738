// Gradients of what moves elements (slice, pad, concat, reshape, embedding) and of dropout, with gradients that lack
// dimensions and operands in other orders.
#include "loss_function.h"

#include "interpret/interpret.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace planc::test {

namespace {

using Build = std::string (*)(LossFunction &function);

/// Whole numbers in [0, count): indices.
interpret::Array indices(std::vector<std::int64_t> extents, int count, std::mt19937 &random) {
    interpret::Array array{std::move(extents), {}};
    const std::int64_t elements =
        std::accumulate(array.extents.begin(), array.extents.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t i = 0; i < elements; ++i)
        array.elements.push_back(std::uniform_int_distribution(0, count - 1)(random));
    return array;
}

/// The gradient of the result's weighted sum, of the weighted sum of its sums over each dimension, and of its plain
/// sum.
void check(const std::string &what, const Dimensions &result, Build build) {
    SCOPED_TRACE(what);
    for (std::size_t without = 0; without <= result.size() + 1; ++without) {
        std::mt19937 random(static_cast<unsigned>(without));
        LossFunction function;
        std::string value = build(function);
        Dimensions kept = result;
        if (without < result.size())
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(without));
        if (without == result.size() + 1)
            kept.clear();
        if (kept.size() < result.size())
            value = function.reduce("sum", value, kept);
        const std::string square = function.pointwise("square", {value}, kept);
        const std::string loss = function.weighted_sum(square);
        interpret::Inputs inputs = random_inputs(function, -1, 1, random);
        for (auto &[name, array] : inputs.fields)
            if (name == "indices")
                array = indices(array.extents, 4, random);
        expect_gradients(function.text(loss, loss), inputs);
    }
}

} // namespace

TEST(MoveGradient, slice) {
    check("slice", {{"a", 2}, {"b", 2}}, [](LossFunction &f) {
        return f.operation("plan.slice ", {f.variable("x", {{"a", 2}, {"b", 5}})}, "over \"b\" from 2",
                           {{"a", 2}, {"b", 2}});
    });
}

TEST(MoveGradient, pad) {
    check("pad", {{"a", 6}, {"b", 2}}, [](LossFunction &f) {
        return f.operation("plan.pad ", {f.variable("x", {{"a", 3}, {"b", 2}})}, "over \"a\" before 2",
                           {{"a", 6}, {"b", 2}});
    });
}

TEST(MoveGradient, concat) {
    check("concat", {{"a", 6}, {"b", 2}}, [](LossFunction &f) {
        const std::string x = f.variable("x", {{"a", 3}, {"b", 2}});
        const std::string y = f.variable("y", {{"a", 1}, {"b", 2}});
        const std::string z = f.pointwise("mul", {y, y}, {{"a", 1}, {"b", 2}});
        return f.operation("plan.concat ", {x, y, z, y}, "over \"a\"", {{"a", 6}, {"b", 2}});
    });
}

TEST(MoveGradient, reshape) {
    check("reshape", {{"a", 2}, {"d", 3}, {"e", 2}, {"c", 2}}, [](LossFunction &f) {
        return f.operation("plan.reshape ", {f.variable("x", {{"a", 2}, {"b", 6}, {"c", 2}})}, "",
                           {{"a", 2}, {"d", 3}, {"e", 2}, {"c", 2}});
    });
}

TEST(MoveGradient, embedding) {
    check("embedding", {{"a", 3}, {"b", 2}, {"m", 2}}, [](LossFunction &f) {
        const std::string at = f.input("indices", {{"a", 3}, {"b", 2}}, "i32");
        return f.operation("plan.embedding ", {at, f.variable("table", {{"m", 2}, {"v", 4}})}, "over \"v\"",
                           {{"a", 3}, {"b", 2}, {"m", 2}});
    });
}

// Positions are looked up by position.
TEST(MoveGradient, embedding_by_its_own_dimension) {
    check("embedding", {{"v", 3}, {"m", 2}}, [](LossFunction &f) {
        const std::string at = f.input("indices", {{"v", 3}}, "i32");
        return f.operation("plan.embedding ", {at, f.variable("table", {{"v", 4}, {"m", 2}})}, "over \"v\"",
                           {{"v", 3}, {"m", 2}});
    });
}

// The operand's gradient comes from a sum whose dimensions stand in another order.
TEST(MoveGradient, of_permuted_gradients) {
    check("permuted", {{"b", 2}, {"a", 2}}, [](LossFunction &f) {
        const std::string x = f.variable("x", {{"a", 2}, {"b", 5}});
        const std::string part = f.operation("plan.slice ", {x}, "over \"b\" from 1", {{"a", 2}, {"b", 2}});
        const std::string y = f.variable("y", {{"b", 2}, {"a", 2}});
        return f.pointwise("mul", {part, y}, {{"b", 2}, {"a", 2}});
    });
}

// A condition passes no gradient, however it was made.
TEST(MoveGradient, comparisons_pass_none) {
    check("select", {{"a", 3}}, [](LossFunction &f) {
        const std::string x = f.variable("x", {{"a", 3}});
        const std::string y = f.variable("y", {{"a", 3}});
        const std::string less = f.pointwise("less", {x, y}, {{"a", 3}});
        return f.pointwise("select", {less, f.pointwise("square", {x}, {{"a", 3}}), y}, {{"a", 3}});
    });
}

TEST(Dropout, keeps_the_mean_and_uses_one_mask_both_ways) {
    LossFunction function;
    const std::string data = function.input("data", {{"batch", 50}});
    const std::string x = function.variable("x", {{"m", 40}});
    const Dimensions shape{{"m", 40}, {"batch", 50}};
    const std::string dropped = function.operation("plan.dropout ", {function.pointwise("mul", {x, data}, shape)},
                                                   "rate 0.25 key \"one.dropout\"", shape);
    const std::string loss = function.reduce("sum", dropped, {});
    interpret::Inputs inputs;
    inputs.fields["data"] = {{50}, std::vector<double>(50, 1)};
    inputs.variables["x"] = {{40}, std::vector<double>(40, 1)};
    inputs.seed = 7;

    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    const auto run = [&] { return interpret::run(*module, "train", inputs); };
    const double kept = run().results[0].elements[0] * 0.75;
    EXPECT_NEAR(kept, std::round(kept), 1e-9);
    EXPECT_NEAR(kept / 2000, 0.75, 0.03);
    const std::vector<double> updated = run().variables.at("x").elements;
    double gradients = 0;
    for (const double after : updated)
        gradients += 1 - after; // the optimizer's rate is 1
    EXPECT_NEAR(gradients * 0.75, kept, 1e-9);
    inputs.step = 1;
    EXPECT_NE(run().results[0].elements[0] * 0.75, kept);
    inputs.step = 0;
    inputs.seed = 8;
    EXPECT_NE(run().results[0].elements[0] * 0.75, kept);
    // Prediction keeps everything.
    EXPECT_EQ(interpret::run(*module, "predict", inputs).results[0].elements[0], 2000);
}

// Samples count from the first one of the micro-batch.
TEST(Dropout, micro_batches_have_the_mask_of_the_whole_batch) {
    const auto values = [](std::int64_t batch, std::int64_t first) {
        LossFunction function;
        const Dimensions shape{{"batch", batch}, {"m", 3}};
        const std::string data = function.input("data", shape);
        const std::string noise = function.operation("plan.dropout ", {data}, "rate 0.5 key \"one.dropout\"", shape);
        const std::string x = function.variable("x", shape);
        const std::string loss = function.reduce("sum", function.pointwise("mul", {noise, x}, shape), {});
        interpret::Inputs inputs;
        const std::vector<double> ones(static_cast<std::size_t>(batch) * 3, 1);
        inputs.fields["data"] = inputs.variables["x"] = {{batch, 3}, ones};
        inputs.first_sample = first;
        mlir::MLIRContext context;
        auto module = derive(function.text(loss, loss), context);
        return interpret::run(*module, "train", inputs).variables.at("x").elements;
    };
    std::vector<double> parts = values(3, 0);
    const std::vector<double> rest = values(4, 3);
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(values(7, 0), parts);
}

} // namespace planc::test

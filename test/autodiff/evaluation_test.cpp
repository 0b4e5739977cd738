// Evaluation counts valid samples only, ties go to the first class; prediction is the network alone.
#include "loss_function.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::test {

namespace {

const Dimensions logits{{"batch", 4}, {"class", 3}};

/// Cross-entropy of logits x + b, or their mean-square error against a target.
std::string classifier(bool mean_square_error) {
    LossFunction function;
    const std::string x = function.input("x", logits);
    const std::string b = function.variable("b", {{"class", 3}});
    const std::string y = function.pointwise("add", {x, b}, logits);
    if (mean_square_error) {
        const std::string target = function.input("target", logits);
        return function.text(function.operation("plan.mean_square_error ", {y, target}, "", {}), y);
    }
    function.attributes = R"(plan.label = 1, plan.class = "class", )";
    const std::string label = function.input("label", {{"batch", 4}}, "i32");
    return function.text(function.operation("plan.cross_entropy ", {y, label}, "over \"class\"", {}), y);
}

interpret::Inputs inputs() {
    interpret::Inputs result;
    result.variables["b"] = {{3}, {0, 0, 0}};
    result.fields["x"] = {{4, 3}, {1, 5, 2, /**/ 4, 4, 0, /**/ 7, 7, 7, /**/ 0, 1, 9}};
    result.fields["label"] = {{4}, {1, 1, 0, 2}}; // right, wrong (the first of equals is 0), right, right
    result.fields["valid"] = {{4}, {1, 1, 1, 0}};
    return result;
}

std::vector<std::string> result_names(mlir::ModuleOp module) {
    std::vector<std::string> names;
    for (mlir::Attribute name :
         module.lookupSymbol<mlir::func::FuncOp>("evaluate")->getAttrOfType<mlir::ArrayAttr>("plan.results"))
        names.push_back(mlir::cast<mlir::StringAttr>(name).str());
    return names;
}

} // namespace

TEST(Evaluation, classification) {
    mlir::MLIRContext context;
    auto module = derive(classifier(false), context);
    EXPECT_EQ(result_names(*module), (std::vector<std::string>{"loss", "correct"}));
    const auto results = interpret::run(*module, "evaluate", inputs()).results;
    const double expected = std::log(std::exp(-4) + 1 + std::exp(-3)) + std::log(2 + std::exp(-4)) + std::log(3.0);
    EXPECT_NEAR(results[0].elements[0], expected, 1e-12);
    EXPECT_EQ(results[1].elements[0], 2);
}

TEST(Evaluation, ignored_and_weighted_labels) {
    LossFunction function;
    const std::string x = function.input("x", logits);
    const std::string b = function.variable("b", {{"class", 3}});
    const std::string y = function.pointwise("add", {x, b}, logits);
    function.attributes = R"(plan.label = 1, plan.class = "class", plan.ignored = 0, )";
    const std::string label = function.input("label", {{"batch", 4}}, "i32");
    const std::string weights = function.input("w", {{"class", 3}});
    const std::string each =
        function.operation("plan.cross_entropy ", {y, label, weights}, "over \"class\" smoothing 0.3 ignored 0", {});
    const std::string loss = function.pointwise("mul", {each, function.constant(2)}, {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, y), context);
    EXPECT_EQ(result_names(*module), (std::vector<std::string>{"loss", "loss_divisor", "labels", "correct"}));
    interpret::Inputs all = inputs();
    all.fields["w"] = {{3}, {0.5, 2, 1}};
    const auto results = interpret::run(*module, "evaluate", all).results;
    // Of the valid samples the first two count; both have label 1, to which 0.8 of the label goes, and 0.1 to the
    // others.
    const auto smoothed = [](double zero, double one, double two) {
        const double logarithm = std::log(std::exp(zero) + std::exp(one) + std::exp(two));
        return 0.05 * (logarithm - zero) + 1.6 * (logarithm - one) + 0.1 * (logarithm - two);
    };
    const double sum = smoothed(1, 5, 2) + smoothed(4, 4, 0);
    EXPECT_NEAR(results[0].elements[0] / results[1].elements[0], 2 * sum / (2 + 2), 1e-12);
    EXPECT_EQ(results[2].elements[0], 2);
    EXPECT_EQ(results[3].elements[0], 1);
}

TEST(Evaluation, a_ratio_of_sums) {
    LossFunction function;
    const std::string x = function.input("x", logits);
    const std::string b = function.variable("b", {{"class", 3}});
    const std::string sum = function.reduce("sum", function.pointwise("mul", {x, b}, logits), {});
    const std::string ratio = function.pointwise("div", {sum, function.reduce("sum", x, {})}, {});
    const std::string norm = function.reduce("sum", function.pointwise("square", {b}, {{"class", 3}}), {});
    const std::string again = function.pointwise("div", {sum, function.reduce("sum", x, {})}, {}); // the same sum, anew
    const std::string ratios = function.pointwise("add", {ratio, again}, {});
    const std::string loss = function.pointwise("sub", {ratios, norm}, {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs all = inputs();
    all.variables["b"] = {{3}, {1, 0, 2}};
    const auto results = interpret::run(*module, "evaluate", all).results; // x of the valid samples: 12, 16, 9
    EXPECT_NEAR(results[0].elements[0] / results[1].elements[0], 2 * (12.0 + 2 * 9) / (12 + 16 + 9) - 5, 1e-12);
}

TEST(Evaluation, regression) {
    mlir::MLIRContext context;
    auto module = derive(classifier(true), context);
    EXPECT_EQ(result_names(*module), (std::vector<std::string>{"loss"}));
    interpret::Inputs all = inputs();
    all.fields["target"] = all.fields["x"];
    all.fields["target"].elements[0] += 3;  // of a valid sample: 9 / 3 classes
    all.fields["target"].elements[11] += 3; // of padding
    EXPECT_NEAR(interpret::run(*module, "evaluate", all).results[0].elements[0], 3, 1e-12);
}

TEST(Evaluation, scaled_terms_and_terms_of_parameters) {
    LossFunction function;
    const std::string x = function.input("x", logits);
    const std::string b = function.variable("b", {{"class", 3}});
    const std::string sum = function.reduce("sum", function.pointwise("mul", {x, b}, logits), {});
    const std::string difference = function.pointwise("sub", {x, b}, logits);
    const std::string zero = function.pointwise("sub", {x, x}, logits);
    const std::string error = function.operation("plan.mean_square_error ", {difference, zero}, "", {});
    const std::string norm = function.reduce("sum", function.pointwise("square", {b}, {{"class", 3}}), {});
    const std::string terms = function.pointwise(
        "sub", {function.pointwise("div", {sum, function.constant(8)}, {}), function.pointwise("neg", {error}, {})},
        {});
    const std::string loss =
        function.pointwise("add", {function.pointwise("mul", {function.constant(0.5), terms}, {}), norm}, {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs all = inputs();
    all.variables["b"] = {{3}, {1, 0, 2}};
    // Of three valid samples of four: 5 + 4 + 21 is half as much in a batch as the means; Σ (x - b)² = 25 + 29 + 110.
    const double expected = 0.5 * (30.0 * 4 / 8 + 164.0 / 3) + 3 * 5;
    EXPECT_NEAR(interpret::run(*module, "evaluate", all).results[0].elements[0], expected, 1e-12);
}

TEST(Evaluation, sums_of_sums_over_the_batch) {
    LossFunction function;
    const std::string x = function.input("x", logits);
    const std::string b = function.variable("b", {{"class", 3}});
    const std::string sums = function.reduce("sum", x, {{"class", 3}});
    const std::string means = function.pointwise("mul", {sums, function.constant(0.25)}, {{"class", 3}});
    const std::string shifted = function.pointwise("add", {means, b}, {{"class", 3}});
    const std::string loss = function.reduce("sum", shifted, {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    interpret::Inputs all = inputs();
    all.variables["b"] = {{3}, {1, 0, 2}};
    // x of the three valid samples of four sums up to 8 + 8 + 21.
    EXPECT_NEAR(interpret::run(*module, "evaluate", all).results[0].elements[0], 37 + 3 * 3, 1e-12);
}

TEST(Evaluation, a_loss_that_is_no_sum_over_samples_has_none) {
    LossFunction function;
    const std::string x = function.input("x", logits);
    const std::string sum =
        function.reduce("sum", function.pointwise("mul", {x, function.variable("b", {})}, logits), {});
    const std::string loss = function.pointwise("square", {sum}, {});
    mlir::MLIRContext context;
    auto module = derive(function.text(loss, loss), context);
    EXPECT_FALSE(module->lookupSymbol<mlir::func::FuncOp>("evaluate"));
    EXPECT_TRUE(module->lookupSymbol<mlir::func::FuncOp>("train"));
}

TEST(Prediction, is_the_network_alone) {
    mlir::MLIRContext context;
    auto module = derive(classifier(false), context);
    auto predict = module->lookupSymbol<mlir::func::FuncOp>("predict");
    ASSERT_EQ(predict.getNumArguments(), 1u);
    interpret::Inputs all = inputs();
    all.variables["b"] = {{3}, {1, 0, 0}};
    const auto results = interpret::run(*module, "predict", all).results;
    EXPECT_EQ(results[0].elements, (std::vector<double>{2, 5, 2, 5, 4, 0, 8, 7, 7, 1, 1, 9}));
}

} // namespace planc::test

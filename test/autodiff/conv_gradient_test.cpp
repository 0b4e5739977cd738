// Gradients of random convolutions in both operands: any number of windows, groups, loops of one operand only, and
// gradients of the result that lack dimensions.
#include "loss_function.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::test {

namespace {

int uniform(std::mt19937 &random, int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
}

struct Loop {
    std::string name;
    std::int64_t extent;
};
using Loops = std::vector<Loop>;

std::string names(const Loops &loops) {
    std::string text;
    for (const Loop &loop : loops)
        text += " " + loop.name;
    return text;
}

/// Roles are the language's business: any distinct names do.
Dimensions dimensions(const Loops &loops, const std::string &prefix) {
    Dimensions result;
    for (const Loop &loop : loops)
        result.push_back({prefix + std::to_string(result.size()), loop.extent});
    return result;
}

/// A convolution's loops: x, w and y in random orders, and the attributes of its windows.
struct Convolution {
    Loops x, w, y;
    std::string attributes;
};

Convolution random_convolution(std::mt19937 &random) {
    Convolution conv;
    std::string windows;
    std::string kernels;
    std::string strides;
    std::string dilations;
    std::string paddings;
    for (int i = 0; i < uniform(random, 1, 2); ++i) {
        const std::string separator = i == 0 ? "" : ", ";
        const std::string number = std::to_string(i);
        const int kernel = uniform(random, 1, 3);
        const int stride = uniform(random, 1, 3);
        const int dilation = uniform(random, 1, 2);
        const int before = uniform(random, 0, 2);
        const int behind = uniform(random, 0, 2);
        const int span = (kernel - 1) * dilation + 1;
        const int extent = uniform(random, std::max(1, span - before - behind), 5);
        conv.x.push_back({"p" + number, extent});
        conv.w.push_back({"k" + number, kernel});
        conv.y.push_back({"p" + number, (extent + before + behind - span) / stride + 1});
        windows += separator + "\"p" + number + "\"";
        kernels += separator + "\"k" + number + "\"";
        strides += separator + std::to_string(stride);
        dilations += separator + std::to_string(dilation);
        paddings += separator + std::to_string(before) + ", " + std::to_string(behind);
    }
    conv.attributes = "windows [" + windows + "] kernels [" + kernels + "] strides [" + strides + "] dilations [" +
                      dilations + "] paddings [" + paddings + "]";
    // batch, in, out, group; and loops of one operand alone that are summed over
    struct Kind {
        const char *name;
        bool x, w, y;
    };
    for (const Kind &kind : {Kind{"n", true, false, true}, Kind{"i", true, true, false}, Kind{"o", false, true, true},
                             Kind{"g", true, true, true}, Kind{"a", true, false, false}, Kind{"b", false, true, false}})
        if (uniform(random, 0, 2) > 0) {
            const Loop loop{kind.name, uniform(random, 1, 3)};
            for (const auto &[there, loops] :
                 {std::pair{kind.x, &conv.x}, std::pair{kind.w, &conv.w}, std::pair{kind.y, &conv.y}})
                if (there)
                    loops->push_back(loop);
        }
    for (Loops *loops : {&conv.x, &conv.w, &conv.y})
        std::shuffle(loops->begin(), loops->end(), random);
    return conv;
}

std::string forward(const Convolution &conv, LossFunction &function) {
    const std::string x = function.variable("x", dimensions(conv.x, "r"));
    const std::string w = function.variable("w", dimensions(conv.w, "s"));
    return function.operation("plan.conv \"forward\" \"" + names(conv.x) + "," + names(conv.w) + " ->" + names(conv.y) +
                                  "\" (",
                              {x, w}, ") " + conv.attributes, dimensions(conv.y, "t"));
}

} // namespace

TEST(ConvGradient, random) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        LossFunction function;
        const std::string loss = function.weighted_sum(forward(random_convolution(random), function));
        expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
        if (HasFatalFailure() || HasNonfatalFailure())
            return;
    }
}

// The gradient of the result lacks some of its dimensions, positions among them.
TEST(ConvGradient, of_sums) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(1000 + seed);
        LossFunction function;
        const Convolution conv = random_convolution(random);
        const std::string y = forward(conv, function);
        Dimensions kept = dimensions(conv.y, "t");
        std::erase_if(kept, [&](const Dimension &) { return uniform(random, 0, 1) == 0; });
        const std::string sum = kept.size() < conv.y.size() ? function.reduce("sum", y, kept) : y;
        const std::string loss = function.weighted_sum(function.pointwise("square", {sum}, kept));
        expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
        if (HasFatalFailure() || HasNonfatalFailure())
            return;
    }
}

// A network's input has no gradient: of the first convolution there is that of the weight alone.
TEST(ConvGradient, none_of_an_input) {
    LossFunction function;
    const std::string x = function.input("x", {{"n", 2}, {"p", 5}});
    const std::string w = function.variable("w", {{"p", 3}});
    const std::string y = function.operation(
        "plan.conv \"forward\" \"n p, k -> n p\" (", {x, w},
        R"() windows ["p"] kernels ["k"] strides [1] dilations [1] paddings [1, 1])", {{"n", 2}, {"p", 5}});
    const std::string loss = function.weighted_sum(y);
    mlir::MLIRContext context;
    const auto module = derive(function.text(loss, loss), context);
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    EXPECT_EQ(text.find("input_gradient"), std::string::npos) << text;
    EXPECT_NE(text.find("weight_gradient"), std::string::npos) << text;
}

} // namespace planc::test

// Gradients of random einsums: any number of batch, free and summed loops, loops of one operand only, repeated
// operands.
#include "loss_function.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::test {

namespace {

struct Loop {
    std::string name;
    std::int64_t extent;
};

/// A random part of `loops` in a random order, each kept with the given probability.
std::vector<Loop> some_of(std::vector<Loop> loops, double probability, std::mt19937 &random) {
    std::shuffle(loops.begin(), loops.end(), random);
    std::bernoulli_distribution keep(probability);
    std::erase_if(loops, [&](const Loop &) { return !keep(random); });
    return loops;
}

std::string names(const std::vector<Loop> &loops) {
    std::string text;
    for (const Loop &loop : loops)
        text += " " + loop.name;
    return text;
}

/// Roles are the language's business: any distinct names do.
Dimensions dimensions(const std::vector<Loop> &loops, const std::string &prefix) {
    Dimensions result;
    for (const Loop &loop : loops)
        result.push_back({prefix + std::to_string(result.size()), loop.extent});
    return result;
}

std::string random_einsum(std::mt19937 &random, LossFunction &function) {
    std::vector<Loop> loops;
    const int count = std::uniform_int_distribution(1, 5)(random);
    for (int i = 0; i < count; ++i)
        loops.push_back({std::string(1, static_cast<char>('i' + i)), std::uniform_int_distribution(1, 3)(random)});

    std::vector<std::string> operands;
    std::vector<Loop> used;
    std::string subscripts;
    const int operand_count = std::uniform_int_distribution(1, 3)(random);
    for (int i = 0; i < operand_count; ++i) {
        const std::vector<Loop> mine = some_of(loops, 0.6, random);
        subscripts += (i == 0 ? "" : ",") + names(mine);
        operands.push_back(function.variable("x" + std::to_string(i), dimensions(mine, "r")));
        for (const Loop &loop : mine)
            if (std::none_of(used.begin(), used.end(), [&](const Loop &l) { return l.name == loop.name; }))
                used.push_back(loop);
    }
    const std::vector<Loop> result = some_of(used, 0.5, random);
    subscripts += " ->" + names(result);
    return function.einsum(subscripts, operands, dimensions(result, "s"));
}

} // namespace

TEST(EinsumGradient, random) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        LossFunction function;
        const std::string loss = function.weighted_sum(random_einsum(random, function));
        expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
        if (HasFatalFailure())
            return;
    }
}

// The gradient of a mean of an einsum has fewer dimensions than the einsum's result.
TEST(EinsumGradient, of_a_sum) {
    for (unsigned seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        LossFunction function;
        const std::string loss = function.reduce("sum", random_einsum(random, function), {});
        expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
        if (HasFatalFailure())
            return;
    }
}

TEST(EinsumGradient, tied_operands) {
    LossFunction function;
    const std::string x = function.variable("x", {{"a", 3}, {"b", 4}});
    const std::string y = function.einsum("i k, j k -> i j", {x, x}, {{"a", 3}, {"a'", 3}});
    const std::string z = function.einsum("i j, i k -> j k", {y, x}, {{"a", 3}, {"b", 4}});
    const std::string loss = function.weighted_sum(z);
    std::mt19937 random(1);
    expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
}

} // namespace planc::test

// Gradients of attention: of queries, keys and values; all keys, those before a query, masked ones; shared by heads;
// and gradients that lack dimensions.
#include "loss_function.h"

#include <gtest/gtest.h>

namespace planc::test {

namespace {

const Dimensions queries{{"batch", 2}, {"position", 4}, {"head", 2}, {"feature", 3}};
const Dimensions keys{{"batch", 2}, {"key", 5}, {"feature", 3}};
const Dimensions values{{"key", 5}, {"batch", 2}, {"feature", 2}, {"own", 2}};
const Dimensions output{{"batch", 2}, {"position", 4}, {"head", 2}, {"feature", 2}, {"own", 2}};

/// With `kept` the output is summed over the dimensions that it lacks first.
void check(const std::string &attributes, const Dimensions &kept) {
    SCOPED_TRACE(attributes);
    std::mt19937 random(1);
    LossFunction function;
    const std::string q = function.variable("q", queries);
    const std::string k = function.variable("k", keys);
    const std::string v = function.variable("v", values);
    std::string value = function.operation("plan.attention [\"output\"](", {q, k, v},
                                           ") over \"key\" dot \"feature\"" + attributes, output);
    if (kept.size() < output.size())
        value = function.reduce("sum", value, kept);
    const std::string loss = function.weighted_sum(function.pointwise("square", {value}, kept));
    expect_gradients(function.text(loss, loss), random_inputs(function, -1, 1, random));
}

} // namespace

TEST(AttentionGradient, equals_finite_differences) {
    for (const char *attributes : {"", " causal \"position\"", " causal \"position\" window 2"}) {
        check(attributes, output);
        for (std::size_t without = 0; without < output.size(); ++without) {
            Dimensions kept = output;
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(without));
            check(attributes, kept);
        }
        check(attributes, {});
    }
}

} // namespace planc::test

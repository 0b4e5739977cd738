// Gradients of sums over values on the entries of a sparse matrix, of a directed and rectangular one in which a row and
// a column have no entry: attention, products at the entries, maxima.
#include "loss_function.h"

#include "interpret/interpret.h"

#include <gtest/gtest.h>

namespace planc::test {

namespace {

constexpr std::int64_t rows = 5;
constexpr std::int64_t columns = 6;
const Dimensions pairs = {{"v", rows}, {"u", columns}};
const Dimensions heads = {{"v", rows}, {"u", columns}, {"h", 2}};

/// About half of the elements; row 1 and column 0 have none.
interpret::Array sparse_matrix(std::mt19937 &random) {
    interpret::Array matrix{{rows, columns}, {}};
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            const bool there = row != 1 && column != 0 && random() % 2 == 0;
            matrix.elements.push_back(there ? std::uniform_real_distribution(0.5, 2.0)(random) : 0);
        }
    return matrix;
}

class EdgeGradient : public testing::Test {
  protected:
    std::string entries(bool ones) {
        const std::string properties =
            std::string(R"() <{matrix = "a", nonzeros = 12 : i64)") + (ones ? ", ones}>" : "}>");
        return function.operation("\"plan.edges\"(", {}, properties, pairs);
    }
    /// The maximum over the entries of each row; 0 in rows without any.
    std::string largest(const std::string &value, const Dimensions &of, const Dimensions &kept) {
        const std::string is_entry = function.pointwise("not_equal", {entries(true), function.constant(0)}, pairs);
        const std::string chosen = function.pointwise("select", {is_entry, value, function.constant(-1e30)}, of);
        return function.reduce("max", chosen, kept);
    }
    std::string softmax(const std::string &score) {
        const Dimensions kept = {{"v", rows}, {"h", 2}};
        const std::string top = function.pointwise("stop_gradient", {largest(score, heads, kept)}, kept);
        const std::string power = function.pointwise("exp", {function.pointwise("sub", {score, top}, heads)}, heads);
        const std::string there = function.pointwise("mul", {power, entries(true)}, heads);
        return function.pointwise("div", {there, function.reduce("sum", there, kept)}, heads);
    }
    void check(const std::string &y, const Dimensions &dimensions) {
        const std::string loss = function.weighted_sum(function.pointwise("square", {y}, dimensions));
        std::mt19937 random(3);
        interpret::Inputs inputs = random_inputs(function, -1, 1, random);
        inputs.matrices["a"] = sparse_matrix(random);
        expect_gradients(function.text(loss, loss), inputs);
    }

    LossFunction function;
};

} // namespace

TEST_F(EdgeGradient, of_attention) {
    const std::string s = function.variable("s", {{"v", rows}, {"h", 2}});
    const std::string t = function.variable("t", {{"u", columns}, {"h", 2}});
    const std::string x = function.variable("x", {{"u", columns}, {"h", 2}, {"f", 3}});
    const std::string p = softmax(function.pointwise("tanh", {function.pointwise("add", {s, t}, heads)}, heads));
    const Dimensions result = {{"v", rows}, {"h", 2}, {"f", 3}};
    check(function.einsum("v u, v u h, u h f -> v h f", {entries(true), p, x}, result), result);
}

TEST_F(EdgeGradient, of_attention_by_inner_products) {
    const std::string q = function.variable("q", {{"v", rows}, {"h", 2}, {"f", 3}});
    const std::string k = function.variable("k", {{"u", columns}, {"h", 2}, {"f", 3}});
    const std::string e = function.einsum("v u, v h f, u h f -> v u h", {entries(true), q, k}, heads);
    const Dimensions result = {{"v", rows}, {"h", 2}, {"f", 3}};
    check(function.einsum("v u, v u h, u h f -> v h f", {entries(false), softmax(e), k}, result), result);
}

TEST_F(EdgeGradient, of_a_sum_over_all_entries) {
    const std::string q = function.variable("q", {{"v", rows}, {"f", 3}});
    const std::string k = function.variable("k", {{"u", columns}, {"f", 3}});
    const std::string w = function.variable("w", {{"f", 3}});
    const std::string e = function.einsum("v u, v f, u f, f -> v u", {entries(false), q, k, w}, pairs);
    check(function.reduce("sum", e, {}), {});
}

TEST_F(EdgeGradient, of_a_maximum) {
    const std::string x = function.variable("x", {{"u", columns}, {"f", 3}});
    const Dimensions products = {{"v", rows}, {"u", columns}, {"f", 3}};
    const Dimensions result = {{"v", rows}, {"f", 3}};
    const std::string e = function.einsum("v u, u f -> v u f", {entries(false), x}, products);
    const std::string top = largest(e, products, result);
    const std::string has_entry = function.pointwise("greater", {top, function.constant(-1e30)}, result);
    check(function.pointwise("select", {has_entry, top, function.constant(0)}, result), result);
}

} // namespace planc::test

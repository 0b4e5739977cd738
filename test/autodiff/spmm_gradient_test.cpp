// Gradients of products with sparse matrices: of directed and of rectangular ones, with rows and columns without
// nonzeros, and where the gradient lacks dimensions.
#include "loss_function.h"

#include "interpret/interpret.h"

#include <gtest/gtest.h>

namespace planc::test {

namespace {

/// About a third of the elements; row 1 and column 0 have none.
interpret::Array sparse_matrix(std::int64_t rows, std::int64_t columns, std::mt19937 &random) {
    interpret::Array matrix{{rows, columns}, {}};
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            const bool there = row != 1 && column != 0 && random() % 3 == 0;
            matrix.elements.push_back(there ? std::uniform_real_distribution(0.5, 2.0)(random) : 0);
        }
    return matrix;
}

/// The gradient of the sum of squares of y = spmm(x), of its sums over each dimension, and of its sum.
void check(const std::string &subscripts, const std::string &tail, std::int64_t rows, std::int64_t columns) {
    for (const Dimensions &kept : {Dimensions{{"v", rows}, {"f", 3}}, {{"v", rows}}, {{"f", 3}}, {}}) {
        std::mt19937 random(static_cast<unsigned>(kept.size()));
        LossFunction function;
        const std::string x = function.variable("x", {{"u", columns}, {"f", 3}});
        std::string y = function.operation("plan.spmm \"a\" \"" + subscripts + "\" (", {x}, ") nonzeros 9" + tail,
                                           {{"v", rows}, {"f", 3}});
        if (kept.size() < 2)
            y = function.reduce("sum", y, kept);
        const std::string loss = function.weighted_sum(function.pointwise("square", {y}, kept));
        interpret::Inputs inputs = random_inputs(function, -1, 1, random);
        const bool transposed = subscripts.starts_with("u v");
        inputs.matrices["a"] = transposed ? sparse_matrix(columns, rows, random) : sparse_matrix(rows, columns, random);
        expect_gradients(function.text(loss, loss), inputs);
    }
}

} // namespace

TEST(SpmmGradient, of_a_square_matrix) {
    check("v u, u f -> v f", "", 5, 5);
}

TEST(SpmmGradient, of_a_rectangular_matrix) {
    check("v u, u f -> v f", "", 4, 7);
}

TEST(SpmmGradient, of_a_transposed_matrix) {
    check("u v, u f -> v f", "", 4, 6);
}

TEST(SpmmGradient, of_halves_of_a_square_matrix) {
    check("v u, u f -> v f", " half_of 2", 5, 5);
    check("v u, u f -> v f", " half_of 3 sent", 6, 6);
    check("u v, u f -> v f", " mean half_of 2 sent", 5, 5);
}

TEST(SpmmGradient, of_a_mean) {
    check("v u, u f -> v f", " mean", 5, 4);
    check("u v, u f -> v f", " mean", 5, 4);
}

} // namespace planc::test

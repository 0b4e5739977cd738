// The table of pointwise functions: name, number of operands, value in double precision, and C++ text. The verifier,
// the interpreter and the emitter share it; derivatives are in autodiff/.
#pragma once

#include <span>
#include <string_view>

namespace planc::ir {

struct PointwiseFunction {
    std::string_view name;
    int operands;
    double (*value)(const double *operands);
    /// C++ expression over element type T; {0}, {1}, … stand for the operands. Conditions are written as 0 or 1 in T.
    std::string_view expression;
    /// f(a + b) = f(a) + f(b), jointly in all operands: partial sums may pass through.
    bool linear;
    /// Approximate cost, in floating-point operations.
    double flops;
};

/// Those of a random number that planrt::fill_uniform() draws with others, and of one by planrt::uniform(), in the same
/// approximation: measured beside exp.
inline constexpr double flops_of_random = 60;
inline constexpr double flops_of_single_random = 280;

[[nodiscard]] const PointwiseFunction *find_pointwise(std::string_view name);
[[nodiscard]] std::span<const PointwiseFunction> pointwise_functions();

} // namespace planc::ir

#include "ir/pointwise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace planc::ir {

namespace {

constexpr double inverse_sqrt2 = 0.70710678118654752440;
constexpr double inverse_sqrt_2pi = 0.39894228040143267794;

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

// Sorted by name: found by bisection.
constexpr std::array functions{
    PointwiseFunction{"abs", 1, [](const double *x) { return std::fabs(x[0]); }, "std::abs({0})", false, 1},
    PointwiseFunction{"add", 2, [](const double *x) { return x[0] + x[1]; }, "{0} + {1}", true, 1},
    PointwiseFunction{"cos", 1, [](const double *x) { return std::cos(x[0]); }, "std::cos({0})", false, 10},
    PointwiseFunction{"div", 2, [](const double *x) { return x[0] / x[1]; }, "{0} / {1}", false, 4},
    PointwiseFunction{"equal", 2, [](const double *x) { return x[0] == x[1] ? 1.0 : 0.0; }, "{0} == {1} ? T(1) : T(0)",
                      false, 1},
    PointwiseFunction{"erf", 1, [](const double *x) { return std::erf(x[0]); }, "std::erf({0})", false, 15},
    PointwiseFunction{"exp", 1, [](const double *x) { return std::exp(x[0]); }, "planrt::exp({0})", false, 10},
    PointwiseFunction{"floor", 1, [](const double *x) { return std::floor(x[0]); }, "std::floor({0})", false, 1},
    // x · Φ(x), Hendrycks and Gimpel 2016, the exact form.
    PointwiseFunction{"gelu", 1, [](const double *x) { return 0.5 * x[0] * (1 + std::erf(x[0] * inverse_sqrt2)); },
                      "T(0.5) * {0} * (T(1) + std::erf({0} * T(0.70710678118654752440)))", false, 20},
    // Φ(x) + x φ(x)
    PointwiseFunction{"gelu_slope", 1,
                      [](const double *x) {
                          return 0.5 * (1 + std::erf(x[0] * inverse_sqrt2)) +
                                 x[0] * inverse_sqrt_2pi * std::exp(-0.5 * x[0] * x[0]);
                      },
                      "planrt::gelu_slope({0})", false, 25},
    PointwiseFunction{"greater", 2, [](const double *x) { return x[0] > x[1] ? 1.0 : 0.0; }, "{0} > {1} ? T(1) : T(0)",
                      false, 1},
    PointwiseFunction{"greater_equal", 2, [](const double *x) { return x[0] >= x[1] ? 1.0 : 0.0; },
                      "{0} >= {1} ? T(1) : T(0)", false, 1},
    PointwiseFunction{"identity", 1, [](const double *x) { return x[0]; }, "{0}", true, 0},
    PointwiseFunction{"less", 2, [](const double *x) { return x[0] < x[1] ? 1.0 : 0.0; }, "{0} < {1} ? T(1) : T(0)",
                      false, 1},
    PointwiseFunction{"less_equal", 2, [](const double *x) { return x[0] <= x[1] ? 1.0 : 0.0; },
                      "{0} <= {1} ? T(1) : T(0)", false, 1},
    PointwiseFunction{"log", 1, [](const double *x) { return std::log(x[0]); }, "std::log({0})", false, 10},
    PointwiseFunction{"maximum", 2, [](const double *x) { return std::fmax(x[0], x[1]); }, "std::max({0}, {1})", false,
                      1},
    PointwiseFunction{"minimum", 2, [](const double *x) { return std::fmin(x[0], x[1]); }, "std::min({0}, {1})", false,
                      1},
    // The sign is that of x[1]; x[0] for x[1] = 0 (Knuth, The Art of Computer Programming, 1.2.4).
    PointwiseFunction{"modulo", 2,
                      [](const double *x) { return x[1] == 0 ? x[0] : x[0] - x[1] * std::floor(x[0] / x[1]); },
                      "planrt::modulo({0}, {1})", false, 4},
    PointwiseFunction{"mul", 2, [](const double *x) { return x[0] * x[1]; }, "{0} * {1}", false, 1},
    PointwiseFunction{"neg", 1, [](const double *x) { return -x[0]; }, "-{0}", true, 1},
    PointwiseFunction{"not_equal", 2, [](const double *x) { return x[0] != x[1] ? 1.0 : 0.0; },
                      "{0} != {1} ? T(1) : T(0)", false, 1},
    PointwiseFunction{"power", 2, [](const double *x) { return std::pow(x[0], x[1]); }, "std::pow({0}, {1})", false,
                      20},
    PointwiseFunction{"reciprocal", 1, [](const double *x) { return 1 / x[0]; }, "T(1) / {0}", false, 4},
    PointwiseFunction{"relu", 1, [](const double *x) { return x[0] > 0 ? x[0] : 0.0; }, "std::max({0}, T(0))", false,
                      1},
    PointwiseFunction{"rsqrt", 1, [](const double *x) { return 1 / std::sqrt(x[0]); }, "T(1) / std::sqrt({0})", false,
                      8},
    // condition, value where it is not 0, value where it is 0
    PointwiseFunction{"select", 3, [](const double *x) { return x[0] != 0 ? x[1] : x[2]; }, "{0} != T(0) ? {1} : {2}",
                      false, 1},
    PointwiseFunction{"sigmoid", 1, [](const double *x) { return sigmoid(x[0]); }, "T(1) / (T(1) + planrt::exp(-{0}))",
                      false, 12},
    PointwiseFunction{"silu", 1, [](const double *x) { return x[0] * sigmoid(x[0]); },
                      "{0} / (T(1) + planrt::exp(-{0}))", false, 12},
    PointwiseFunction{"sin", 1, [](const double *x) { return std::sin(x[0]); }, "std::sin({0})", false, 10},
    // log(1 + exp(x)) without overflow
    PointwiseFunction{"softplus", 1,
                      [](const double *x) { return std::fmax(x[0], 0.0) + std::log1p(std::exp(-std::fabs(x[0]))); },
                      "std::max({0}, T(0)) + std::log1p(planrt::exp(-std::abs({0})))", false, 20},
    PointwiseFunction{"sqrt", 1, [](const double *x) { return std::sqrt(x[0]); }, "std::sqrt({0})", false, 4},
    PointwiseFunction{"square", 1, [](const double *x) { return x[0] * x[0]; }, "{0} * {0}", false, 1},
    PointwiseFunction{"stop_gradient", 1, [](const double *x) { return x[0]; }, "{0}", false, 0},
    PointwiseFunction{"sub", 2, [](const double *x) { return x[0] - x[1]; }, "{0} - {1}", true, 1},
    PointwiseFunction{"tanh", 1, [](const double *x) { return std::tanh(x[0]); }, "std::tanh({0})", false, 15},
};

} // namespace

std::span<const PointwiseFunction> pointwise_functions() {
    return functions;
}

const PointwiseFunction *find_pointwise(std::string_view name) {
    const auto at = std::lower_bound(functions.begin(), functions.end(), name,
                                     [](const PointwiseFunction &f, std::string_view n) { return f.name < n; });
    return at != functions.end() && at->name == name ? &*at : nullptr;
}

} // namespace planc::ir

#include "sema/primitives/primitives.h"

#include <algorithm>
#include <array>

namespace planc::sema {
namespace {

constexpr std::array unary_functions = {"identity", "neg",  "exp",  "log",    "sqrt",       "rsqrt",         "tanh",
                                        "sigmoid",  "relu", "abs",  "square", "reciprocal", "stop_gradient", "sin",
                                        "cos",      "erf",  "gelu", "silu",   "softplus"};
constexpr std::array binary_functions = {"maximum", "minimum", "power"};
constexpr std::array initializers = {"zeros",          "ones",          "constant",   "uniform",  "normal",
                                     "glorot_uniform", "glorot_normal", "he_uniform", "he_normal"};
/// Structured operations and compile-time functions.
constexpr std::array others = {"einsum",
                               "convolution",
                               "rename",
                               "transpose",
                               "slice",
                               "concat",
                               "reshape",
                               "iota",
                               "embedding",
                               "select",
                               "dropout",
                               "random_uniform",
                               "random_normal",
                               "batch_normalize",
                               "max_pool",
                               "average_pool",
                               "global_average_pool",
                               "cast",
                               "reduce_sum",
                               "reduce_mean",
                               "reduce_max",
                               "reduce_min",
                               "softmax",
                               "log_softmax",
                               "fused_attention",
                               "cross_entropy",
                               "mean_square_error",
                               "enumerate",
                               "zip",
                               "same_shape",
                               "tail",
                               "with_extents",
                               "equal_parts",
                               "spmm",
                               "sddmm",
                               "edge_softmax",
                               "edges",
                               "columns_of",
                               "expand",
                               "convolution_transpose"};

template <class Table> bool contains(const Table &table, std::string_view name) {
    return std::find(table.begin(), table.end(), name) != table.end();
}

} // namespace

bool is_unary_function(std::string_view name) {
    return contains(unary_functions, name);
}

bool is_binary_function(std::string_view name) {
    return contains(binary_functions, name);
}

bool is_initializer(std::string_view name) {
    return contains(initializers, name);
}

bool is_plain_word(std::string_view name) {
    return contains(std::array{"zeros", "ones", "f32", "f64", "i32", "sum", "mean", "max"}, name);
}

bool is_primitive(std::string_view name) {
    return is_unary_function(name) || is_binary_function(name) || is_initializer(name) || contains(others, name);
}

std::vector<std::string> primitive_names() {
    std::vector<std::string> names;
    names.insert(names.end(), unary_functions.begin(), unary_functions.end());
    names.insert(names.end(), binary_functions.begin(), binary_functions.end());
    names.insert(names.end(), initializers.begin(), initializers.end());
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

} // namespace planc::sema

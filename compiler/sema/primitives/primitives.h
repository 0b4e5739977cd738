// The names that are called but not declared: primitives, initializers and compile-time functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace planc::sema {

/// Pointwise functions of one tensor: relu, exp, …
[[nodiscard]] bool is_unary_function(std::string_view name);
/// Pointwise functions of two tensors: maximum, minimum, power.
[[nodiscard]] bool is_binary_function(std::string_view name);
[[nodiscard]] bool is_initializer(std::string_view name);
/// Words that need no brackets and no declaration: zeros, ones, element types, and how spmm combines rows.
[[nodiscard]] bool is_plain_word(std::string_view name);
/// Anything that can be called without being declared.
[[nodiscard]] bool is_primitive(std::string_view name);
[[nodiscard]] std::vector<std::string> primitive_names();

} // namespace planc::sema

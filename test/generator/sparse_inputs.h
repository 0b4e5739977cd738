// What a step on a graph takes beside fields: its matrices, and products of a matrix and a field, which the runtime
// computes once.
#pragma once

#include "interpret/interpret.h"
#include "sema/program.h"

#include <map>
#include <string>

namespace planc::test {

/// By name, with their zeros.
[[nodiscard]] std::map<std::string, interpret::Array> dense_matrices(const sema::Train &train);

/// Whether the name of an input is that of a product: "a * x", "mean a * x".
[[nodiscard]] bool is_product(const std::string &input);
[[nodiscard]] interpret::Array product(const std::string &input, const interpret::Inputs &inputs);

} // namespace planc::test

// For tests of the analysis: programs from text.
#pragma once

#include "sema/analyze.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace planc::sema {

/// A program and what was reported about it.
struct Analyzed {
    std::optional<Program> program;
    std::string report;
    std::string kind; ///< of the first diagnostic
    int errors = 0;
};

[[nodiscard]] Analyzed analyze_file(const std::string &path, const std::map<std::string, std::int64_t> &overrides = {});
[[nodiscard]] Analyzed analyze_text(const std::string &text, const std::map<std::string, std::int64_t> &overrides = {});
/// The only network of a correct program; the test fails if it is not correct.
[[nodiscard]] Network network_of(const std::string &text);

/// "einsum [batch: 8, digit: 3] (y)": kind, type and layer of every operation but inputs.
[[nodiscard]] std::vector<std::string> summary(const Network &network);
[[nodiscard]] std::string loops(const Operation &operation);
/// The names of the parameters, in order.
[[nodiscard]] std::vector<std::string> parameters(const Network &network);
[[nodiscard]] const Operation &parameter(const Network &network, const std::string &name);
[[nodiscard]] std::string type_text(const TensorType &type);

} // namespace planc::sema

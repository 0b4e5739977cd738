#include "graph_check.h"

#include "support/plain_failure.h"
#include "support/printable.h"

#include <algorithm>
#include <cmath>

namespace planc::fuzz {

namespace {

std::string check_pattern(const planrt::Pattern &pattern, const planrt::GraphOptions &options) {
    if (pattern.rows != options.rows || pattern.columns != options.columns)
        return "the extents are not those declared";
    if (pattern.row_begin.size() != static_cast<std::size_t>(pattern.rows) + 1 || pattern.row_begin[0] != 0 ||
        pattern.nonzeros() != std::ssize(pattern.column) || !std::ranges::is_sorted(pattern.row_begin))
        return "the rows are not consecutive parts of the nonzeros";
    if (!pattern.values.empty() && pattern.values.size() != pattern.column.size())
        return "there are not as many values as nonzeros";
    for (std::int64_t v = 0; v < pattern.rows; ++v) {
        const auto row = pattern.columns_of(v);
        if (std::ranges::adjacent_find(row, std::ranges::greater_equal{}) != row.end())
            return "the columns of a row are not ascending";
        if (!row.empty() && (row.front() < 0 || row.back() >= pattern.columns))
            return "a column is outside";
    }
    for (std::int64_t i = 0; i < pattern.nonzeros(); ++i)
        if (!std::isfinite(pattern.value_of(i)))
            return "a value is not finite";
    return {};
}

} // namespace

GraphOutcome check_graph(const planrt::GraphFile &file, const planrt::GraphOptions &options) {
    GraphOutcome outcome;
    try {
        outcome.wrong = check_pattern(planrt::read_graph(file, options), options);
        outcome.read = true;
    } catch (const planrt::Failure &failure) {
        const std::string message = failure.what();
        if (message.find('/') == std::string::npos)
            outcome.wrong = "a message without a file: " + message;
        if (planrt::printable(message) != message)
            outcome.wrong = "a message that is not one printable line: " + message;
    }
    return outcome;
}

} // namespace planc::fuzz

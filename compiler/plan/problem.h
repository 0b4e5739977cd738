// The search problem without any notion of layers or machines: variables with finite domains, factors that price
// combinations of a few of them. A test drives the search with invented tables.
//
// Example: two variables of two values each, one factor {0, 1} with seconds {5, 1, 1, 5}: the minimum is 1.
#pragma once

#include "plan/rounded_down.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace planc::plan {

/// Prices by class of each variable, row-major, the last variable fastest. Infinite seconds: forbidden.
struct Table {
    std::vector<double> seconds; ///< not negative
    std::vector<double> bytes;   ///< not negative; empty: none
    /// In place of seconds where these are bounds: rounded_down(). Of all that a search keeps such tables are most.
    std::vector<float> rounded{};

    [[nodiscard]] double seconds_of(std::size_t entry) const {
        return rounded.empty() ? seconds[entry] : static_cast<double>(rounded[entry]);
    }
};

/// A term of the objective. Values of a variable that the term does not tell apart are one class.
struct Factor {
    std::vector<int> variables; ///< distinct
    /// Per variable: value -> class. Shared between factors of one structure.
    std::vector<std::shared_ptr<const std::vector<int>>> class_of;
    std::vector<int> classes; ///< per variable: how many
    std::shared_ptr<const Table> table;
    bool count_bytes = true; ///< false: as if the table had none
};

struct Problem {
    std::vector<int> domains; ///< per variable: number of values, at least one
    std::vector<Factor> factors;
    double byte_limit = std::numeric_limits<double>::infinity();
    double give_up_at = std::numeric_limits<double>::infinity(); ///< seconds: a minimum above is of no interest
    std::size_t largest_table = std::size_t{1} << 22;            ///< entries that elimination may join into one
    std::size_t frontier_budget = std::size_t{1} << 24; ///< points that the search under a byte limit may look at
};

struct Solution {
    bool feasible = false;   ///< false: nothing fits the limit, or the search was given up
    std::vector<int> values; ///< per variable
    double seconds = std::numeric_limits<double>::infinity();
    double bytes = 0;
    double lower_bound = 0;     ///< no assignment within the byte limit takes less
    bool limit_decided = false; ///< the fastest assignment exceeds the byte limit
    double least_bytes = 0;     ///< if infeasible: what would be needed at least (a lower bound)
};

/// The seconds and bytes of one assignment.
struct Sum {
    double seconds = 0;
    double bytes = 0;
};
[[nodiscard]] Sum evaluate(const Problem &problem, const std::vector<int> &values);

/// An assignment of least seconds within the byte limit. By variable elimination, exact (lower_bound == seconds) unless
/// tables would exceed largest_table or frontiers the budget. Of equal assignments always the same.
[[nodiscard]] Solution minimise(const Problem &problem);

/// What is found of one problem and holds for others of the same variables and factors, but for some tables: all tables
/// must still be there.
struct KnownSums;
[[nodiscard]] Solution minimise(const Problem &problem, KnownSums &known);

} // namespace planc::plan

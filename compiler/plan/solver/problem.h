// The search problem, independent of layers and machines: variables with finite domains, and factors that price
// combinations of a few of them. A test runs the search on invented tables.
//
// Example: two variables of two values each, one factor {0, 1} with seconds {5, 1, 1, 5}: the minimum is 1.
#pragma once

#include "plan/solver/rounded_down.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace planc::plan {

/// Prices by the class of each variable, row-major, the last variable fastest. Infinite seconds: forbidden.
struct Table {
    std::vector<double> seconds; ///< not negative
    std::vector<double> bytes;   ///< not negative; empty: none
    /// Used instead of seconds for bounds: rounded_down(). Most of the memory of a search is such tables.
    std::vector<float> rounded{};

    [[nodiscard]] double seconds_of(std::size_t entry) const {
        return rounded.empty() ? seconds[entry] : static_cast<double>(rounded[entry]);
    }
};

/// A term of the objective. Values of a variable that the term does not distinguish form a class.
struct Factor {
    std::vector<int> variables; ///< distinct
    /// Per variable: value -> class. Shared between factors of one structure.
    std::vector<std::shared_ptr<const std::vector<int>>> class_of;
    std::vector<int> classes; ///< per variable: how many
    std::shared_ptr<const Table> table;
    bool count_bytes = true; ///< false: as if the table had no bytes
};

struct Problem {
    std::vector<int> domains; ///< per variable: number of values, at least one
    std::vector<Factor> factors;
    /// Of the factors, in order, those that are infinite but for one value of their last variable, given the others.
    std::vector<std::size_t> binding;
    double byte_limit = std::numeric_limits<double>::infinity();
    double give_up_at = std::numeric_limits<double>::infinity(); ///< seconds: minima above this are of no interest
    std::size_t largest_table = std::size_t{1} << 22;            ///< the largest table into which elimination may join
                                                                 ///< others, in entries
};

struct Solution {
    bool feasible = false;   ///< false: nothing fits the limit, or the search was given up
    std::vector<int> values; ///< per variable
    double seconds = std::numeric_limits<double>::infinity();
    double bytes = 0;
    double lower_bound = 0;     ///< no assignment within the byte limit has fewer seconds
    bool limit_decided = false; ///< the fastest assignment exceeds the byte limit
    double least_bytes = 0;     ///< if infeasible: a lower bound on the bytes needed
};

/// The seconds and bytes of one assignment.
struct Sum {
    double seconds = 0;
    double bytes = 0;
};
[[nodiscard]] Sum evaluate(const Problem &problem, const std::vector<int> &values);

/// Sets the variables that factors bind to the values that follow from the others.
void complete(const Problem &problem, std::vector<int> &values);

/// Finds an assignment with the least seconds within the byte limit, by variable elimination. Exact (lower_bound ==
/// seconds) unless the limit decides or tables would exceed largest_table. Deterministic among equal assignments.
[[nodiscard]] Solution minimise(const Problem &problem);

struct Memo;
/// The same with results of former problems with the same variables and factors except for some tables. All tables must
/// still exist.
[[nodiscard]] Solution minimise(const Problem &problem, Memo &memo);

/// An assignment with the least bytes, which is what lower_bound bounds.
[[nodiscard]] Solution smallest(const Problem &problem, Memo &memo);

} // namespace planc::plan

// What an assignment with one value of a variable costs at least, for every value: by moving parts of tables of two
// variables to tables of one and on to the next, back and forth (Kolmogorov 2006, TRW-S). On a tree the bounds are
// exact after one sweep there and back.
#pragma once

#include "plan/problem.h"

#include <vector>

namespace planc::plan {

struct Marginals {
    double lower_bound = 0;              ///< of all assignments
    std::vector<std::vector<double>> of; ///< per variable and value: of the assignments with it
};

/// Factors of more than two variables and bytes count nothing. What is above `at_most` is infinite: no assignment with
/// it is of interest.
[[nodiscard]] Marginals marginals(const Problem &problem, double at_most);

} // namespace planc::plan

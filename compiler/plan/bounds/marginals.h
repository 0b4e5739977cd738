// Lower bounds for each value of each variable: what an assignment with this value costs at least. They are found by
// moving parts of tables of two variables to tables of one, and on to the next, back and forth (Kolmogorov 2006,
// TRW-S). On a tree, the bounds are exact after one sweep in each direction.
#pragma once

#include "plan/solver/problem.h"

#include <memory>
#include <vector>

namespace planc::plan {

struct Marginals {
    double lower_bound = 0;              ///< for all assignments
    std::vector<std::vector<double>> of; ///< per variable and value: for the assignments with it
};

/// Factors of more than two variables, and bytes, are ignored. Bounds above `at_most` become infinite: no assignment
/// with such a value is of interest.
[[nodiscard]] Marginals marginals(const Problem &problem, double at_most);

/// marginals() of one problem, and then of others that differ by factors of one variable alone. Each continues from
/// where the previous one ended.
class MarginalSweeps {
  public:
    MarginalSweeps(const Problem &problem, double at_most);
    ~MarginalSweeps();
    MarginalSweeps(const MarginalSweeps &) = delete;
    MarginalSweeps &operator=(const MarginalSweeps &) = delete;

    [[nodiscard]] Marginals run();
    /// Adds to the cost of each value of each variable. Returns false and changes nothing if values that were above the
    /// former `at_most` may not be above this one.
    [[nodiscard]] bool add(const std::vector<std::vector<double>> &seconds, double at_most);
    /// The cost of factors of up to two variables under one assignment, or `at_most` if the cost is known to be less.
    /// `values` may be those of the first variables alone; then this is a lower bound.
    [[nodiscard]] double of(const std::vector<int> &values) const;

  private:
    class Sweeps;
    std::unique_ptr<Sweeps> sweeps_;
};

} // namespace planc::plan

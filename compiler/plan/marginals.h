// What an assignment with one value of a variable costs at least, for every value: by moving parts of tables of two
// variables to tables of one and on to the next, back and forth (Kolmogorov 2006, TRW-S). On a tree the bounds are
// exact after one sweep there and back.
#pragma once

#include "plan/problem.h"

#include <memory>
#include <vector>

namespace planc::plan {

struct Marginals {
    double lower_bound = 0;              ///< of all assignments
    std::vector<std::vector<double>> of; ///< per variable and value: of the assignments with it
};

/// Factors of more than two variables and bytes count nothing. What is above `at_most` is infinite: no assignment with
/// it is of interest.
[[nodiscard]] Marginals marginals(const Problem &problem, double at_most);

/// marginals() of one problem, and then of others that differ by factors of one variable alone: these go on from where
/// the last one ended.
class MarginalSweeps {
  public:
    MarginalSweeps(const Problem &problem, double at_most);
    ~MarginalSweeps();
    MarginalSweeps(const MarginalSweeps &) = delete;
    MarginalSweeps &operator=(const MarginalSweeps &) = delete;

    [[nodiscard]] Marginals run();
    /// Adds to what each value of each variable costs. False, and nothing is changed: what was above the former
    /// `at_most` may not be above this one.
    [[nodiscard]] bool add(const std::vector<std::vector<double>> &seconds, double at_most);
    /// What factors of up to two variables take under one assignment, or `at_most` where that is known to be less.
    [[nodiscard]] double of(const std::vector<int> &values) const;

  private:
    class Sweeps;
    std::unique_ptr<Sweeps> sweeps_;
};

} // namespace planc::plan

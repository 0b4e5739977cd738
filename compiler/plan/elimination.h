// Variable elimination (Dechter 1999, "Bucket elimination"): sums of functions of few variables, minimised by removing
// one variable after the other. Internal to minimise().
#pragma once

#include "plan/problem.h"

#include <map>
#include <memory>
#include <vector>

namespace planc::plan {

/// A function of some variables: data[sum over variables of offset(value)].
struct Function {
    std::vector<int> variables;
    std::vector<std::shared_ptr<const std::vector<int>>> offsets; ///< per variable, by value
    std::shared_ptr<const std::vector<double>> seconds;
    std::shared_ptr<const std::vector<double>> bytes;    ///< null: none
    std::shared_ptr<const std::vector<float>> rounded{}; ///< in place of seconds: of rounded_functions()
};

/// The factors as functions, those of equal variables added into one. Equal sums share one table.
[[nodiscard]] std::vector<Function> functions(const Problem &problem, KnownSums &known);
/// The same without bytes, for bounds: of two variables all are rounded down.
[[nodiscard]] std::vector<Function> rounded_functions(const Problem &problem);

/// How to eliminate: which variable when, with which functions (of the problem and of earlier eliminations).
struct Bucket {
    int variable = 0;
    std::vector<int> scope; ///< the other variables of the bucket's functions, ascending
};

struct KnownSums {
    std::map<std::vector<const void *>, std::vector<Function>> sums; ///< of the last problem, by what was added
    std::vector<Bucket> order;                                       ///< empty: not known yet
};

/// Fewest neighbours first; of equal ones the smallest joint table, then the first.
[[nodiscard]] std::vector<Bucket> elimination_order(const std::vector<int> &domains,
                                                    const std::vector<Function> &functions);

/// Offsets of classes, by value, in a table with this stride.
[[nodiscard]] std::shared_ptr<const std::vector<int>> scaled(const std::vector<int> &classes, int stride);

/// Entries of the joint table over `scope`.
[[nodiscard]] double table_size(const std::vector<int> &domains, const std::vector<int> &scope);

/// Walks all assignments of `scope` in row-major order and keeps, per function, the offset of its entry.
class Odometer {
  public:
    Odometer(const std::vector<int> &domains, const std::vector<int> &scope,
             const std::vector<const Function *> &functions);
    [[nodiscard]] std::size_t offset(std::size_t function) const { return offsets_[function]; }
    /// False after the last assignment.
    bool next();

  private:
    struct Wheel {
        int domain = 1;
        int value = 0;
        std::vector<std::pair<std::size_t, const int *>> moved; ///< function, its offsets by value
    };
    std::vector<Wheel> wheels_;
    std::vector<std::size_t> offsets_;
};

/// The minimum without a byte limit; exact if no joint table exceeded `largest_table`, else `lower_bound` is a
/// bound (mini-buckets: Dechter and Rish 2003) and `values` a good assignment. `price`: weight of the bytes.
struct ScalarResult {
    std::vector<int> values;
    double lower_bound = 0; ///< of seconds + price * bytes
    bool exact = true;
};
[[nodiscard]] ScalarResult minimise_scalar(const std::vector<int> &domains, const std::vector<Function> &functions,
                                           const std::vector<Bucket> &order, std::size_t largest_table, double seconds,
                                           double price);

/// The minimum of seconds with bytes within a limit, by Pareto frontiers. Entries above `at_most` seconds are dropped.
/// `complete` is false if frontiers had to be thinned: then there is perhaps no result, or not the minimum.
struct FrontierResult {
    bool feasible = false;
    bool complete = true;
    std::vector<int> values;
};
[[nodiscard]] FrontierResult minimise_frontier(const std::vector<int> &domains, const std::vector<Function> &functions,
                                               const std::vector<Bucket> &order, double byte_limit, double at_most,
                                               std::size_t budget);

} // namespace planc::plan

// Variable elimination (Dechter 1999, "Bucket elimination"): minimises sums of functions of few variables by
// eliminating one variable after another. Internal to minimise().
#pragma once

#include "plan/solver/problem.h"

#include <map>
#include <memory>
#include <vector>

namespace planc::plan {

using Offsets = std::shared_ptr<const std::vector<int>>;

/// A function of some variables: data[sum over variables of offset(value)].
struct Function {
    std::vector<int> variables;
    std::vector<Offsets> offsets; ///< per variable, by value
    std::shared_ptr<const std::vector<double>> seconds;
    std::shared_ptr<const std::vector<double>> bytes;    ///< null: none
    std::shared_ptr<const std::vector<float>> rounded{}; ///< used instead of seconds: see rounded_functions()
};

/// The factors as functions; factors of the same variables are added into one. Equal sums share one table.
[[nodiscard]] std::vector<Function> functions(const Problem &problem, Memo &memo);
/// The same without bytes, for bounds. All functions of two variables are rounded down.
[[nodiscard]] std::vector<Function> rounded_functions(const Problem &problem);

/// One step of the elimination: the variable, and the functions that contain it (of the problem and of earlier steps).
struct Bucket {
    int variable = 0;
    std::vector<int> scope; ///< the other variables of the bucket's functions, ascending
};

/// What one elimination leaves to the next ones, of this problem or others: sums and messages are the same where tables
/// and classes are, whatever the variables. So a network of a hundred equal blocks costs little more than one block.
struct Memo {
    /// What eliminating a variable from a sum of functions leaves: a function of the others.
    struct Message {
        std::vector<Offsets> offsets;
        std::shared_ptr<const std::vector<double>> seconds;
        std::vector<std::shared_ptr<const void>> kept; ///< what the key refers to
    };
    using Key = std::vector<const void *>;
    using Messages = std::map<Key, Message>;

    /// The offsets of classes, by value, in a table with this stride. Equal ones are one object.
    Offsets scaled(const Offsets &classes, int stride);
    /// Equal offsets are one object.
    Offsets one_of(std::vector<int> offsets);

    std::map<Key, std::vector<Function>> sums; ///< by the tables that were added, and their classes
    Messages messages;                         ///< without a price of bytes
    std::vector<Bucket> order;                 ///< empty: not known yet
    double work = 0;                           ///< of all problems so far, in entries of tables that were visited
    double price = 0; ///< of memory, in seconds a byte, at which the last problem with a limit was decided

  private:
    std::map<std::pair<Offsets, int>, Offsets> scaled_;
    std::map<std::vector<int>, Offsets> all_;
};

/// Variables with the smallest joint table come first; among equals those on which fewer eliminations depend, so that
/// chains are halved again and again and their halves are alike; then the first.
[[nodiscard]] std::vector<Bucket> elimination_order(const std::vector<int> &domains,
                                                    const std::vector<Function> &functions);

/// The number of entries of the joint table over `scope`.
[[nodiscard]] double table_size(const std::vector<int> &domains, const std::vector<int> &scope);

/// Visits all assignments of `scope` in row-major order and maintains, per function, the offset of its entry.
class Odometer {
  public:
    Odometer(const std::vector<int> &domains, const std::vector<int> &scope,
             const std::vector<const Function *> &functions);
    [[nodiscard]] std::size_t offset(std::size_t function) const { return offsets_[function]; }
    /// Returns false after the last assignment.
    bool next();

  private:
    struct Wheel {
        int domain = 1;
        int value = 0;
        std::vector<std::pair<std::size_t, const int *>> moved; ///< per function: its index and its offsets by value
    };
    std::vector<Wheel> wheels_;
    std::vector<std::size_t> offsets_;
};

/// The minimum without a byte limit. It is exact if no joint table exceeded `largest_table`; otherwise `lower_bound` is
/// a bound (mini-buckets: Dechter and Rish 2003) and `values` a good assignment. `price`: the weight of the bytes.
struct ScalarResult {
    std::vector<int> values;
    double lower_bound = 0; ///< of seconds + price * bytes
    bool exact = true;
};
[[nodiscard]] ScalarResult minimise_scalar(const std::vector<int> &domains, const std::vector<Function> &functions,
                                           Memo &memo, std::size_t largest_table, double seconds, double price);

} // namespace planc::plan

// One step of an elimination: the least sum of some functions over the values of one variable, for each combination of
// classes of the other variables. Most of the time of a search is spent here.
#pragma once

#include <memory>
#include <vector>

namespace planc::plan {

/// One of the functions: data[sum over variables of offset(class)]; an empty list of offsets: it does not depend on the
/// variable.
struct Summand {
    const double *data = nullptr;
    std::vector<int> of_value;               ///< of the variable that is eliminated
    std::vector<std::vector<int>> of_others; ///< per other variable
};

/// `values`: how many the variable has; `counts`: how many classes the others have. The result is row-major, the last
/// one fastest.
[[nodiscard]] std::shared_ptr<const std::vector<double>>
least(std::size_t values, const std::vector<std::size_t> &counts, const std::vector<Summand> &summands);

} // namespace planc::plan

#include "plan/terms/numbered_placements.h"

#include <algorithm>
#include <set>

namespace planc::plan {

Placements::Placements(sharding::Reshards &reshards, NumberedPlacements &known, const sharding::Nest &nest,
                       const std::vector<int> &own, bool is_result)
    : reshards_(reshards), known_(known), digit_of_loop_(nest.loops.size(), 0) {
    for (std::size_t loop = 0; is_result && loop < nest.loops.size(); ++loop)
        if (nest.loops[loop].kind == sharding::LoopKind::reduced)
            digit_of_loop_[loop] = static_cast<char>(own.size() + 1);
    for (std::size_t dimension = 0; dimension < own.size(); ++dimension)
        digit_of_loop_[own[dimension]] = static_cast<char>(dimension + 1);
    if (const auto &sparse = nest.sparse; sparse && digit_of_loop_[sparse->inner] != 0) // the rows say which are needed
        digit_of_loop_[sparse->outer] = std::max(digit_of_loop_[sparse->outer], static_cast<char>(own.size() + 2));
}

bool are_told_by_loops(const sharding::Nest &nest, const std::vector<int> &own, int operand,
                       const std::vector<std::int64_t> &extents) {
    const std::set<int> distinct(own.begin(), own.end());
    if (nest.sparse && nest.sparse->matrix != 0 && distinct.contains(nest.sparse->inner))
        return false; // rows that only some need depend on the axes of another loop
    if (nest.sparse && nest.sparse->matrix != 0 && nest.sparse->lists_rows && operand < 0)
        return false; // so do rows that only some touch
    return distinct.size() == own.size() &&
           std::equal(own.begin(), own.end(), extents.begin(), extents.end(),
                      [&](int loop, std::int64_t extent) { return nest.loops[loop].extent == extent; }) &&
           std::none_of(nest.windows.begin(), nest.windows.end(),
                        [&](const sharding::NestWindow &window) { return window.operand == operand; });
}

} // namespace planc::plan

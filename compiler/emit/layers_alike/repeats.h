// Finds repetitions in a sequence: runs of equal blocks, one after another.
//
//   in {7, 1, 2, 1, 2, 1, 2, 9} it is {begin 1, period 2, count 3}
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace planc::emit {

/// The elements [begin, begin + period) occur `count` times in a row.
struct Repeat {
    std::size_t begin = 0;
    std::size_t period = 0;
    std::size_t count = 0;
    friend bool operator==(const Repeat &, const Repeat &) = default;
};

/// How suitable blocks that begin at this element are. Of the shifts of a run with the same count, the best is taken.
using BlockScore = std::function<int(std::size_t begin, std::size_t period)>;

/// Runs that do not overlap, in order. The run that repeats the most lines is taken first (among equals the one with
/// the shortest blocks), then those to the left and right of it. `lines`: of each element. A run counts only if it
/// saves more lines than its table and its function take.
[[nodiscard]] std::vector<Repeat> find_repeats(const std::vector<int> &elements, const std::vector<int> &lines,
                                               const BlockScore &score = nullptr);

} // namespace planc::emit

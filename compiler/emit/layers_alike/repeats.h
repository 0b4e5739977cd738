// Where a sequence repeats itself: runs of equal blocks, one behind the other.
//
//   in {7, 1, 2, 1, 2, 1, 2, 9} it is {begin 1, period 2, count 3}
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace planc::emit {

/// The elements [begin, begin + period) stand `count` times in a row.
struct Repeat {
    std::size_t begin = 0;
    std::size_t period = 0;
    std::size_t count = 0;
    friend bool operator==(const Repeat &, const Repeat &) = default;
};

/// How well blocks that begin at this element suit; of the shifts of a run that have the same count the best is taken.
using BlockScore = std::function<int(std::size_t begin, std::size_t period)>;

/// Runs that do not overlap, in order: first the one that repeats the most lines, of those the one with the shortest
/// blocks, then left and right of it. `lines`: of each element. A run counts that saves more lines than its table and
/// its function take.
[[nodiscard]] std::vector<Repeat> find_repeats(const std::vector<int> &elements, const std::vector<int> &lines,
                                               const BlockScore &score = nullptr);

} // namespace planc::emit

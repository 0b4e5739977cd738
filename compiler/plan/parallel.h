// Independent pieces of work on the cores of this machine.
#pragma once

#include <cstddef>
#include <functional>

namespace planc::plan {

/// Calls work(0) … work(count - 1), begun in this order, several at once; each must touch only what is its own. Work
/// that holds a lock must not call this: what would run its parts may wait for the lock.
void in_parallel(std::size_t count, const std::function<void(std::size_t)> &work);

/// The same, where the first `at_once` take about equally long: these all go on side by side, even if they are some
/// more than the cores, so that none of them is left for the end, when all other cores are through.
void in_parallel(std::size_t count, std::size_t at_once, const std::function<void(std::size_t)> &work);

} // namespace planc::plan

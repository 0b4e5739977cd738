// Independent pieces of work on the cores of this machine.
#pragma once

#include <cstddef>
#include <functional>

namespace planc::plan {

/// Calls work(0) … work(count - 1), begun in this order, several at once; each must touch only what is its own. Work
/// that holds a lock must not call this: what would run its parts may wait for the lock.
void in_parallel(std::size_t count, const std::function<void(std::size_t)> &work);

/// The same of a few pieces that take equally long: all go on side by side, so that none is left for the end where they
/// are not a multiple of the cores.
void all_at_once(std::size_t count, const std::function<void(std::size_t)> &work);

} // namespace planc::plan

// Runs independent pieces of work on the cores of this machine.
#pragma once

#include <cstddef>
#include <functional>

namespace planc::support {

/// Calls work(0) … work(count - 1), started in this order, several at once. Each call must touch only its own data.
/// Work that holds a lock must not call this: the threads that would run its parts may wait for the lock.
void in_parallel(std::size_t count, const std::function<void(std::size_t)> &work);

/// The same. The first `at_once` calls take about equally long; they all run at once, even if they are somewhat more
/// than the cores, so that none of them starts when all other cores are already idle.
void in_parallel(std::size_t count, std::size_t at_once, const std::function<void(std::size_t)> &work);

} // namespace planc::support

// Independent pieces of work on the cores of this machine.
#pragma once

#include <cstddef>
#include <functional>

namespace planc::plan {

/// Calls work(0) … work(count - 1), in any order and several at once; each must touch only what is its own.
void in_parallel(std::size_t count, const std::function<void(std::size_t)> &work);

} // namespace planc::plan

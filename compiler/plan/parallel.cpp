#include "plan/parallel.h"

#include "llvm/Support/Parallel.h"

#include <algorithm>
#include <atomic>

namespace planc::plan {

/// On threads that stay: one that ends gives its heap up, and the next would have to take it over.
void in_parallel(std::size_t count, const std::function<void(std::size_t)> &work) {
    std::atomic<std::size_t> next = 0;
    const auto run = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            work(i);
    };
    llvm::parallel::TaskGroup helpers;
    const std::size_t cores = llvm::parallel::strategy.compute_thread_count();
    for (std::size_t i = 1; i < std::min(cores, count); ++i)
        helpers.spawn(run);
    run();
}

} // namespace planc::plan

#include "support/parallel.h"

#include "llvm/Support/Parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace planc::support {

namespace {

constexpr std::size_t most_for_a_core = 2; ///< threads

std::size_t cores() {
    return llvm::parallel::strategy.compute_thread_count();
}

} // namespace

/// Uses persistent threads: a thread that ends abandons its heap, and the next one would have to take it over. Only
/// threads beyond the number of cores are started and ended here.
void in_parallel(std::size_t count, std::size_t at_once, const std::function<void(std::size_t)> &work) {
    std::atomic<std::size_t> next = 0;
    const auto run = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            work(i);
    };
    std::vector<std::jthread> others;
    llvm::parallel::TaskGroup helpers;
    for (std::size_t i = 1; i < std::min(cores(), count); ++i)
        helpers.spawn(run);
    const std::size_t threads = std::min(at_once, count);
    if (threads <= most_for_a_core * cores())
        for (std::size_t i = cores(); i < threads; ++i)
            others.emplace_back(run);
    run();
}

void in_parallel(std::size_t count, const std::function<void(std::size_t)> &work) {
    in_parallel(count, 1, work);
}

} // namespace planc::support

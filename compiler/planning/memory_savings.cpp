#include "planning/memory_savings.h"

#include <algorithm>

namespace planc::planning {

namespace {

constexpr std::int64_t most_microbatches = 64;

} // namespace

std::vector<std::string> words(const MemorySavings &savings) {
    std::vector<std::string> result;
    if (savings.microbatches > 1)
        result.push_back("gradients summed over " + std::to_string(savings.microbatches) + " micro-batches");
    for (const std::string &selector : savings.recompute)
        result.push_back("activations of " + (selector.empty() ? "each layer" : selector) + " computed again");
    if (savings.cover > 0)
        result.push_back("sparse products move minimal covers of " + std::to_string(savings.cover) + " parts");
    return result;
}

std::vector<MemorySavings> further_savings(const MemorySavings &pinned, std::int64_t batch) {
    const bool counts = pinned.microbatches == 1;
    const bool recomputes = pinned.recompute.empty();
    std::vector<MemorySavings> all;
    const std::int64_t most = counts ? std::min(batch, most_microbatches) : pinned.microbatches;
    for (const bool again : {false, true})
        for (std::int64_t count = pinned.microbatches; count <= most && (recomputes || !again); count *= 2)
            if (again || count != pinned.microbatches)
                all.push_back({count, again ? std::vector<std::string>{""} : pinned.recompute, pinned.cover});
    return all;
}

} // namespace planc::planning

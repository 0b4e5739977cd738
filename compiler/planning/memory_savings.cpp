#include "planning/memory_savings.h"

#include <algorithm>

namespace planc::planning {

namespace {

constexpr std::int64_t most_microbatches = 64;

/// "each block", "block[0], block[1]", "12 blocks (block[0], …, block[11])"
std::string words_of(const std::vector<std::string> &selectors) {
    constexpr std::size_t most_listed = 3;
    if (std::ranges::find(selectors, "") != selectors.end())
        return "each block";
    const auto is_pattern = [](const std::string &selector) { return selector.find('*') != std::string::npos; };
    if (selectors.size() > most_listed && std::ranges::none_of(selectors, is_pattern))
        return std::to_string(selectors.size()) + " blocks (" + selectors.front() + ", …, " + selectors.back() + ")";
    std::string all;
    for (const std::string &selector : selectors)
        all += (all.empty() ? "" : ", ") + selector;
    return all;
}

} // namespace

std::vector<std::string> words(const MemorySavings &savings) {
    std::vector<std::string> result;
    if (savings.microbatches > 1)
        result.push_back("gradients summed over " + std::to_string(savings.microbatches) + " micro-batches");
    if (!savings.recompute.empty())
        result.push_back("activations of " + words_of(savings.recompute) + " computed again");
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

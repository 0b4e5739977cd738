#include "schedule/arena.h"

#include <algorithm>
#include <numeric>

namespace planc::schedule {

namespace {

/// A placed buffer. Blocks are contiguous in memory, because all of them are examined for each new buffer.
struct Block {
    int begin = 0;
    int end = 0;
    std::int64_t offset = 0;
    std::int64_t top = 0;
};

bool overlap(const Lifetime &a, const Block &b) {
    return a.begin <= b.end && b.begin <= a.end;
}

} // namespace

Placed place(const std::vector<Lifetime> &buffers) {
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
    Placed placed{std::vector<std::int64_t>(buffers.size(), 0), 0};
    std::vector<Block> done; // ascending by offset
    for (std::size_t i : order) {
        const std::int64_t bytes = aligned(buffers[i].bytes);
        std::int64_t offset = 0;
        for (const Block &other : done) {
            if (!overlap(buffers[i], other))
                continue;
            if (offset + bytes <= other.offset)
                break;
            offset = std::max(offset, other.top);
        }
        placed.offsets[i] = offset;
        placed.bytes = std::max(placed.bytes, offset + buffers[i].bytes);
        const auto later = std::upper_bound(done.begin(), done.end(), offset,
                                            [](std::int64_t at, const Block &other) { return at < other.offset; });
        done.insert(later, {buffers[i].begin, buffers[i].end, offset, offset + bytes});
    }
    return placed;
}

} // namespace planc::schedule

#include "schedule/arena.h"

#include <algorithm>
#include <numeric>

namespace planc::schedule {

namespace {

bool overlap(const Lifetime &a, const Lifetime &b) {
    return a.begin <= b.end && b.begin <= a.end;
}

} // namespace

Placed place(const std::vector<Lifetime> &buffers) {
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
    Placed placed{std::vector<std::int64_t>(buffers.size(), 0), 0};
    std::vector<std::size_t> done; // ascending by offset
    for (std::size_t i : order) {
        const std::int64_t bytes = aligned(buffers[i].bytes);
        std::int64_t offset = 0;
        for (std::size_t other : done) {
            if (!overlap(buffers[i], buffers[other]))
                continue;
            if (offset + bytes <= placed.offsets[other])
                break;
            offset = std::max(offset, placed.offsets[other] + aligned(buffers[other].bytes));
        }
        placed.offsets[i] = offset;
        placed.bytes = std::max(placed.bytes, offset + buffers[i].bytes);
        const auto later = [&](std::size_t other) { return placed.offsets[other] > offset; };
        done.insert(std::find_if(done.begin(), done.end(), later), i);
    }
    return placed;
}

} // namespace planc::schedule

#include "collectives/box_copy.h"

#include <algorithm>

namespace planrt {

BoxCopy::BoxCopy(const std::byte *from, const Box &from_box, std::byte *to, const Box &to_box, const Box &moved,
                 std::size_t element_bytes)
    : from_(from), to_(to), run_bytes_(element_bytes) {
    if (volume(moved) == 0) {
        run_bytes_ = 0;
        return;
    }
    std::int64_t from_stride = static_cast<std::int64_t>(element_bytes);
    std::int64_t to_stride = from_stride;
    for (std::size_t d = moved.size(); d-- > 0;) {
        from_ += (moved[d].begin - from_box[d].begin) * from_stride;
        to_ += (moved[d].begin - to_box[d].begin) * to_stride;
        const std::int64_t count = moved[d].size();
        // A loop whose steps are adjacent in both buffers belongs to the run inside it.
        const auto run = static_cast<std::int64_t>(run_bytes_);
        if (loops_.empty() && from_stride == run && to_stride == run)
            run_bytes_ *= static_cast<std::size_t>(count);
        else if (count != 1)
            loops_.push_back({count, from_stride, to_stride});
        from_stride *= from_box[d].size();
        to_stride *= to_box[d].size();
    }
    std::ranges::reverse(loops_);
}

} // namespace planrt

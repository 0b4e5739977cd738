#include "collectives/box_copy.h"

#include <algorithm>

namespace planrt {

namespace {

std::vector<std::int64_t> offsets(const Range &moved, const Range &box, std::int64_t stride) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < moved.size(); ++i)
        result.push_back(box.position(moved.index(i)) * stride);
    return result;
}

} // namespace

BoxCopy::BoxCopy(const std::byte *from, const Box &from_box, std::byte *to, const Box &to_box, const Box &moved,
                 std::size_t element_bytes)
    : from_(from), to_(to), element_bytes_(element_bytes), run_bytes_(element_bytes) {
    if (volume(moved) == 0) {
        run_bytes_ = 0;
        return;
    }
    std::int64_t from_stride = static_cast<std::int64_t>(element_bytes);
    std::int64_t to_stride = from_stride;
    for (std::size_t d = moved.size(); d-- > 0;) {
        const std::int64_t count = moved[d].size();
        if (!is_run(moved[d], from_box[d]) || !is_run(moved[d], to_box[d])) {
            loops_.push_back(
                {count, 0, 0, offsets(moved[d], from_box[d], from_stride), offsets(moved[d], to_box[d], to_stride)});
            from_stride *= from_box[d].size();
            to_stride *= to_box[d].size();
            continue;
        }
        from_ += from_box[d].position(moved[d].index(0)) * from_stride;
        to_ += to_box[d].position(moved[d].index(0)) * to_stride;
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

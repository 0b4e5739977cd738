#include "interpret/array.h"

namespace planc::interpret {

Array make_array(std::vector<std::int64_t> extents, double value) {
    std::int64_t elements = 1;
    for (std::int64_t extent : extents)
        elements *= extent;
    return {std::move(extents), std::vector<double>(static_cast<std::size_t>(elements), value)};
}

Block make_block(planrt::Box box, double value) {
    const auto elements = static_cast<std::size_t>(planrt::volume(box));
    return {std::move(box), std::vector<double>(elements, value)};
}

std::size_t offset(const Block &block, const std::vector<std::int64_t> &point) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < point.size(); ++d)
        at = at * block.box[d].size() + (point[d] - block.box[d].begin);
    return static_cast<std::size_t>(at);
}

Block cut(const Array &whole, const planrt::Box &box) {
    planrt::Box all;
    for (std::int64_t extent : whole.extents)
        all.push_back({0, extent});
    Block part = make_block(box);
    copy({all, whole.values}, box, part);
    return part;
}

void copy(const Block &from, const planrt::Box &part, Block &to) {
    for_each_point(part, [&](const std::vector<std::int64_t> &point) {
        to.values[offset(to, point)] = from.values[offset(from, point)];
    });
}

} // namespace planc::interpret

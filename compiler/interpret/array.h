// Whole arrays and the blocks of them that ranks hold, in double precision.
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <string>
#include <vector>

namespace planc::interpret {

/// A whole tensor, dense, row-major.
struct Array {
    std::vector<std::int64_t> extents;
    std::vector<double> values;
};
[[nodiscard]] Array make_array(std::vector<std::int64_t> extents, double value = 0);

/// A box of a tensor, dense, row-major within the box. What one rank holds.
struct Block {
    planrt::Box box;
    std::vector<double> values;
};
[[nodiscard]] Block make_block(planrt::Box box, double value = 0);

/// Index within a block of a point of the whole tensor.
[[nodiscard]] std::size_t offset(const Block &block, const std::vector<std::int64_t> &point);

/// Calls `visit(point)` for every point of a box, the last dimension fastest. A box without dimensions has one point.
template <class Visit> void for_each_point(const planrt::Box &box, Visit visit) {
    std::vector<std::int64_t> point;
    for (const planrt::Range &range : box) {
        if (range.size() == 0)
            return;
        point.push_back(range.begin);
    }
    while (true) {
        visit(point);
        std::size_t d = box.size();
        while (d > 0 && ++point[d - 1] == box[d - 1].end) {
            point[d - 1] = box[d - 1].begin;
            --d;
        }
        if (d == 0)
            return;
    }
}

/// The part of `whole` in `box`.
[[nodiscard]] Block cut(const Array &whole, const planrt::Box &box);
/// Writes `part` of `from` into `to`; both contain it.
void copy(const Block &from, const planrt::Box &part, Block &to);

} // namespace planc::interpret

#include "mesh/pieces.h"

#include <algorithm>

namespace planrt {

namespace {

class Cutter {
  public:
    explicit Cutter(const Box &box) : current_(box) {}

    /// `range` counts the elements of the dimensions from `depth` on; earlier dimensions have one index each.
    void cut(std::size_t depth, Range range) {
        if (range.size() == 0)
            return;
        if (depth == current_.size()) {
            found.push_back(current_);
            return;
        }
        const Range whole = current_[depth];
        std::int64_t inner = 1; // elements of one index of this dimension
        for (std::size_t d = depth + 1; d < current_.size(); ++d)
            inner *= current_[d].size();
        const std::int64_t first = (range.begin + inner - 1) / inner; // whole indices
        const std::int64_t last = range.end / inner;
        if (first > last) { // within one index
            single(depth, whole.begin + last, {range.begin - last * inner, range.end - last * inner});
        } else {
            if (range.begin < first * inner)
                single(depth, whole.begin + first - 1, {range.begin - (first - 1) * inner, inner});
            if (first < last) {
                current_[depth] = {whole.begin + first, whole.begin + last};
                found.push_back(current_);
            }
            single(depth, whole.begin + last, {0, range.end - last * inner});
        }
        current_[depth] = whole;
    }

    std::vector<Box> found;

  private:
    void single(std::size_t depth, std::int64_t index, Range range) {
        current_[depth] = {index, index + 1};
        cut(depth + 1, range);
    }

    Box current_;
};

} // namespace

std::vector<Box> pieces(const Box &box, Range range) {
    Cutter cutter(box);
    cutter.cut(0, range);
    return std::move(cutter.found);
}

std::vector<Box> pieces(const Placement &placement, const Mesh &mesh, int rank) {
    return pieces(local_box(placement, mesh, rank), stored_range(placement, mesh, rank));
}

} // namespace planrt

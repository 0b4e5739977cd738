#include "sharding/elements.h"

#include <algorithm>

namespace planc::sharding::reference {

Box whole_box(const Placement &placement) {
    Box result;
    for (const planrt::DimensionPlacement &dimension : placement.dimensions)
        result.push_back({0, dimension.extent});
    return result;
}

std::size_t offset(const Box &box, const Index &index) {
    std::int64_t result = 0;
    for (std::size_t d = 0; d < box.size(); ++d)
        result = result * box[d].size() + box[d].position(index[d]);
    return static_cast<std::size_t>(result);
}

bool inside(const Box &box, const Index &index) {
    for (std::size_t d = 0; d < box.size(); ++d)
        if (!box[d].has(index[d]))
            return false;
    return true;
}

void for_each(const Box &box, const std::function<void(const Index &)> &body) {
    if (volume(box) == 0)
        return;
    Index index;
    for (const Range &range : box)
        index.push_back(range.index(0));
    std::vector<std::int64_t> at(box.size(), 0);
    while (true) {
        body(index);
        std::size_t d = box.size();
        while (d > 0 && ++at[d - 1] == box[d - 1].size()) {
            at[d - 1] = 0;
            index[d - 1] = box[d - 1].index(0);
            --d;
        }
        if (d > 0)
            index[d - 1] = box[d - 1].index(at[d - 1]);
        if (d == 0)
            return;
    }
}

void for_each_held(const Placement &placement, const Mesh &mesh, int rank,
                   const std::function<void(const Index &)> &body) {
    const Range share = stored_range(placement, mesh, rank);
    std::int64_t position = 0;
    for_each(local_box(placement, mesh, rank), [&](const Index &index) {
        if (position >= share.begin && position < share.end)
            body(index);
        ++position;
    });
}

std::int64_t position_of(const Placement &placement, const Mesh &mesh, int rank, const Index &index) {
    const Box box = local_box(placement, mesh, rank);
    const Range share = stored_range(placement, mesh, rank);
    if (!inside(box, index))
        return -1;
    const auto position = static_cast<std::int64_t>(offset(box, index));
    return position >= share.begin && position < share.end ? position - share.begin : -1;
}

Element combine(Reduction reduction, Element a, Element b) {
    switch (reduction) {
    case Reduction::sum:
        return a + b;
    case Reduction::max:
        return std::max(a, b);
    case Reduction::min:
        return std::min(a, b);
    }
    return 0;
}

Element identity(Reduction reduction) {
    return reduction == Reduction::min ? ~Element{0} : 0;
}

} // namespace planc::sharding::reference

#include "interpret/layouts.h"

#include <map>

namespace planc::interpret {

const Layout &Layouts::of(ir::TensorType type) {
    std::unique_ptr<Layout> &layout = known_[type];
    if (layout)
        return *layout;
    layout = std::make_unique<Layout>();
    layout->placement = ir::placement_of(type, axes_);
    std::map<std::vector<std::int64_t>, int> first;
    for (int rank = 0; rank < mesh_.ranks(); ++rank) {
        const planrt::Box box = planrt::local_box(layout->placement, mesh_, rank);
        std::vector<std::int64_t> key;
        for (const planrt::Range &range : box) {
            key.push_back(range.begin);
            key.push_back(range.end);
            key.push_back(reinterpret_cast<std::intptr_t>(range.listed));
        }
        const planrt::Range stored = planrt::stored_range(layout->placement, mesh_, rank);
        key.push_back(stored.begin);
        key.push_back(stored.end);
        const std::vector<int> coordinates = mesh_.coordinates(rank);
        for (int axis : layout->placement.partial)
            key.push_back(coordinates[static_cast<std::size_t>(axis)]);
        layout->boxes.push_back(box);
        layout->stored.push_back(stored);
        layout->replica_of.push_back(first.emplace(std::move(key), rank).first->second);
    }
    return *layout;
}

int element_bytes(ir::TensorType type) {
    return static_cast<int>(type.getElementType().getIntOrFloatBitWidth() / 8);
}

} // namespace planc::interpret

// One rank's part of a tensor in the interpreter, and copies between parts.
#pragma once

#include <planrt/layout.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace planc::interpret {

/// The elements of a box of global indices, row-major, or only a range of them if the layout is sharded.
struct Local {
    planrt::Box box;
    planrt::Range stored; ///< positions in the flattened box that this rank holds
    std::vector<double> elements;

    explicit Local(const planrt::Box &where, double fill = 0) : Local(where, {0, planrt::volume(where)}, fill) {}
    Local(planrt::Box where, planrt::Range held, double fill = 0)
        : box(std::move(where)), stored(held), elements(static_cast<std::size_t>(held.size()), fill) {}
    Local() = default;

    [[nodiscard]] bool is_whole() const { return stored.size() == planrt::volume(box); }
    [[nodiscard]] bool has(std::size_t position) const {
        return static_cast<std::int64_t>(position) >= stored.begin && static_cast<std::int64_t>(position) < stored.end;
    }
    /// The element at a position of the flattened box that it holds.
    [[nodiscard]] double &at(std::size_t position) {
        return elements[position - static_cast<std::size_t>(stored.begin)];
    }
    [[nodiscard]] double at(std::size_t position) const {
        return elements[position - static_cast<std::size_t>(stored.begin)];
    }
};

/// Calls visit(position in outer, position in inner) for every index of `inner`, which lies within `outer`.
void for_each_offset(const planrt::Box &outer, const planrt::Box &inner,
                     const std::function<void(std::size_t, std::size_t)> &visit);

/// The part of `from`, which is replicated, in the range `stored` of `box`.
[[nodiscard]] Local extract(const Local &from, const planrt::Box &box, planrt::Range stored);

[[nodiscard]] bool contains(const planrt::Box &outer, const planrt::Box &inner);

} // namespace planc::interpret

// One rank's part of a tensor in the interpreter, and copies between parts.
#pragma once

#include <planrt/layout.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace planc::interpret {

/// The elements of a box of global indices, row-major.
struct Local {
    planrt::Box box;
    std::vector<double> elements;

    explicit Local(planrt::Box where, double fill = 0)
        : box(std::move(where)), elements(static_cast<std::size_t>(planrt::volume(box)), fill) {}
    Local() = default;
};

/// Calls visit(offset in outer, offset in inner) for every index of `inner`, which lies within `outer`.
void for_each_offset(const planrt::Box &outer, const planrt::Box &inner,
                     const std::function<void(std::size_t, std::size_t)> &visit);

/// The part of `from` in `box`.
[[nodiscard]] Local extract(const Local &from, const planrt::Box &box);

[[nodiscard]] bool contains(const planrt::Box &outer, const planrt::Box &inner);

} // namespace planc::interpret

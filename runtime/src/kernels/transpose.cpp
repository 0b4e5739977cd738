// Permutes dimensions. Neighbouring dimensions that stay neighbours are merged first. What remains either copies runs
// (if the innermost dimension stays) or moves tiles between the two innermost dimensions.
#include <planrt/kernels.h>

#include "support/failure.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace planrt {

namespace {

constexpr int most_dimensions = 32; // after merging

/// A merged loop over one dimension: `count` steps, strides in elements.
struct Loop {
    std::int64_t count;
    std::int64_t from_stride;
    std::int64_t to_stride;
};

/// Loops in the order of `to`, innermost last.
struct Loops {
    std::array<Loop, most_dimensions> loop;
    int count = 0;

    void add(Loop next) {
        if (next.count == 1)
            return;
        if (count > 0 && loop[count - 1].from_stride == next.count * next.from_stride) { // still neighbours
            loop[count - 1] = {loop[count - 1].count * next.count, next.from_stride, 0};
            return;
        }
        if (count == most_dimensions)
            throw Failure(text("transpose: more than %d dimensions", most_dimensions));
        loop[count++] = next;
    }
};

Loops plan(std::span<const std::int64_t> extents, std::span<const int> permutation) {
    Loops loops;
    for (const int dimension : permutation) {
        std::int64_t from_stride = 1;
        for (std::size_t inner = dimension + 1; inner < extents.size(); ++inner)
            from_stride *= extents[inner];
        loops.add({extents[dimension], from_stride, 0});
    }
    std::int64_t to_stride = 1;
    for (int i = loops.count; i-- > 0;) {
        loops.loop[i].to_stride = to_stride;
        to_stride *= loops.loop[i].count;
    }
    return loops;
}

/// to[i, j] = from[j, i]; both are traversed in tiles that stay in the first-level cache.
template <class T> void transpose_tiles(const T *from, T *to, Loop rows, Loop columns) {
    constexpr std::int64_t tile = 16;
    for (std::int64_t row = 0; row < rows.count; row += tile)
        for (std::int64_t column = 0; column < columns.count; column += tile) {
            const std::int64_t row_end = std::min(row + tile, rows.count);
            const std::int64_t column_end = std::min(column + tile, columns.count);
            for (std::int64_t i = row; i < row_end; ++i)
                for (std::int64_t j = column; j < column_end; ++j)
                    to[i * rows.to_stride + j * columns.to_stride] =
                        from[i * rows.from_stride + j * columns.from_stride];
        }
}

/// Calls body(from, to) for every combination of the loops listed.
template <class T, class Body>
void for_each(const Loops &loops, const int *chosen, int depth, int count, const T *from, T *to, const Body &body) {
    if (depth == count)
        return body(from, to);
    const Loop &loop = loops.loop[chosen[depth]];
    for (std::int64_t i = 0; i < loop.count; ++i)
        for_each(loops, chosen, depth + 1, count, from + i * loop.from_stride, to + i * loop.to_stride, body);
}

template <class T>
void permute(const T *from, std::span<const std::int64_t> extents, std::span<const int> permutation, T *to) {
    if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent == 0; }))
        return;
    const Loops loops = plan(extents, permutation);
    if (loops.count == 0) {
        *to = *from;
        return;
    }
    const int last = loops.count - 1;
    std::array<int, most_dimensions> outer{};
    int outer_count = 0;
    if (loops.loop[last].from_stride == 1) {
        for (int i = 0; i < last; ++i)
            outer[outer_count++] = i;
        const std::size_t bytes = loops.loop[last].count * sizeof(T);
        for_each(loops, outer.data(), 0, outer_count, from, to,
                 [bytes](const T *source, T *target) { std::memcpy(target, source, bytes); });
        return;
    }
    const auto first = loops.loop.begin();
    const int innermost = static_cast<int>(
        std::find_if(first, first + last, [](const Loop &loop) { return loop.from_stride == 1; }) - first);
    for (int i = 0; i < last; ++i)
        if (i != innermost)
            outer[outer_count++] = i;
    for_each(loops, outer.data(), 0, outer_count, from, to, [&](const T *source, T *target) {
        transpose_tiles(source, target, loops.loop[innermost], loops.loop[last]);
    });
}

} // namespace

void transpose(const float *from, std::span<const std::int64_t> extents, std::span<const int> permutation, float *to) {
    permute(from, extents, permutation, to);
}

void transpose(const double *from, std::span<const std::int64_t> extents, std::span<const int> permutation,
               double *to) {
    permute(from, extents, permutation, to);
}

void transpose(const std::int32_t *from, std::span<const std::int64_t> extents, std::span<const int> permutation,
               std::int32_t *to) {
    permute(from, extents, permutation, to);
}

} // namespace planrt

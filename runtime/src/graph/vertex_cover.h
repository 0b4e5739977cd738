// The minimum vertex cover of a bipartite graph.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace planrt {

/// Vertices on two sides, and for each left one its right neighbours.
struct BipartiteGraph {
    std::int64_t right = 0;
    std::vector<std::int64_t> begin{
        0}; ///< left + 1: the neighbours of l are adjacent[begin[l]], …, before begin[l + 1]
    std::vector<std::int32_t> adjacent;

    [[nodiscard]] std::int64_t left() const { return static_cast<std::int64_t>(begin.size()) - 1; }
};

struct VertexCover {
    std::vector<bool> left;
    std::vector<bool> right;
};

/// As few vertices as possible so that each edge has one; of several such sets, one with the most left vertices.
[[nodiscard]] VertexCover minimum_vertex_cover(const BipartiteGraph &graph);

} // namespace planrt

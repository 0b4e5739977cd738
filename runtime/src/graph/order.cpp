#include "graph/order.h"

#include "random/philox.h"

#include <planrt/vertex_order.h>

#include <numeric>
#include <utility>

namespace planrt {

namespace {

std::vector<std::int32_t> file_order(std::int64_t count) {
    std::vector<std::int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// Fisher and Yates.
std::vector<std::int32_t> random_order(std::int64_t count, std::uint64_t seed) {
    std::vector<std::int32_t> order = file_order(count);
    const RandomStream stream = random_stream(seed, "order of vertices");
    for (std::int64_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[random_below(stream, static_cast<std::uint64_t>(i), i)]);
    return order;
}

/// Which vertices have an edge in either direction, without self loops and values.
Pattern neighbours_of(const Pattern &pattern) {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    for (std::int64_t v = 0; v < pattern.rows; ++v)
        for (const std::int32_t u : pattern.columns_of(v))
            if (u != v)
                for (const auto &[row, column] :
                     {std::pair(static_cast<std::int32_t>(v), u), std::pair(u, static_cast<std::int32_t>(v))}) {
                    rows.push_back(row);
                    columns.push_back(column);
                }
    Pattern neighbours = pattern_of(pattern.rows, pattern.columns, rows, columns);
    neighbours.values = {}; // which count in how many directions the edge was
    neighbours.value = 1;
    return neighbours;
}

/// Vertices by parts, in the order of the file within each.
VertexOrder order_by_parts(const std::vector<std::int32_t> &part, int parts) {
    Cuts cuts(parts + 1, 0);
    for (const std::int32_t p : part)
        ++cuts[p + 1];
    std::partial_sum(cuts.begin(), cuts.end(), cuts.begin());
    std::vector<std::int64_t> next = cuts;
    std::vector<std::int32_t> vertices(part.size());
    for (std::size_t v = 0; v < part.size(); ++v)
        vertices[next[part[v]]++] = static_cast<std::int32_t>(v);
    return {std::move(vertices), std::move(cuts)};
}

} // namespace

VertexOrder order_vertices(const Pattern &pattern, const OrderRequest &request) {
    const Cuts cuts = equal_cuts(pattern.rows, request.parts);
    if (request.ordering == VertexOrdering::random)
        return {random_order(pattern.rows, request.seed), cuts};
    if (request.ordering == VertexOrdering::metis && request.parts > 1 && request.parts < pattern.rows) {
        const Pattern neighbours = neighbours_of(pattern);
        if (neighbours.nonzeros() > 0) // METIS prints complaints about such graphs
            return order_by_parts(metis_parts(neighbours, request.parts, request.seed), request.parts);
    }
    return {file_order(pattern.rows), cuts};
}

} // namespace planrt

#include "graph/order.h"

#include "random/philox.h"
#include "support/plain_failure.h"

#include <planrt/vertex_order.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <set>
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

/// The order by METIS.
class Halving {
  public:
    explicit Halving(const Pattern &neighbours)
        : neighbours_(neighbours), place_(static_cast<std::size_t>(neighbours.rows), -1),
          tries_(static_cast<int>(std::clamp<std::int64_t>(within_a_second / (neighbours.nonzeros() + 1), 1, 10))) {}

    std::vector<std::int32_t> take() {
        halve(file_order(neighbours_.rows));
        return std::move(order_);
    }

  private:
    static constexpr std::size_t smallest = 16; // vertices that stay as they are
    /// Nonzeros that METIS halves time and again within a second. Ten tries move 2 to 7 % less than one.
    static constexpr std::int64_t within_a_second = 1 << 18;

    void halve(const std::vector<std::int32_t> &vertices) {
        if (vertices.size() <= smallest) {
            // Where ranks' blocks are a few vertices off from the halves, they had better be those with few edges.
            const auto begin = order_.insert(order_.end(), vertices.begin(), vertices.end());
            std::ranges::stable_sort(begin, order_.end(), {}, [&](std::int32_t v) { return neighbours_.degree(v); });
            return;
        }
        std::array<std::vector<std::int32_t>, 2> halves;
        std::vector<std::int64_t> work; // of a row of the product: its nonzeros
        for (const std::int32_t v : vertices)
            work.push_back(neighbours_.degree(v) + 1);
        const std::vector<std::int32_t> half = halves_of(among(vertices), work);
        for (std::size_t i = 0; i < vertices.size(); ++i)
            halves[half[i]].push_back(vertices[i]);
        for (const std::vector<std::int32_t> &each : halves)
            halve(each);
    }

    /// The edges between these vertices, which are ascending.
    Pattern among(const std::vector<std::int32_t> &vertices) {
        const auto count = static_cast<std::int64_t>(vertices.size());
        Pattern result{count, count, {0}, {}, {}, 1};
        for (std::size_t i = 0; i < vertices.size(); ++i)
            place_[vertices[i]] = static_cast<std::int32_t>(i);
        for (const std::int32_t v : vertices) {
            for (const std::int32_t u : neighbours_.columns_of(v))
                if (place_[u] >= 0)
                    result.column.push_back(place_[u]);
            result.row_begin.push_back(static_cast<std::int64_t>(result.column.size()));
        }
        for (const std::int32_t v : vertices)
            place_[v] = -1;
        return result;
    }

    /// Halves whose sizes differ by at most one, the larger one first, as ranks have them.
    [[nodiscard]] std::vector<std::int32_t> halves_of(const Pattern &neighbours,
                                                      std::span<const std::int64_t> work) const {
        const std::int64_t first = (neighbours.rows + 1) / 2;
        if (neighbours.nonzeros() == 0) { // METIS prints complaints about such graphs
            std::vector<std::int32_t> half(static_cast<std::size_t>(neighbours.rows), 0);
            std::fill(half.begin() + first, half.end(), 1);
            return half;
        }
        std::vector<std::int32_t> half = metis_halves(neighbours, work, tries_);
        balance(neighbours, first, half);
        return half;
    }

    /// Moves vertices until so many are in the first half, each time the one after whose move the fewest edges are cut.
    static void balance(const Pattern &neighbours, std::int64_t first, std::vector<std::int32_t> &half) {
        const std::int64_t surplus = std::ranges::count(half, 0) - first;
        const std::int32_t from = surplus > 0 ? 0 : 1;
        const auto price = [&](std::int32_t v) { // edges that the move cuts, less those that it no longer cuts
            std::int64_t cut = 0;
            for (const std::int32_t u : neighbours.columns_of(v))
                cut += half[u] == from ? 1 : -1;
            return std::pair(cut, v);
        };
        std::set<std::pair<std::int64_t, std::int32_t>> movable;
        for (std::int32_t v = 0; surplus != 0 && std::cmp_less(v, half.size()); ++v)
            if (half[v] == from)
                movable.insert(price(v));
        for (std::int64_t moves = std::abs(surplus); moves > 0; --moves) {
            const std::int32_t v = movable.extract(movable.begin()).value().second;
            for (const std::int32_t u : neighbours.columns_of(v))
                movable.erase(price(u));
            half[v] = 1 - from;
            for (const std::int32_t u : neighbours.columns_of(v))
                if (half[u] == from)
                    movable.insert(price(u));
        }
    }

    const Pattern &neighbours_;
    std::vector<std::int32_t> place_; ///< in the vertices that are being halved; -1: elsewhere
    int tries_;
    std::vector<std::int32_t> order_;
};

} // namespace

std::vector<std::int32_t> order_vertices(const Pattern &pattern, const OrderRequest &request) {
    switch (request.ordering) {
    case VertexOrdering::file:
        break;
    case VertexOrdering::random:
        return random_order(pattern.rows, request.seed);
    case VertexOrdering::metis:
        if (!has_metis())
            throw Failure(
                "order = metis needs METIS, which was not there when this was built; on Debian: libmetis-dev");
        return Halving(neighbours_of(pattern)).take();
    }
    return file_order(pattern.rows);
}

} // namespace planrt

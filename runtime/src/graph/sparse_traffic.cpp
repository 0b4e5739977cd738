#include <planrt/sparse_traffic.h>

#include "graph/block.h"

#include <algorithm>
#include <numeric>

namespace planrt {

namespace {

/// The part of each column.
std::vector<std::int32_t> part_of_columns(const Cuts &cuts) {
    std::vector<std::int32_t> part(cuts.back());
    for (std::size_t p = 0; p + 1 < cuts.size(); ++p)
        std::fill(part.begin() + cuts[p], part.begin() + cuts[p + 1], static_cast<std::int32_t>(p));
    return part;
}

/// The nonzeros of the rows of one part, by column parts; by rows within each.
class PartOfRows {
  public:
    PartOfRows(const Pattern &pattern, Range rows, const std::vector<std::int32_t> &column_part, std::size_t parts)
        : begin_(parts + 1, 0) {
        const std::int64_t first = pattern.row_begin[rows.begin];
        const std::int64_t count = pattern.row_begin[rows.end] - first;
        for (std::int64_t i = first; i < first + count; ++i)
            ++begin_[column_part[pattern.column[i]] + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        row_.resize(count);
        column_.resize(count);
        std::vector<std::int64_t> next = begin_;
        for (std::int64_t v = rows.begin; v < rows.end; ++v)
            for (const std::int32_t u : pattern.columns_of(v)) {
                const std::int64_t at = next[column_part[u]]++;
                row_[at] = static_cast<std::int32_t>(v);
                column_[at] = u;
            }
    }

    [[nodiscard]] std::size_t nonzeros(std::size_t part) const { return begin_[part + 1] - begin_[part]; }
    [[nodiscard]] std::span<const std::int32_t> rows(std::size_t part) const {
        return std::span(row_).subspan(begin_[part], nonzeros(part));
    }
    [[nodiscard]] std::span<const std::int32_t> columns(std::size_t part) const {
        return std::span(column_).subspan(begin_[part], nonzeros(part));
    }

  private:
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> row_;
    std::vector<std::int32_t> column_;
};

/// The block of these rows and columns.
Block block_of(const Pattern &pattern, Range rows, Range columns) {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    for (std::int64_t v = rows.begin; v < rows.end; ++v) {
        const auto all = pattern.columns_of(v);
        for (auto u = std::ranges::lower_bound(all, columns.begin); u != all.end() && *u < columns.end; ++u) {
            row.push_back(static_cast<std::int32_t>(v));
            column.push_back(*u);
        }
    }
    return BlockMaker(pattern.columns).make(row, column);
}

void count_cover(const BipartiteGraph &graph, BlockTraffic &traffic) {
    const VertexCover cover = minimum_vertex_cover(graph);
    traffic.cover_columns = std::ranges::count(cover.left, true);
    traffic.cover_rows = std::ranges::count(cover.right, true);
}

} // namespace

std::vector<BlockTraffic> block_traffic(const Pattern &pattern, const Cuts &row_cuts, const Cuts &column_cuts,
                                        Covers covers) {
    const std::vector<std::int32_t> column_part = part_of_columns(column_cuts);
    const std::size_t column_parts = column_cuts.size() - 1;
    BlockMaker maker(pattern.columns);
    std::vector<BlockTraffic> result;
    for (std::size_t p = 0; p + 1 < row_cuts.size(); ++p) {
        const PartOfRows part(pattern, {row_cuts[p], row_cuts[p + 1]}, column_part, column_parts);
        for (std::size_t q = 0; q < column_parts; ++q) {
            if (part.nonzeros(q) == 0)
                continue;
            const Block block = maker.make(part.rows(q), part.columns(q));
            BlockTraffic traffic{static_cast<int>(p), static_cast<int>(q), static_cast<std::int64_t>(part.nonzeros(q)),
                                 static_cast<std::int64_t>(block.rows.size()),
                                 static_cast<std::int64_t>(block.columns.size())};
            if (covers == Covers::all || (covers == Covers::off_diagonal && p != q))
                count_cover(block.graph, traffic);
            result.push_back(traffic);
        }
    }
    return result;
}

RowsMoved rows_moved(const Pattern &pattern, const Cuts &cuts) {
    RowsMoved moved;
    moved.broadcast = pattern.columns * (static_cast<std::int64_t>(cuts.size()) - 2);
    for (const BlockTraffic &block : block_traffic(pattern, cuts, cuts, Covers::off_diagonal))
        if (block.row_part != block.column_part) {
            moved.needed += block.columns;
            moved.cover += block.cover();
        }
    return moved;
}

BlockCover minimal_cover(const Pattern &pattern, Range rows, Range columns) {
    const Block block = block_of(pattern, rows, columns);
    const VertexCover cover = minimum_vertex_cover(block.graph);
    BlockCover result;
    for (std::size_t l = 0; l < cover.left.size(); ++l)
        if (cover.left[l])
            result.columns.push_back(block.columns[l]);
    for (std::size_t r = 0; r < cover.right.size(); ++r)
        if (cover.right[r])
            result.rows.push_back(block.rows[r]);
    std::ranges::sort(result.columns);
    return result;
}

} // namespace planrt

#include <planrt/sparse_traffic.h>

#include "graph/block.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace planrt {

namespace {

/// The part of each column.
std::vector<std::int32_t> part_of_columns(const Cuts &cuts) {
    std::vector<std::int32_t> part(cuts.back());
    for (std::size_t p = 0; p + 1 < cuts.size(); ++p)
        std::fill(part.begin() + cuts[p], part.begin() + cuts[p + 1], static_cast<std::int32_t>(p));
    return part;
}

/// The nonzeros of the rows of one part after another, by column parts; by rows within each. Parts without nonzeros
/// take no time.
class PartOfRows {
  public:
    PartOfRows(const Pattern &pattern, const Cuts &column_cuts)
        : pattern_(pattern), part_of_(part_of_columns(column_cuts)), place_(column_cuts.size() - 1, -1) {}

    void read(Range rows) {
        for (const std::int32_t part : parts_)
            place_[part] = -1;
        parts_.clear();
        const std::int64_t first = pattern_.row_begin[rows.begin];
        const std::int64_t end = pattern_.row_begin[rows.end];
        for (std::int64_t i = first; i < end; ++i)
            if (const std::int32_t part = part_of_[pattern_.column[i]]; std::exchange(place_[part], 0) < 0)
                parts_.push_back(part);
        std::ranges::sort(parts_);
        for (std::size_t i = 0; i < parts_.size(); ++i)
            place_[parts_[i]] = static_cast<std::int32_t>(i);
        begin_.assign(parts_.size() + 1, 0);
        for (std::int64_t i = first; i < end; ++i)
            ++begin_[place_[part_of_[pattern_.column[i]]] + 1];
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        row_.resize(end - first);
        column_.resize(end - first);
        std::vector<std::int64_t> next = begin_;
        for (std::int64_t v = rows.begin; v < rows.end; ++v)
            for (const std::int32_t u : pattern_.columns_of(v)) {
                const std::int64_t at = next[place_[part_of_[u]]]++;
                row_[at] = static_cast<std::int32_t>(v);
                column_[at] = u;
            }
    }

    /// The column parts that have nonzeros, ascending; what follows is by the place in this list.
    [[nodiscard]] const std::vector<std::int32_t> &parts() const { return parts_; }
    [[nodiscard]] std::size_t nonzeros(std::size_t place) const { return begin_[place + 1] - begin_[place]; }
    [[nodiscard]] std::span<const std::int32_t> rows(std::size_t place) const {
        return std::span(row_).subspan(begin_[place], nonzeros(place));
    }
    [[nodiscard]] std::span<const std::int32_t> columns(std::size_t place) const {
        return std::span(column_).subspan(begin_[place], nonzeros(place));
    }

  private:
    const Pattern &pattern_;
    std::vector<std::int32_t> part_of_;
    std::vector<std::int32_t> place_; ///< of each column part in parts_; -1: it has no nonzero
    std::vector<std::int32_t> parts_;
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> row_;
    std::vector<std::int32_t> column_;
};

void count_cover(const BipartiteGraph &graph, BlockTraffic &traffic) {
    const VertexCover cover = minimum_vertex_cover(graph);
    traffic.cover_columns = std::ranges::count(cover.left, true);
    traffic.cover_rows = std::ranges::count(cover.right, true);
}

} // namespace

std::vector<BlockTraffic> block_traffic(const Pattern &pattern, const Cuts &row_cuts, const Cuts &column_cuts,
                                        Covers covers) {
    PartOfRows part(pattern, column_cuts);
    BlockMaker maker(pattern.columns);
    std::vector<BlockTraffic> result;
    for (std::size_t p = 0; p + 1 < row_cuts.size(); ++p) {
        part.read({row_cuts[p], row_cuts[p + 1]});
        for (std::size_t i = 0; i < part.parts().size(); ++i) {
            const auto q = static_cast<std::size_t>(part.parts()[i]);
            const Block block = maker.make(part.rows(i), part.columns(i));
            BlockTraffic traffic{static_cast<int>(p), static_cast<int>(q), static_cast<std::int64_t>(part.nonzeros(i)),
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

Halves halves_by_cover(const Pattern &pattern, const Cuts &cuts) {
    PartOfRows part(pattern, cuts);
    BlockMaker maker(pattern.columns);
    Halves halves;
    for (Pattern *half : {&halves.fetched, &halves.sent}) {
        half->rows = pattern.rows;
        half->columns = pattern.columns;
        half->value = pattern.value;
    }
    std::vector<bool> is_fetched(pattern.columns); // by the part's rows, of the columns in which they have nonzeros
    for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
        const Range rows{cuts[p], cuts[p + 1]};
        part.read(rows);
        for (std::size_t i = 0; i < part.parts().size(); ++i) {
            if (std::cmp_equal(part.parts()[i], p)) {
                std::fill(is_fetched.begin() + rows.begin, is_fetched.begin() + rows.end, true);
                continue;
            }
            const Block block = maker.make(part.rows(i), part.columns(i));
            const VertexCover cover = minimum_vertex_cover(block.graph);
            for (std::size_t l = 0; l < cover.left.size(); ++l)
                is_fetched[block.columns[l]] = cover.left[l];
        }
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            for (std::int64_t i = pattern.row_begin[row]; i < pattern.row_begin[row + 1]; ++i) {
                Pattern &half = is_fetched[pattern.column[i]] ? halves.fetched : halves.sent;
                half.column.push_back(pattern.column[i]);
                if (!pattern.values.empty())
                    half.values.push_back(pattern.values[i]);
            }
            for (Pattern *half : {&halves.fetched, &halves.sent})
                half->row_begin.push_back(static_cast<std::int64_t>(half->column.size()));
        }
    }
    return halves;
}

} // namespace planrt

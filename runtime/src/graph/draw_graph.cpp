// Graphs that are drawn: the same on every machine, as each number depends only on the seed and on its place.
#include "graph/readers.h"

#include "random/philox.h"
#include "support/plain_failure.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <unordered_set>

namespace planrt {

namespace {

/// Row, then column, in one number, so that sorting it sorts entries.
using Entry = std::uint64_t;

Entry entry_of(std::uint64_t row, std::uint64_t column) {
    return row << 32 | column;
}

/// Each draw is an entry, or none: one that is outside or on the diagonal does not count.
class Draws {
  public:
    static constexpr Entry none = ~Entry{0};

    Draws(const GraphFile &graph, const GraphOptions &options)
        : stream_(random_stream(graph.seed, graph.format == GraphFormat::rmat ? "rmat" : "uniform")),
          rows_(static_cast<std::uint64_t>(options.rows)), columns_(static_cast<std::uint64_t>(options.columns)),
          by_quadrants_(graph.format == GraphFormat::rmat) {}

    [[nodiscard]] Entry at(std::uint64_t number) const {
        const Entry entry = by_quadrants_ ? descend(number)
                                          : entry_of(random_below(stream_, 2 * number, rows_),
                                                     random_below(stream_, 2 * number + 1, columns_));
        const std::uint64_t row = entry >> 32;
        const std::uint64_t column = entry & 0xffffffffU;
        return row >= rows_ || column >= columns_ || (rows_ == columns_ && row == column) ? none : entry;
    }

  private:
    /// Which quarter of the matrix an entry is in, then which quarter of that, …; sides that are no powers of two are
    /// extended to the next one. 16 bits decide on a quarter.
    [[nodiscard]] Entry descend(std::uint64_t number) const {
        constexpr std::uint32_t first = 0x10000 * 57 / 100; // of Graph500: 0.57, 0.19, 0.19, 0.05
        constexpr std::uint32_t second = 0x10000 * 76 / 100;
        constexpr std::uint32_t third = 0x10000 * 95 / 100;
        constexpr std::uint64_t words = 16; // for 32 levels
        const int row_levels = static_cast<int>(std::bit_width(rows_ - 1));
        const int column_levels = static_cast<int>(std::bit_width(columns_ - 1));
        std::uint64_t row = 0;
        std::uint64_t column = 0;
        PhiloxCounter block{};
        for (int level = 0; level < std::max(row_levels, column_levels); ++level) {
            if (level % 8 == 0)
                block = random_block(stream_, number * (words / 4) + static_cast<std::uint64_t>(level / 8));
            const std::uint32_t bits = block[static_cast<std::size_t>(level % 8 / 2)] >> (level % 2 * 16) & 0xffffU;
            row = row << 1 | (bits >= second ? 1U : 0U);
            column = column << 1 | ((bits >= first && bits < second) || bits >= third ? 1U : 0U);
        }
        return entry_of(row & ((std::uint64_t{1} << row_levels) - 1),
                        column & ((std::uint64_t{1} << column_levels) - 1));
    }

    RandomStream stream_;
    std::uint64_t rows_;
    std::uint64_t columns_;
    bool by_quadrants_;
};

/// The first `count` different entries among at most so many draws; fewer if there are not enough.
class Distinct {
  public:
    Distinct(const Draws &draws, std::uint64_t most_draws) : draws_(draws), most_draws_(most_draws) {}

    std::vector<Entry> take(std::uint64_t count) {
        std::vector<Entry> entries;
        entries.reserve(count);
        for (; entries.size() < count && next_ < most_draws_; ++next_)
            if (const Entry entry = draws_.at(next_); entry != Draws::none)
                entries.push_back(entry);
        std::ranges::sort(entries);
        entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
        const auto sorted = static_cast<std::ptrdiff_t>(entries.size());
        const std::vector<Entry> more = others(entries, count - entries.size());
        entries.insert(entries.end(), more.begin(), more.end());
        std::inplace_merge(entries.begin(), entries.begin() + sorted, entries.end());
        return entries;
    }

  private:
    /// Ascending, none of them known.
    std::vector<Entry> others(const std::vector<Entry> &known, std::uint64_t count) {
        std::unordered_set<Entry> others;
        for (; others.size() < count && next_ < most_draws_; ++next_)
            if (const Entry entry = draws_.at(next_); entry != Draws::none && !std::ranges::binary_search(known, entry))
                others.insert(entry);
        std::vector<Entry> result(others.begin(), others.end());
        std::ranges::sort(result);
        return result;
    }

    const Draws &draws_;
    std::uint64_t most_draws_;
    std::uint64_t next_ = 0;
};

std::vector<Entry> random_entries(const GraphFile &graph, const GraphOptions &options) {
    __extension__ using Wide = __int128;
    const Wide places =
        static_cast<Wide>(options.rows) * options.columns - (options.rows == options.columns ? options.rows : 0);
    if (2 * static_cast<Wide>(graph.edges) > places)
        throw Failure(text("synthetic_graph: %lld edges are more than half of all places of a %lld × %lld matrix",
                           static_cast<long long>(graph.edges), static_cast<long long>(options.rows),
                           static_cast<long long>(options.columns)));
    const auto count = static_cast<std::uint64_t>(graph.edges);
    constexpr std::uint64_t most_draws_of_one = 16;
    std::vector<Entry> entries = Distinct(Draws(graph, options), most_draws_of_one * count).take(count);
    if (entries.size() < count)
        throw Failure(text("synthetic_graph: %lld edges are too many for kind = rmat on a %lld × %lld matrix, whose "
                           "likely places are full",
                           static_cast<long long>(graph.edges), static_cast<long long>(options.rows),
                           static_cast<long long>(options.columns)));
    return entries;
}

/// The neighbours at distances 1 to degree / 2 on both sides of a ring.
std::vector<Entry> lattice_entries(std::int64_t degree, std::int64_t vertices) {
    if (degree >= vertices)
        throw Failure(text("synthetic_graph: degree = %lld needs more than as many vertices; declared are %lld",
                           static_cast<long long>(degree), static_cast<long long>(vertices)));
    std::vector<Entry> entries;
    entries.reserve(static_cast<std::size_t>(degree * vertices));
    for (std::int64_t row = 0; row < vertices; ++row)
        for (std::int64_t distance = 1; distance <= degree / 2; ++distance)
            for (const std::int64_t column : {row + distance, row + vertices - distance})
                entries.push_back(
                    entry_of(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column % vertices)));
    return entries;
}

} // namespace

FileEntries draw_graph(const GraphFile &graph, const GraphOptions &options) {
    const std::vector<Entry> entries = graph.format == GraphFormat::lattice ? lattice_entries(graph.edges, options.rows)
                                                                            : random_entries(graph, options);
    FileEntries result;
    result.path = "synthetic_graph";
    result.rows.reserve(entries.size());
    result.columns.reserve(entries.size());
    for (const Entry entry : entries) {
        result.rows.push_back(static_cast<std::int32_t>(entry >> 32));
        result.columns.push_back(static_cast<std::int32_t>(entry & 0xffffffffU));
    }
    return result;
}

} // namespace planrt

#include "graph/entries.h"

#include "support/plain_failure.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace planrt {

std::int64_t EntryLines::line(std::int64_t entry) const {
    const auto after = std::ranges::upper_bound(runs_, entry, {}, &std::pair<std::int64_t, std::int64_t>::first);
    return entry + std::prev(after)->second;
}

std::string FileEntries::place(std::int64_t entry) const {
    if (lines.empty())
        return text("%s: edge %lld: ", path.c_str(), static_cast<long long>(entry));
    return text("%s:%lld: ", path.c_str(), static_cast<long long>(lines.line(entry)));
}

void check_no_duplicates(const FileEntries &entries) {
    std::vector<std::int64_t> order(entries.rows.size());
    std::iota(order.begin(), order.end(), 0);
    const auto pair_of = [&](std::int64_t i) { return std::tuple(entries.rows[i], entries.columns[i]); };
    std::ranges::sort(order, {}, [&](std::int64_t i) { return std::tuple_cat(pair_of(i), std::tuple(i)); });
    std::int64_t second = entries.count(); // the first one in the file that repeats another
    std::int64_t first = 0;
    for (std::size_t i = 1; i < order.size(); ++i)
        if (order[i] < second && pair_of(order[i - 1]) == pair_of(order[i])) {
            first = order[i - 1];
            second = order[i];
        }
    if (second == entries.count())
        return;
    const int row = entries.rows[second];
    const int column = entries.columns[second];
    const std::string what = entries.counted_from == 1 ? text("row %d, column %d", row + 1, column + 1)
                                                       : text("the edge from %d to %d", column, row);
    const std::string where = entries.lines.empty()
                                  ? text("as edge %lld", static_cast<long long>(first))
                                  : text("in line %lld", static_cast<long long>(entries.lines.line(first)));
    throw Failure(entries.place(second) + what + " is there already, " + where + "; duplicates = sum adds them up");
}

} // namespace planrt

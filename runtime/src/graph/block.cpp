#include "graph/block.h"

#include <numeric>

namespace planrt {

Block BlockMaker::make(std::span<const std::int32_t> row, std::span<const std::int32_t> column) {
    Block block;
    std::vector<std::int64_t> begin; // by columns
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (block.rows.empty() || block.rows.back() != row[i])
            block.rows.push_back(row[i]);
        std::int32_t &place = place_[column[i]];
        if (place < 0) {
            place = static_cast<std::int32_t>(block.columns.size());
            block.columns.push_back(column[i]);
            begin.push_back(0);
        }
        ++begin[place];
    }
    std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), std::int64_t{0});
    begin.push_back(static_cast<std::int64_t>(row.size()));
    block.graph.begin = begin;
    block.graph.right = static_cast<std::int64_t>(block.rows.size());
    block.graph.adjacent.resize(row.size());
    std::int32_t r = -1;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i == 0 || row[i] != row[i - 1])
            ++r;
        block.graph.adjacent[begin[place_[column[i]]]++] = r;
    }
    for (const std::int32_t u : block.columns)
        place_[u] = -1;
    return block;
}

} // namespace planrt

// The nonzeros of one block of a matrix, with its rows and columns numbered anew.
#pragma once

#include "graph/vertex_cover.h"

#include <planrt/pattern.h>

#include <cstdint>
#include <vector>

namespace planrt {

/// The rows and columns of a block that have a nonzero.
struct Block {
    std::vector<std::int32_t> rows;    ///< ascending
    std::vector<std::int32_t> columns; ///< in the order in which the rows name them first
    BipartiteGraph graph;              ///< left: columns, right: rows, by their places in the lists above
};

/// Makes blocks of one matrix, one after the other.
class BlockMaker {
  public:
    explicit BlockMaker(std::int64_t columns) : place_(columns, -1) {}

    /// From a block's nonzeros, by rows.
    [[nodiscard]] Block make(std::span<const std::int32_t> row, std::span<const std::int32_t> column);

  private:
    std::vector<std::int32_t> place_; ///< of each column in the block's list; -1 between calls
};

} // namespace planrt

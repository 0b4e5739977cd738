// The rows of a graph's tables that are taken where a step takes all vertices.
#pragma once

#include "data/store.h"
#include "mesh/file_numbers.h"

#include <planrt/planrt.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

/// Those samples of a batch that a rank has; `listed` holds them where they don't follow one another.
[[nodiscard]] std::span<const std::int64_t> rows_of(std::span<const std::int64_t> batch, const Range &rows,
                                                    std::vector<std::int64_t> &listed);

class AllRows {
  public:
    /// `stores`: of all fields; a field of another table than the vertices' has rows of its own. `least`: rows at
    /// least.
    AllRows(const FileNumbers &numbers, const std::vector<FieldStore> &stores, std::int64_t least = 0);

    /// The row in the file of each vertex, in the order of the program.
    [[nodiscard]] const std::vector<std::int64_t> &vertices() const { return vertices_; }
    /// Where the field's rows are not vertices: 0, 1, …
    [[nodiscard]] std::span<const std::int64_t> of(const Field &field) const;
    /// Loads this rank's part `rows` of a field.
    void load(const Field &field, const FieldStore &store, const Range &rows, std::byte *arena) const;

  private:
    const FileNumbers &numbers_;
    std::vector<std::int64_t> in_order_;
    std::vector<std::int64_t> vertices_;
};

} // namespace planrt

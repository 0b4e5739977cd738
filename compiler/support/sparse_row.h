// A row of a large table of which few entries are ever used, next to each other: it allocates only the parts that are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace planc::support {

/// Entries that were never set have the value `unset`.
template <class T, T unset> class SparseRow {
  public:
    /// Stays valid until the row is destroyed.
    [[nodiscard]] T &at(int column) {
        const auto [number, place] = std::div(column, part_size);
        const auto part = static_cast<std::size_t>(number);
        if (part >= parts_.size())
            parts_.resize(part + 1);
        if (!parts_[part]) {
            parts_[part] = std::make_unique<Part>();
            parts_[part]->fill(unset);
        }
        return (*parts_[part])[static_cast<std::size_t>(place)];
    }

  private:
    static constexpr int part_size = 32;
    using Part = std::array<T, part_size>;
    std::vector<std::unique_ptr<Part>> parts_;
};

} // namespace planc::support

// Where the elements of a tensor are in files, which have vertices in an order of their own (Program::order).
//
// Example: the order 2, 0, 1 of three vertices and the tensor [vertex: 3, hidden: 4]: its rows are the elements from 8,
// from 0 and from 4 on.
#pragma once

#include <planrt/planrt.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace planrt {

class FileNumbers {
  public:
    explicit FileNumbers(const Order &order);

    /// The number in the file of each vertex; empty: vertices are in the order of the file.
    [[nodiscard]] const std::vector<std::int32_t> &vertices() const { return vertices_; }
    /// Whether some indices of the tensor are of vertices that have other numbers in the file.
    [[nodiscard]] bool differ(const Tensor &tensor) const;
    [[nodiscard]] bool differ(const Dimension &dimension) const;

    /// Calls use(first, count) for `count` elements that follow one another in the file from number `first` on, until
    /// it has seen all elements of the box, in the order of the box.
    using Use = std::function<void(std::int64_t first, std::int64_t count)>;
    void for_each_run(const Tensor &tensor, const Box &box, const Use &use) const;

  private:
    void runs(const Tensor &tensor, const Box &box, std::size_t depth, std::int64_t row, std::size_t whole,
              const Use &use) const;

    Order order_;
    std::vector<std::int32_t> vertices_;
};

} // namespace planrt

#include "mesh/file_numbers.h"

#include <planrt/vertex_order.h>

#include <algorithm>
#include <string_view>

namespace planrt {

FileNumbers::FileNumbers(const Order &order) : order_(order), vertices_(order_of_text(order.text, order.vertices)) {}

bool FileNumbers::differ(const Dimension &dimension) const {
    return dimension.extent == order_.vertices &&
           std::any_of(order_.roles.begin(), order_.roles.end(),
                       [&](std::string_view role) { return role == dimension.role; });
}

bool FileNumbers::differ(const Tensor &tensor) const {
    return std::any_of(tensor.dimensions.begin(), tensor.dimensions.end(),
                       [&](const Dimension &dimension) { return differ(dimension); });
}

void FileNumbers::for_each_run(const Tensor &tensor, const Box &box, const Use &use) const {
    std::size_t whole = box.size(); // dimensions from here on are whole, so their elements follow one another
    while (whole > 0 && box[whole - 1].size() == tensor.dimensions[whole - 1].extent &&
           !differ(tensor.dimensions[whole - 1]))
        --whole;
    runs(tensor, box, 0, 0, whole, use);
}

/// `row`: number of the elements that have the same indices before `depth`.
void FileNumbers::runs(const Tensor &tensor, const Box &box, std::size_t depth, std::int64_t row, std::size_t whole,
                       const Use &use) const {
    std::int64_t inner = 1; // elements of one index
    for (std::size_t d = std::min(depth + 1, whole); d < box.size(); ++d)
        inner *= tensor.dimensions[d].extent;
    if (depth == whole)
        return use(row * inner, inner);
    const Dimension &dimension = tensor.dimensions[depth];
    const bool by_number = differ(dimension);
    if (depth + 1 == whole && !by_number)
        return use((row * dimension.extent + box[depth].begin) * inner, box[depth].size() * inner);
    for (std::int64_t i = box[depth].begin; i < box[depth].end; ++i)
        runs(tensor, box, depth + 1, row * dimension.extent + (by_number ? vertices_[i] : i), whole, use);
}

} // namespace planrt

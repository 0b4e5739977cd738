#include "cost/matrices.h"

#include "cost/kernels/compute.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace planc::cost {

using sharding::OperationId;

Bytes bytes_of_matrices(const sharding::Graph &graph, const sharding::LaidOut &laid_out, const sharding::Mesh &mesh) {
    std::map<std::pair<std::string, std::vector<std::pair<int, int>>>, Bytes> blocks;
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        if (operation.kernel != sharding::Kernel::sparse_product)
            continue;
        const sharding::Strategy &strategy = laid_out.operations[o].strategy;
        const std::vector<std::int64_t> extents = local_extents(operation.nest, strategy, mesh);
        const sharding::SparseLoops &whole = *operation.nest.sparse;
        const sharding::SparseLoops matrix =
            busiest(whole, cuts_of(whole.outer, strategy, mesh), cuts_of(whole.inner, strategy, mesh), extents);
        const auto is_side = [&](int loop) { return loop == matrix.outer || loop == matrix.inner; };
        std::vector<std::pair<int, int>> axes; // that cut its rows and columns
        for (int axis = 0; axis < static_cast<int>(strategy.loop_of_axis.size()); ++axis)
            if (const int loop = strategy.loop_of_axis[static_cast<std::size_t>(axis)]; is_side(loop))
                axes.emplace_back(axis, loop == matrix.inner ? 1 : 0);
        const int element_bytes = graph.values[operation.results[0]].element_bytes;
        const Bytes bytes = matrix_bytes(matrix, element_bytes, extents);
        blocks[{operation.matrix, axes}] = bytes;
    }
    Bytes sum{};
    for (const auto &[block, bytes] : blocks)
        sum += bytes;
    return Bytes(std::ceil(sum.value)); // averages may have fractions
}

} // namespace planc::cost

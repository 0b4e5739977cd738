#include "cost/matrices.h"

#include "cost/kernels/compute.h"
#include "cost/kernels/kernels.h"

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace planc::cost {

using sharding::OperationId;

Bytes bytes_of_matrices(const sharding::Graph &graph, const sharding::LaidOut &laid_out, const sharding::Mesh &mesh) {
    std::map<std::tuple<std::string, std::vector<std::int64_t>, std::vector<int>>, Bytes> blocks;
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        if (operation.kernel != sharding::Kernel::sparse_product)
            continue;
        const sharding::Strategy &strategy = laid_out.operations[o].strategy;
        std::vector<std::int64_t> extents = local_extents(operation.nest, strategy, mesh);
        std::vector<int> axes; // that cut the matrix
        for (const int loop : strategy.loop_of_axis)
            axes.push_back(
                loop >= 0 && has(operation.nest.operands[0], loop) == has(operation.nest.results[0], loop) ? -1 : loop);
        const int element_bytes = graph.values[operation.results[0]].element_bytes;
        const Bytes bytes = matrix_bytes(operation.nest, operation.flops_per_point, element_bytes, extents);
        for (int loop = 0; loop < static_cast<int>(extents.size()); ++loop) // only rows and columns tell blocks apart
            if (has(operation.nest.operands[0], loop) == has(operation.nest.results[0], loop))
                extents[static_cast<std::size_t>(loop)] = 0;
        blocks[{operation.matrix, extents, axes}] = bytes;
    }
    Bytes sum{};
    for (const auto &[block, bytes] : blocks)
        sum += bytes;
    return Bytes(std::ceil(sum.value)); // averages may have fractions
}

} // namespace planc::cost

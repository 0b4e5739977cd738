#include "cost/sparse_steps.h"

#include "sharding/placement.h"

#include <planrt/needed_rows.h>

#include <algorithm>

namespace planc::cost::reference {

using namespace sharding::reference;

sharding::Step random_sparse_step(Random &random, const sharding::Mesh &mesh, bool addends) {
    const int rows = uniform(random, 1, 12);
    const int columns = uniform(random, 1, 12);
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    for (int count = uniform(random, 0, 3 * rows); count > 0; --count) {
        row.push_back(uniform(random, 0, rows - 1));
        column.push_back(uniform(random, 0, columns - 1));
    }
    const int matrix = planrt::number_matrix(planrt::pattern_of(rows, columns, row, column));
    const bool transposed = uniform(random, 0, 1) == 1;
    const std::vector<std::int64_t> extents{transposed ? rows : columns, uniform(random, 1, 4)};
    sharding::Step step;
    step.kind = sharding::CollectiveKind::exchange;
    step.from = random_placement(extents, mesh, false, random);
    step.to = random_placement(extents, mesh, false, random);
    planrt::DimensionPlacement &first = step.to.dimensions[0];
    if (first.axes.empty())
        return step;
    planrt::Window window;
    window.positions = transposed ? columns : rows;
    window.matrix = transposed ? -matrix : matrix;
    window.row_cuts = uniform(random, 1, static_cast<int>(first.axes.size()));
    first.window = window;
    if (addends) {
        first.window->addends = true;
        step.from = step.to;
        step.to = sharding::summed(step.from);
        planrt::AxisList &axes = step.to.dimensions[0].axes; // rows may go to any blocks
        std::shuffle(axes.begin(), axes.end(), random);
    }
    return step;
}

} // namespace planc::cost::reference

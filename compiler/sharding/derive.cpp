#include "sharding/placement.h"

#include <algorithm>

namespace planc::sharding {

/// The axes that cut each loop, major first. An axis with one rank cuts nothing.
static std::vector<planrt::AxisList> axes_of_loops(const Nest &nest, const Strategy &strategy, const Mesh &mesh) {
    std::vector<planrt::AxisList> result(nest.loops.size());
    const auto add = [&](int axis) {
        if (strategy.loop_of_axis[axis] >= 0 && mesh.sizes[axis] > 1)
            result[strategy.loop_of_axis[axis]].push_back(axis);
    };
    for (int axis : strategy.order)
        add(axis);
    for (int axis = 0; strategy.order.empty() && axis < static_cast<int>(strategy.loop_of_axis.size()); ++axis)
        add(axis);
    return result;
}

/// Whether the windows at each block of the positions touch exactly the block of the dimension.
static bool touch_blocks(const planrt::DimensionPlacement &dimension, const Mesh &mesh, std::size_t cuts,
                         const planrt::CutBlock &cut) {
    if (cuts == dimension.axes.size()) {
        const planrt::Range touched = dimension.indices(cut);
        return touched == cut.own || (touched.size() == 0 && cut.own.size() == 0);
    }
    const int parts = mesh.sizes[dimension.axes[cuts]];
    for (int index = 0; index < parts; ++index)
        if (!touch_blocks(dimension, mesh, cuts + 1, planrt::cut_block(cut, parts, index)))
            return false;
    return true;
}

static planrt::DimensionPlacement placement_of(const NestWindow &window, const Nest &nest, const Mesh &mesh,
                                               const Strategy &strategy) {
    const int loop = nest.operands[window.operand][window.dimension];
    return {window.extent, axes_of_loops(nest, strategy, mesh)[loop], window_of(window, nest)};
}

static bool touches_blocks(const NestWindow &window, const Nest &nest, const Mesh &mesh, const Strategy &strategy) {
    const planrt::DimensionPlacement dimension = placement_of(window, nest, mesh, strategy);
    return dimension.axes.empty() || touch_blocks(dimension, mesh, 0, dimension.whole());
}

static void leave_minor_axis(int loop, const Nest &nest, const Mesh &mesh, Strategy &strategy) {
    strategy.loop_of_axis[axes_of_loops(nest, strategy, mesh)[loop].back()] = -1;
}

Strategy bind(const LayerStrategy &strategy, const Nest &nest, const Mesh &mesh) {
    Strategy result;
    result.loop_of_axis.assign(mesh.sizes.size(), -1);
    for (std::size_t axis = 0; axis < strategy.loop_of_axis.size(); ++axis) {
        const std::string &name = strategy.loop_of_axis[axis];
        const auto loop = std::find_if(nest.loops.begin(), nest.loops.end(),
                                       [&name](const Loop &candidate) { return candidate.name == name; });
        if (!name.empty() && loop != nest.loops.end() && loop->kind != LoopKind::whole)
            result.loop_of_axis[axis] = static_cast<int>(loop - nest.loops.begin());
    }
    result.order = strategy.order;
    for (const NestWindow &window : nest.windows)
        while (window.blocks_only && !touches_blocks(window, nest, mesh, result))
            leave_minor_axis(nest.operands[window.operand][window.dimension], nest, mesh, result);
    return result;
}

/// If the windows are not split, the operand is read whole; if they touch exactly the blocks, it is read as blocks.
static void place_window(const NestWindow &window, const Nest &nest, const Mesh &mesh,
                         planrt::DimensionPlacement &dimension) {
    dimension.extent = window.extent;
    if (dimension.axes.empty())
        return;
    dimension.window = window_of(window, nest);
    if (touch_blocks(dimension, mesh, 0, dimension.whole()))
        dimension.window.reset();
}

/// Whether operands are read at the columns of nonzeros only. One that both rows and columns index is read whole, and
/// then all are, for the block of the matrix counts its columns in one way.
static bool needs_columns_only(const Nest &nest) {
    return nest.sparse && nest.sparse->matrix != 0 &&
           std::ranges::none_of(nest.operands, [&](const std::vector<int> &loops) {
               return std::ranges::find(loops, nest.sparse->outer) != loops.end() &&
                      std::ranges::find(loops, nest.sparse->inner) != loops.end();
           });
}

/// The columns of the nonzeros in a rank's rows: cut by the axes of the rows, then by its own.
static void place_needed_columns(const Nest &nest, const planrt::AxisList &row_axes,
                                 planrt::DimensionPlacement &dimension) {
    planrt::Window columns{nest.loops[nest.sparse->outer].extent};
    columns.matrix = nest.sparse->matrix;
    columns.row_cuts = static_cast<int>(row_axes.size());
    planrt::AxisList axes = row_axes;
    for (const int axis : dimension.axes)
        axes.push_back(axis);
    dimension.axes = axes;
    dimension.window = columns;
}

namespace {

class Derivation {
  public:
    Derivation(const Nest &nest, const Strategy &strategy, const Mesh &mesh, const std::vector<int> &partial_in)
        : nest_(nest), strategy_(strategy), mesh_(mesh), partial_in_(partial_in),
          axes_(axes_of_loops(nest, strategy, mesh)) {}

    [[nodiscard]] Placement operand(int number) const {
        Placement placement = place(nest_.operands[number]);
        for (const NestWindow &window : nest_.windows)
            if (window.operand == number)
                place_window(window, nest_, mesh_, placement.dimensions[window.dimension]);
        if (needs_columns_only(nest_) && !axes_[nest_.sparse->outer].empty())
            for (std::size_t d = 0; d < placement.dimensions.size(); ++d)
                if (nest_.operands[number][d] == nest_.sparse->inner)
                    place_needed_columns(nest_, axes_[nest_.sparse->outer], placement.dimensions[d]);
        return placement;
    }

    [[nodiscard]] Placement result(int number) const {
        const std::vector<int> &loops = nest_.results[number];
        Placement placement = place(loops);
        std::vector<int> &partial = placement.partial;
        for (std::size_t loop = 0; loop < nest_.loops.size(); ++loop)
            if (nest_.loops[loop].kind == LoopKind::reduced)
                partial.insert(partial.end(), axes_[loop].begin(), axes_[loop].end());
        if (loops.empty()) // each share of the iterations gives an addend
            partial.insert(partial.end(), strategy_.stored.begin(), strategy_.stored.end());
        std::sort(partial.begin(), partial.end());
        if (partial.size() > partial_in_.size())
            placement.reduction = nest_.reduction;
        return placement;
    }

  private:
    [[nodiscard]] Placement place(const std::vector<int> &loops) const {
        Placement placement;
        placement.dimensions.reserve(loops.size());
        for (int loop : loops)
            placement.dimensions.push_back({nest_.loops[loop].extent, axes_[loop]});
        placement.partial = partial_in_;
        if (!loops.empty())
            placement.stored = strategy_.stored;
        return placement;
    }

    const Nest &nest_;
    const Strategy &strategy_;
    const Mesh &mesh_;
    const std::vector<int> &partial_in_;
    std::vector<planrt::AxisList> axes_; ///< by loop
};

} // namespace

Derived derive(const Nest &nest, const Strategy &strategy, const Mesh &mesh, const std::vector<int> &partial_in) {
    const Derivation derivation(nest, strategy, mesh, partial_in);
    Derived result;
    result.operands.reserve(nest.operands.size());
    result.results.reserve(nest.results.size());
    for (int operand = 0; operand < static_cast<int>(nest.operands.size()); ++operand)
        result.operands.push_back(derivation.operand(operand));
    for (int number = 0; number < static_cast<int>(nest.results.size()); ++number)
        result.results.push_back(derivation.result(number));
    return result;
}

Placement derive_operand(const Nest &nest, const Strategy &strategy, const Mesh &mesh, int operand) {
    return Derivation(nest, strategy, mesh, {}).operand(operand);
}

Placement derive_result(const Nest &nest, const Strategy &strategy, const Mesh &mesh, int result) {
    return Derivation(nest, strategy, mesh, {}).result(result);
}

} // namespace planc::sharding

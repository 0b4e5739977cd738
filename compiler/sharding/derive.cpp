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

/// The transposed product by a square matrix, a gradient, has the names of its loops exchanged, so that rules that
/// split rows split those of its result too. Where both loops are split, it has them as they were: then its operand
/// lies where the product left it, and what was fetched goes back.
static void undo_exchange(const Nest &nest, const Mesh &mesh, Strategy &strategy) {
    if (!nest.sparse || !nest.sparse->exchanged)
        return;
    const auto &[outer, inner] = std::pair(nest.sparse->outer, nest.sparse->inner);
    const std::vector<planrt::AxisList> axes = axes_of_loops(nest, strategy, mesh);
    if (axes[outer].empty() || axes[inner].empty())
        return;
    for (int &loop : strategy.loop_of_axis)
        loop = loop == outer ? inner : loop == inner ? outer : loop;
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
    undo_exchange(nest, mesh, result);
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

/// The columns of the nonzeros in a rank's rows: cut by the axes of the rows, then by its own. Of -matrix, the other
/// way round.
static void place_listed(std::int64_t rows, const planrt::AxisList &row_axes, int matrix, bool addends,
                         planrt::DimensionPlacement &dimension) {
    planrt::Window listed{rows};
    listed.matrix = matrix;
    listed.row_cuts = static_cast<int>(row_axes.size());
    listed.addends = addends;
    planrt::AxisList axes = row_axes;
    for (const int axis : dimension.axes)
        axes.push_back(axis);
    dimension.axes = axes;
    dimension.window = listed;
}

/// Ranks have dense sums if some rank touches more of the rows that others sum than about this: the busiest one decides
/// how long it takes, and saves less than it costs to pack. It is taken to touch all rows that it sums itself.
static constexpr double few_rows = 0.9;

/// The rows of which some rank has addends, at most, if ranks have them only of those that the entries of their blocks
/// touch, because these are few.
static std::optional<std::int64_t> touched_rows(const Nest &nest, const Mesh &mesh, const planrt::AxisList &row_axes,
                                                const planrt::AxisList &column_axes) {
    if (!nest.sparse || !nest.sparse->lists_rows || nest.sparse->matrix == 0 || column_axes.empty() ||
        nest.reduction != Reduction::sum || nest.loops[nest.sparse->inner].kind != LoopKind::reduced)
        return {};
    const auto sizes = [&](const planrt::AxisList &axes) {
        std::vector<int> result;
        for (const int axis : axes)
            result.push_back(mesh.sizes[axis]);
        return result;
    };
    const std::int64_t rows = planrt::largest_volume({{{nest.loops[nest.sparse->outer].extent, row_axes}}, {}}, mesh);
    const std::int64_t own = planrt::largest_volume({{{rows, column_axes}}, {}}, mesh); // that the rank itself sums
    const std::int64_t touched = planrt::most_needed_rows(-nest.sparse->matrix, sizes(column_axes), sizes(row_axes));
    const bool are_few = static_cast<double>(touched - own) < few_rows * static_cast<double>(rows - own);
    return are_few ? std::optional(touched) : std::nullopt;
}

std::optional<std::int64_t> touched_rows(const Nest &nest, const Strategy &strategy, const Mesh &mesh) {
    if (!nest.sparse)
        return {};
    const std::vector<planrt::AxisList> axes = axes_of_loops(nest, strategy, mesh);
    return touched_rows(nest, mesh, axes[nest.sparse->outer], axes[nest.sparse->inner]);
}

namespace {

class Derivation {
  public:
    Derivation(const Nest &nest, const Strategy &strategy, const Mesh &mesh, const std::vector<int> &partial_in)
        : nest_(nest), strategy_(strategy), mesh_(mesh), partial_in_(partial_in),
          axes_(axes_of_loops(nest, strategy, mesh)),
          touches_few_rows_(nest.sparse && partial_in.empty() &&
                            touched_rows(nest, mesh, axes_[nest.sparse->outer], axes_[nest.sparse->inner])) {}

    [[nodiscard]] Placement operand(int number) const {
        Placement placement = place(nest_.operands[number]);
        for (const NestWindow &window : nest_.windows)
            if (window.operand == number)
                place_window(window, nest_, mesh_, placement.dimensions[window.dimension]);
        if (needs_columns_only(nest_) && !axes_[nest_.sparse->outer].empty())
            place_listed_along(nest_.sparse->inner, nest_.sparse->outer, false, nest_.operands[number], placement);
        return placement;
    }

    [[nodiscard]] Placement result(int number) const {
        const std::vector<int> &loops = nest_.results[number];
        Placement placement = place(loops);
        if (touches_few_rows_) {
            place_listed_along(nest_.sparse->outer, nest_.sparse->inner, true, loops, placement);
            return placement;
        }
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

    /// The dimension of one loop of the matrix lists the indices of the nonzeros in a rank's part of the other.
    void place_listed_along(int loop, int other, bool addends, const std::vector<int> &loops,
                            Placement &placement) const {
        const int matrix = loop == nest_.sparse->inner ? nest_.sparse->matrix : -nest_.sparse->matrix;
        for (std::size_t d = 0; d < loops.size(); ++d)
            if (loops[d] == loop)
                place_listed(nest_.loops[other].extent, axes_[other], matrix, addends, placement.dimensions[d]);
    }

    const Nest &nest_;
    const Strategy &strategy_;
    const Mesh &mesh_;
    const std::vector<int> &partial_in_;
    std::vector<planrt::AxisList> axes_; ///< by loop
    bool touches_few_rows_;              ///< of results
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

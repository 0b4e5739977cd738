#include "timeline/matrix_charts.h"

#include "cost/reports/report.h"
#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "ir/placement.h"
#include "schedule/functions.h"
#include "schedule/matrix_block.h"

#include <planrt/sparse_traffic.h>
#include <planrt/trace_names.h>

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace planc::timeline {

namespace {

using report::MatrixChart;

constexpr std::int64_t most_cells = 115; ///< of a side: four pixels each

using Axes = std::vector<std::string>;

/// A way to cut a matrix, among the ranks of a role.
struct Cutting {
    std::string matrix;
    Axes rows;
    Axes columns;
    int role = 0;
    friend bool operator==(const Cutting &, const Cutting &) = default;
};

/// What cuts so.
struct Users {
    Cutting cutting;
    std::vector<std::string> layers;
    std::vector<std::string> phases;
};

/// Of a side of which the products need a part of the indices, the axes that cut the indices themselves.
Axes axes_of(const schedule::LoopDimension &dimension) {
    Axes axes = dimension.axes;
    if (const auto &window = dimension.window)
        axes.erase(axes.begin(), axes.begin() + window->row_cuts);
    return axes;
}

void add_once(std::vector<std::string> &names, const std::string &name) {
    if (std::ranges::find(names, name) == names.end())
        names.push_back(name);
}

/// Equal cells, as many as there is room for.
std::int64_t cells_of(std::int64_t extent, std::int64_t longer) {
    return std::clamp<std::int64_t>(most_cells * extent / longer, 1, extent);
}

class Picture {
  public:
    Picture(mlir::ModuleOp module, const Cutting &cutting, const planrt::Pattern &pattern)
        : cutting_(cutting), pattern_(pattern), mesh_attribute_(ir::mesh_of_role(module, cutting.role)),
          mesh_(ir::mesh_of(mesh_attribute_)), whole_(ir::mesh_of(ir::mesh_attribute(module))),
          ranks_(ir::ranks_of_role(module, cutting.role)) {}

    MatrixChart make(const Users &users) {
        chart_.title = cutting_.matrix + " in " + planrt::first_ones(llvm::join(users.layers, ", ")) + ": " +
                       llvm::join(users.phases, ", ");
        chart_.rows = side(cutting_.rows, pattern_.rows);
        chart_.columns = side(cutting_.columns, pattern_.columns);
        find_blocks();
        count_cells();
        return std::move(chart_);
    }

  private:
    static MatrixChart::Side side(const Axes &axes, std::int64_t extent) {
        return {axes.empty() ? "not cut" : "cut over " + llvm::join(axes, ", "), extent, {}};
    }

    [[nodiscard]] planrt::DimensionPlacement placement(const Axes &axes, std::int64_t extent) const {
        planrt::DimensionPlacement placement{extent, {}};
        for (const std::string &axis : axes)
            placement.axes.push_back(ir::axis_index(mesh_attribute_, axis));
        return placement;
    }

    /// Which ranks have which block, and what is in it.
    void find_blocks() {
        planrt::Placement placed;
        placed.dimensions = {placement(cutting_.rows, pattern_.rows), placement(cutting_.columns, pattern_.columns)};
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<int>> ranks; // by where the block begins
        for (int rank = 0; rank < mesh_.ranks(); ++rank) {
            const planrt::Box box = planrt::local_box(placed, mesh_, rank);
            if (box[0].size() > 0 && box[1].size() > 0)
                ranks[{box[0].begin, box[1].begin}].push_back(ranks_.rank_of(whole_, rank));
        }
        for (const auto &[begin, of_block] : ranks) {
            chart_.rows.cuts.push_back(begin.first);
            chart_.columns.cuts.push_back(begin.second);
        }
        for (MatrixChart::Side *side : {&chart_.rows, &chart_.columns}) {
            side->cuts.push_back(side->extent);
            std::ranges::sort(side->cuts);
            side->cuts.erase(std::unique(side->cuts.begin(), side->cuts.end()), side->cuts.end());
        }
        const std::vector<planrt::BlockTraffic> filled =
            planrt::block_traffic(pattern_, chart_.rows.cuts, chart_.columns.cuts, planrt::Covers::none);
        auto next = filled.begin();
        planrt::BlockTraffic block; // both are row by row
        for (const auto &[begin, of_block] : ranks) {
            const bool is_filled =
                next != filled.end() && next->row_part == block.row_part && next->column_part == block.column_part;
            add(is_filled ? *next++ : block, of_block, static_cast<double>(ranks.size()));
            if (std::cmp_equal(++block.column_part, chart_.columns.cuts.size() - 1)) {
                block.column_part = 0;
                ++block.row_part;
            }
        }
    }

    void add(const planrt::BlockTraffic &block, const std::vector<int> &ranks, double blocks) {
        const auto row = static_cast<std::size_t>(block.row_part);
        const auto column = static_cast<std::size_t>(block.column_part);
        const auto size = [](const planrt::Cuts &cuts, std::size_t part) {
            return cost::grouped(cuts[part + 1] - cuts[part]);
        };
        const double share = static_cast<double>(block.nonzeros) * blocks / static_cast<double>(pattern_.nonzeros());
        char of_mean[32];
        std::snprintf(of_mean, sizeof of_mean, "%.2f of the mean", share);
        const std::string name = words_of(ranks);
        chart_.blocks.push_back({row, column, name,
                                 name + ": " + cost::grouped(block.nonzeros) + " nonzeros, " + of_mean + ", in " +
                                     cost::grouped(block.rows) + " of " + size(chart_.rows.cuts, row) + " rows and " +
                                     cost::grouped(block.columns) + " of " + size(chart_.columns.cuts, column) +
                                     " columns"});
    }

    /// "ranks 0, 4", "ranks 0, 1, 2 and 13 more"
    static std::string words_of(const std::vector<int> &ranks) {
        std::vector<std::string> names;
        for (const int rank : ranks)
            names.push_back(std::to_string(rank));
        return (ranks.size() == 1 ? "rank " : "ranks ") + planrt::first_ones(llvm::join(names, ", "));
    }

    void count_cells() {
        const std::int64_t longer = std::max(pattern_.rows, pattern_.columns);
        const std::int64_t down = cells_of(pattern_.rows, longer);
        const std::int64_t across = cells_of(pattern_.columns, longer);
        chart_.cells_down = static_cast<int>(down);
        chart_.cells_across = static_cast<int>(across);
        chart_.nonzeros.assign(static_cast<std::size_t>(down * across), 0);
        for (std::int64_t row = 0; row < pattern_.rows; ++row)
            for (const std::int32_t column : pattern_.columns_of(row))
                ++chart_.nonzeros[static_cast<std::size_t>((row * down / pattern_.rows) * across +
                                                           column * across / pattern_.columns)];
    }

    const Cutting &cutting_;
    const planrt::Pattern &pattern_;
    ir::MeshAttr mesh_attribute_; ///< of the role's ranks
    planrt::Mesh mesh_;
    planrt::Mesh whole_;
    planrt::Role ranks_;
    MatrixChart chart_;
};

} // namespace

std::vector<MatrixChart> matrix_charts(mlir::ModuleOp scheduled, const Patterns &patterns) {
    std::vector<Users> cuttings;
    scheduled.walk([&](mlir::Operation *op) {
        if (!schedule::has_matrix_block(op))
            return;
        const schedule::MatrixBlock block = schedule::matrix_block(op);
        const auto pattern = patterns.find(block.matrix.str());
        if (pattern == patterns.end() || pattern->second->nonzeros() == 0)
            return;
        const Cutting cutting{block.matrix.str(), axes_of(block.rows), axes_of(block.columns),
                              ir::role_of(op->getParentOfType<mlir::func::FuncOp>())};
        auto at = std::ranges::find(cuttings, cutting, &Users::cutting);
        if (at == cuttings.end())
            at = cuttings.insert(at, {cutting, {}, {}});
        add_once(at->layers, schedule::layer_of(op));
        add_once(at->phases, schedule::phase_of(op));
    });
    std::vector<MatrixChart> charts;
    for (const Users &users : cuttings)
        charts.push_back(Picture(scheduled, users.cutting, *patterns.at(users.cutting.matrix)).make(users));
    return charts;
}

} // namespace planc::timeline

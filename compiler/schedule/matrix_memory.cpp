#include "schedule/matrix_memory.h"

#include "ir/layer_builder.h"
#include "ir/matrices_attribute.h"
#include "ir/pipeline_attribute.h"
#include "schedule/buffers.h"
#include "schedule/collective_info.h"
#include "schedule/functions.h"
#include "schedule/matrix_block.h"
#include "schedule/staged.h"

#include <planrt/needed_rows.h>
#include <planrt/staged.h>
#include <planrt/vertex_order.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace planc::schedule {

namespace {

class MatrixMemory {
  public:
    MatrixMemory(mlir::ModuleOp module, int role)
        : matrices_(ir::matrices_of(module)), attribute_(ir::mesh_of_role(module, role)),
          mesh_(ir::mesh_of(attribute_)) {
        module.walk([&](mlir::Operation *op) {
            if (has_matrix_block(op) && ir::role_of(op->getParentOfType<mlir::func::FuncOp>()) == role)
                add(op);
        });
    }

    [[nodiscard]] std::int64_t most() const {
        std::vector<std::int64_t> bytes(static_cast<std::size_t>(mesh_.ranks()), 0);
        for (const Stored &block : blocks_)
            add_bytes(block, bytes);
        return std::ranges::max(bytes);
    }

  private:
    /// A side of the matrix by which blocks differ. Loops that are not cut are alike.
    struct Side {
        explicit Side(const LoopDimension &side)
            : axes(side.axes), role(axes.empty() ? "" : side.role),
              window(axes.empty() ? planrt::Boxed<planrt::Window>() : side.window) {}
        std::vector<std::string> axes;
        std::string role;
        planrt::Boxed<planrt::Window> window;
        friend bool operator==(const Side &, const Side &) = default;
    };
    struct Key {
        std::string matrix;
        int number;
        bool transposed;
        bool mean;
        bool sent; ///< of halves, whose numbers may be equal
        Side rows;
        Side columns;
        std::vector<std::string> cuts_of_pieces;
        friend bool operator==(const Key &, const Key &) = default;
    };
    struct Stored {
        Key key;
        planrt::Placement placement = {}; ///< rows and columns
        std::int64_t bytes_of_value = 0;  ///< 0: all values are alike
        std::int64_t pieces = 1;
    };

    [[nodiscard]] planrt::DimensionPlacement placed(const LoopDimension &side) const {
        planrt::DimensionPlacement placed{side.extent, {}, side.window};
        for (const std::string &axis : side.axes)
            placed.axes.push_back(ir::axis_index(attribute_, axis));
        return placed;
    }

    void add(mlir::Operation *op) {
        const MatrixBlock block = matrix_block(op);
        const auto known = matrices_.find(block.matrix.str());
        if (known == matrices_.end() || known->second.number == 0)
            return; // the data were not read
        const int number =
            block.parts > 0 ? static_cast<int>(mlir::cast<ir::SpmmOp>(op).getNumber()) : known->second.number;
        Stored stored{{block.matrix.str(),
                       number,
                       block.transposed,
                       block.mean,
                       block.sent,
                       Side(block.rows),
                       Side(block.columns),
                       {}}};
        if (ir::WaitOp wait = staged_wait(op)) {
            for (const LoopDimension &cut : dimensions_of(ir::type_of(start_of(wait).getInputs().front())))
                stored.key.cuts_of_pieces.insert(stored.key.cuts_of_pieces.end(), cut.axes.begin(), cut.axes.end());
            stored.pieces = pieces_of(start_of(wait));
        }
        if (std::ranges::find(blocks_, stored.key, &Stored::key) != blocks_.end())
            return;
        stored.placement.dimensions = {placed(block.rows), placed(block.columns)};
        if (block.mean ? known->second.mean_has_values : known->second.has_values)
            stored.bytes_of_value = ir::type_of(op->getResult(0)).getElementType().getIntOrFloatBitWidth() / 8;
        blocks_.push_back(std::move(stored));
    }

    [[nodiscard]] std::int64_t pieces_of(ir::StartOp start) const {
        const CollectiveInfo info = collective_info(start, attribute_);
        const auto &[from, to, element_bytes] = info.members.front();
        return 1 + std::ssize(planrt::staged_gather(info.kind, info.axes, from, to, mesh_, 0)->rounds);
    }

    /// Where blocks begin and end along a dimension, ascending.
    static planrt::Cuts cuts(const std::vector<planrt::Box> &boxes, std::size_t dimension, std::int64_t extent) {
        planrt::Cuts cuts{0, extent};
        for (const planrt::Box &box : boxes)
            if (box[dimension].end > box[dimension].begin)
                cuts.insert(cuts.end(), {box[dimension].begin, box[dimension].end});
        std::ranges::sort(cuts);
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        return cuts;
    }

    void add_bytes(const Stored &block, std::vector<std::int64_t> &bytes) const {
        std::vector<planrt::Box> boxes;
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            boxes.push_back(planrt::local_box(block.placement, mesh_, rank));
        const planrt::Cuts rows = cuts(boxes, 0, block.placement.dimensions[0].extent);
        const planrt::Cuts columns = cuts(boxes, 1, block.placement.dimensions[1].extent);
        const std::vector<std::int64_t> &nonzeros = planrt::block_nonzeros(block.key.number, rows, columns);
        const auto part = [](const planrt::Cuts &cuts, std::int64_t begin) {
            return static_cast<std::size_t>(std::ranges::lower_bound(cuts, begin) - cuts.begin());
        };
        for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
            const planrt::Range &of_rows = boxes[rank][0];
            const planrt::Range &of_columns = boxes[rank][1];
            const std::int64_t stored_rows = block.key.transposed ? of_columns.size() : of_rows.size();
            bytes[rank] += block.pieces * (stored_rows + 1) * static_cast<std::int64_t>(sizeof(std::int64_t));
            if (of_rows.begin == of_rows.end || of_columns.begin == of_columns.end)
                continue;
            bytes[rank] += (static_cast<std::int64_t>(sizeof(std::int32_t)) + block.bytes_of_value) *
                           nonzeros[part(rows, of_rows.begin) * (columns.size() - 1) + part(columns, of_columns.begin)];
        }
    }

    ir::KnownMatrices matrices_;
    ir::MeshAttr attribute_;
    planrt::Mesh mesh_;
    std::vector<Stored> blocks_;
};

} // namespace

RankMemory rank_memory(mlir::ModuleOp scheduled) {
    const std::vector<std::int64_t> of_roles = arenas(scheduled);
    RankMemory memory;
    for (std::size_t role = 0; role < of_roles.size(); ++role) {
        const std::int64_t matrices = MatrixMemory(scheduled, static_cast<int>(role)).most();
        memory.matrices = std::max(memory.matrices, matrices);
        memory.all = std::max(memory.all, of_roles[role] + matrices);
    }
    return memory;
}

} // namespace planc::schedule

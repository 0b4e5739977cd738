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

#include <algorithm>
#include <map>
#include <tuple>
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

    std::int64_t most() {
        std::int64_t most = 0;
        for (int rank = 0; rank < mesh_.ranks() && !blocks_.empty(); ++rank) {
            std::int64_t bytes = 0;
            for (const auto &[key, block] : blocks_)
                bytes += bytes_of(block, rank);
            most = std::max(most, bytes);
        }
        return most;
    }

  private:
    struct Stored {
        planrt::Placement placement; ///< rows and columns
        int number = 0;              ///< of the matrix (planrt/needed_rows.h)
        bool transposed = false;
        std::int64_t bytes_of_value = 0; ///< 0: all values are alike
        std::int64_t pieces = 1;
    };
    /// Matrix, its number, transposed, mean, the axes of rows and columns, those that cut pieces.
    using Key = std::tuple<std::string, int, bool, bool, std::vector<std::string>, std::vector<std::string>,
                           std::vector<std::string>>;

    [[nodiscard]] planrt::DimensionPlacement placed(const LoopDimension &side) const {
        planrt::DimensionPlacement placed{side.extent, {}, side.window};
        for (const std::string &axis : side.axes)
            placed.axes.push_back(ir::axis_index(attribute_, axis));
        return placed;
    }

    void add(mlir::Operation *op) {
        const MatrixBlock block = matrix_block(op);
        const auto known = matrices_.find(block.matrix.str());
        if (known == matrices_.end())
            return; // the data were not read
        Stored stored;
        stored.number = known->second.number;
        if (block.parts > 0)
            stored.number = static_cast<int>(mlir::cast<ir::SpmmOp>(op).getNumber());
        std::vector<std::string> cuts;
        if (ir::WaitOp wait = staged_wait(op)) {
            for (const LoopDimension &cut : dimensions_of(ir::type_of(start_of(wait).getInputs().front())))
                cuts.insert(cuts.end(), cut.axes.begin(), cut.axes.end());
            stored.pieces = pieces_of(start_of(wait));
        }
        const Key key{block.matrix.str(), stored.number, block.transposed, block.mean, block.rows.axes,
                      block.columns.axes, cuts};
        stored.placement.dimensions = {placed(block.rows), placed(block.columns)};
        stored.transposed = block.transposed;
        if (block.mean ? known->second.mean_has_values : known->second.has_values)
            stored.bytes_of_value = ir::type_of(op->getResult(0)).getElementType().getIntOrFloatBitWidth() / 8;
        blocks_.try_emplace(key, stored);
    }

    [[nodiscard]] std::int64_t pieces_of(ir::StartOp start) const {
        const CollectiveInfo info = collective_info(start, attribute_);
        const auto &[from, to, element_bytes] = info.members.front();
        return 1 + std::ssize(planrt::staged_gather(info.kind, info.axes, from, to, mesh_, 0)->rounds);
    }

    std::int64_t bytes_of(const Stored &block, int rank) {
        const planrt::Box box = planrt::local_box(block.placement, mesh_, rank);
        const std::int64_t rows = block.transposed ? box[1].size() : box[0].size();
        return block.pieces * (rows + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
               nonzeros_of(block, box) * (static_cast<std::int64_t>(sizeof(std::int32_t)) + block.bytes_of_value);
    }

    std::int64_t nonzeros_of(const Stored &block, const planrt::Box &box) {
        const planrt::Range rows{box[0].begin, box[0].end};
        const planrt::Range columns{box[1].begin, box[1].end};
        const auto [known, is_new] =
            nonzeros_.try_emplace({block.number, rows.begin, rows.end, columns.begin, columns.end});
        if (is_new)
            known->second = planrt::nonzeros(block.number, rows, columns);
        return known->second;
    }

    ir::KnownMatrices matrices_;
    ir::MeshAttr attribute_;
    planrt::Mesh mesh_;
    std::map<Key, Stored> blocks_;
    std::map<std::tuple<int, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> nonzeros_;
};

} // namespace

std::int64_t matrix_bytes(mlir::ModuleOp scheduled, int role) {
    return MatrixMemory(scheduled, role).most();
}

std::int64_t memory_bytes(mlir::ModuleOp scheduled) {
    const std::vector<std::int64_t> of_roles = arenas(scheduled);
    std::int64_t most = 0;
    for (std::size_t role = 0; role < of_roles.size(); ++role)
        most = std::max(most, of_roles[role] + matrix_bytes(scheduled, static_cast<int>(role)));
    return most;
}

} // namespace planc::schedule

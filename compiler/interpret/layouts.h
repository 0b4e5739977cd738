// The meaning of a tensor type for every rank of the mesh, computed once per type.
#pragma once

#include "ir/placement.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace planc::interpret {

/// Where a tensor lies, rank by rank.
struct Layout {
    planrt::Placement placement;
    std::vector<planrt::Box> boxes;
    std::vector<planrt::Range> stored; ///< of the flattened boxes
    /// Per rank, the first rank that must hold the same elements: it has the same box, the same range of it, and the
    /// same coordinates along the partial axes.
    std::vector<int> replica_of;
};

class Layouts {
  public:
    explicit Layouts(ir::MeshAttr axes) : axes_(axes), mesh_(ir::mesh_of(axes)) {}

    [[nodiscard]] const Layout &of(ir::TensorType type);
    [[nodiscard]] const planrt::Mesh &mesh() const { return mesh_; }
    [[nodiscard]] ir::MeshAttr axes() const { return axes_; }

  private:
    ir::MeshAttr axes_;
    planrt::Mesh mesh_;
    llvm::DenseMap<mlir::Type, std::unique_ptr<Layout>> known_;
};

[[nodiscard]] int element_bytes(ir::TensorType type);

} // namespace planc::interpret

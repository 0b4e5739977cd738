// Between the layouts of tensor types and the placements of planrt/layout.h: the same thing, by name and by index.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <planrt/layout.h>

#include <vector>

namespace planc::ir {

/// The mesh of a module (its attribute `plan.mesh`); without one: no axes, one rank.
[[nodiscard]] MeshAttr mesh_attribute(mlir::ModuleOp module);
[[nodiscard]] planrt::Mesh mesh_of(MeshAttr mesh);

/// Index of a mesh axis, -1 if there is none of that name.
[[nodiscard]] int axis_index(MeshAttr mesh, mlir::StringRef name);

/// Where a tensor of this type lies; without a layout: replicated.
[[nodiscard]] planrt::Placement placement_of(TensorType type, MeshAttr mesh);

/// The layout that says `placement` for the dimensions of `type`.
[[nodiscard]] LayoutAttr layout_of(const planrt::Placement &placement, TensorType type, MeshAttr mesh);

} // namespace planc::ir

// Converts between the layouts of tensor types, by name, and the placements of planrt/layout.h, by index.
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

/// The placement of a tensor of this type; a type without a layout is replicated.
[[nodiscard]] planrt::Placement placement_of(TensorType type, MeshAttr mesh);

/// The layout that corresponds to `placement` for the dimensions of `type`.
[[nodiscard]] LayoutAttr layout_of(const planrt::Placement &placement, TensorType type, MeshAttr mesh);

} // namespace planc::ir

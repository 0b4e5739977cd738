#include "ir/placement.h"

namespace planc::ir {

using mlir::SmallVector;
using mlir::StringAttr;

namespace {

std::vector<int> axis_indices(MeshAttr mesh, llvm::ArrayRef<StringAttr> names) {
    std::vector<int> indices;
    for (StringAttr name : names)
        indices.push_back(axis_index(mesh, name));
    return indices;
}

SmallVector<StringAttr> axis_names(MeshAttr mesh, std::span<const int> axes) {
    return llvm::map_to_vector(axes, [&](int axis) { return mesh.getNames()[static_cast<size_t>(axis)]; });
}

} // namespace

MeshAttr mesh_attribute(mlir::ModuleOp module) {
    if (auto mesh = module->getAttrOfType<MeshAttr>("plan.mesh"))
        return mesh;
    return MeshAttr::get(module.getContext(), {}, planrt::Mesh());
}

planrt::Mesh mesh_of(MeshAttr mesh) {
    return mesh.getMesh();
}

int axis_index(MeshAttr mesh, mlir::StringRef name) {
    for (auto [index, axis] : llvm::enumerate(mesh.getNames()))
        if (axis.getValue() == name)
            return static_cast<int>(index);
    return -1;
}

planrt::Placement placement_of(TensorType type, MeshAttr mesh) {
    planrt::Placement placement;
    for (int64_t extent : type.getExtents())
        placement.dimensions.push_back({extent, {}});
    const LayoutAttr layout = type.getLayout();
    if (!layout)
        return placement;
    for (auto [role, axes, window] : llvm::zip(layout.getRoles(), layout.getAxes(), layout.getWindows())) {
        const auto names = llvm::map_to_vector(axes, [](mlir::Attribute a) { return mlir::cast<StringAttr>(a); });
        planrt::DimensionPlacement &dimension = placement.dimensions[static_cast<size_t>(type.find(role))];
        dimension.axes = axis_indices(mesh, names);
        dimension.window = LayoutAttr::windowOf(window);
    }
    placement.partial = axis_indices(mesh, layout.getPartial());
    placement.stored = axis_indices(mesh, layout.getStored());
    if (layout.getReduction() == "max")
        placement.reduction = planrt::Reduction::max;
    if (layout.getReduction() == "min")
        placement.reduction = planrt::Reduction::min;
    return placement;
}

LayoutAttr layout_of(const planrt::Placement &placement, TensorType type, MeshAttr mesh) {
    mlir::Builder builder(type.getContext());
    SmallVector<StringAttr> roles;
    SmallVector<mlir::ArrayAttr> axes;
    SmallVector<mlir::DenseI64ArrayAttr> windows;
    for (auto [role, dimension] : llvm::zip(type.getRoles(), placement.dimensions)) {
        if (dimension.axes.empty())
            continue;
        roles.push_back(role);
        const auto names = axis_names(mesh, dimension.axes);
        axes.push_back(builder.getArrayAttr(SmallVector<mlir::Attribute>(names.begin(), names.end())));
        windows.push_back(LayoutAttr::windowAttribute(type.getContext(), dimension.window));
    }
    static constexpr llvm::StringRef reductions[] = {"sum", "max", "min"};
    // A tensor without partial axes has one layout, whatever reduction its placement names.
    const auto reduction = placement.partial.empty() ? planrt::Reduction::sum : placement.reduction;
    return LayoutAttr::get(type.getContext(), roles, axes, axis_names(mesh, placement.partial),
                           builder.getStringAttr(reductions[static_cast<int>(reduction)]),
                           axis_names(mesh, placement.stored), windows);
}

} // namespace planc::ir

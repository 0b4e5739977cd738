#include "schedule/functions.h"

namespace planc::schedule {

const char *name(Part part) {
    static constexpr const char *names[] = {"forward", "backward", "update"};
    return names[static_cast<int>(part)];
}

Part part_of(mlir::Operation *op) {
    return part_of_phase(phase_of(op));
}

int section_of(mlir::Operation *op) {
    const auto level = op->getAttrOfType<mlir::IntegerAttr>("level");
    switch (part_of(op)) {
    case Part::forward:
        return 0;
    case Part::backward:
        return op->hasAttr("deferred") ? 2 : 1;
    case Part::update:
        break;
    }
    return first_update + (level ? static_cast<int>(level.getInt()) : 0);
}

std::string section_name(int section) {
    if (section < 2)
        return name(static_cast<Part>(section));
    if (section < first_update)
        return "weight_gradients";
    return section == first_update ? "update" : "update_" + std::to_string(section - first_update + 1);
}

Part part_of_phase(const std::string &phase) {
    if (phase == "update")
        return Part::update;
    const bool backward = phase == "input gradient" || phase == "weight gradient" || phase == "recompute";
    return backward ? Part::backward : Part::forward;
}

bool is_sent(mlir::OpOperand &use) {
    return mlir::isa<mlir::func::ReturnOp>(use.getOwner()) &&
           use.getOperandNumber() >= ir::own_results(mlir::cast<mlir::func::FuncOp>(use.getOwner()->getParentOp()));
}

void shift_numbers(mlir::Operation *op, std::uint64_t by) {
    op->walk([&](mlir::Operation *inner) {
        if (auto start = mlir::dyn_cast<ir::StartOp>(inner))
            start.setNumber(start.getNumber() + by);
        else if (auto wait = mlir::dyn_cast<ir::WaitOp>(inner))
            wait.setNumber(wait.getNumber() + by);
    });
}

std::string layer_of(mlir::Operation *op) {
    const auto layer = op->getAttrOfType<mlir::StringAttr>("layer");
    return layer ? layer.str() : "";
}

std::string phase_of(mlir::Operation *op) {
    const auto phase = op->getAttrOfType<mlir::StringAttr>("phase");
    return phase ? phase.str() : "";
}

void set_place(mlir::Operation *op, mlir::Operation *from) {
    for (const char *attribute : {"layer", "phase", "level", "deferred"})
        if (mlir::Attribute value = from->getAttr(attribute))
            op->setAttr(attribute, value);
}

bool is_kernel(mlir::Operation *op) {
    return mlir::isa<ir::GemmOp, ir::PermuteOp, ir::EmbeddingOp, ir::EmbeddingGradientOp, ir::SliceOp, ir::PadOp,
                     ir::ConcatOp, ir::ConvOp, ir::SpmmOp, ir::EdgeReduceOp, ir::PackOp, ir::UnpackOp, ir::PoolOp,
                     ir::MaxPoolOp, ir::AttentionOp>(op);
}

bool reads_accumulator(mlir::Value value, mlir::SymbolTableCollection &symbols) {
    auto read = value.getDefiningOp<ir::ReadOp>();
    return read && symbols.lookupNearestSymbolFrom(read, read.getVariableAttr())->hasAttr("accumulator");
}

ir::TensorType with_roles(ir::TensorType type, const std::vector<std::string> &roles) {
    mlir::Builder builder(type.getContext());
    const auto names = llvm::map_to_vector(roles, [&](const std::string &role) { return builder.getStringAttr(role); });
    const ir::LayoutAttr layout = type.getLayout();
    const auto renamed = ir::TensorType::get(type.getContext(), names, type.getExtents(), type.getElementType(), {});
    if (!layout)
        return renamed;
    const auto cut = llvm::map_to_vector(
        layout.getRoles(), [&](mlir::StringAttr role) { return names[static_cast<size_t>(type.find(role))]; });
    return renamed.withLayout(ir::LayoutAttr::get(type.getContext(), cut, layout.getAxes(), layout.getPartial(),
                                                  layout.getReduction(), layout.getStored(), layout.getWindows()));
}

ir::TensorType with_dimensions(ir::TensorType type, const std::vector<std::string> &roles) {
    mlir::Builder builder(type.getContext());
    llvm::SmallVector<mlir::StringAttr> names;
    llvm::SmallVector<int64_t> extents;
    llvm::SmallVector<mlir::StringAttr> cut;
    llvm::SmallVector<mlir::ArrayAttr> axes;
    llvm::SmallVector<mlir::DenseI64ArrayAttr> windows;
    const ir::LayoutAttr layout = type.getLayout();
    for (const std::string &role : roles) {
        names.push_back(builder.getStringAttr(role));
        extents.push_back(type.getExtents()[static_cast<size_t>(type.find(role))]);
        if (!layout)
            continue;
        for (auto [name, list, window] : llvm::zip(layout.getRoles(), layout.getAxes(), layout.getWindows()))
            if (name == names.back()) {
                cut.push_back(name);
                axes.push_back(list);
                windows.push_back(window);
            }
    }
    const auto chosen = ir::TensorType::get(type.getContext(), names, extents, type.getElementType(), {});
    return layout ? chosen.withLayout(ir::LayoutAttr::get(type.getContext(), cut, axes, layout.getPartial(),
                                                          layout.getReduction(), layout.getStored(), windows))
                  : chosen;
}

ir::TensorType summed_type(ir::TensorType type, const std::vector<std::string> &kept, ir::MeshAttr mesh) {
    const ir::TensorType rest = with_dimensions(type, kept);
    planrt::Placement placement = ir::placement_of(rest, mesh);
    for (auto [role, dimension] : llvm::zip(type.getRoles(), ir::placement_of(type, mesh).dimensions))
        if (rest.find(role) < 0)
            placement.partial.insert(placement.partial.end(), dimension.axes.begin(), dimension.axes.end());
    llvm::sort(placement.partial);
    return rest.getLayout() ? rest.withLayout(ir::layout_of(placement, rest, mesh)) : rest;
}

void StepPass::runOnOperation() {
    for (mlir::func::FuncOp function : ir::entry_functions(getOperation()))
        if (failed(run(function)))
            return signalPassFailure();
}

} // namespace planc::schedule

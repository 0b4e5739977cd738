#include "spmd/strategies.h"

#include "ir/placement.h"

namespace planc::spmd {

using sharding::LayerStrategy;

std::map<std::string, LayerStrategy> strategies_of(mlir::ModuleOp module) {
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    const auto axes = static_cast<int>(mesh.getNames().size());
    std::map<std::string, LayerStrategy> strategies;
    const auto attribute = module->getAttrOfType<mlir::DictionaryAttr>("plan.strategies");
    if (!attribute)
        return strategies;
    for (mlir::NamedAttribute layer : attribute) {
        const auto rules = mlir::dyn_cast<ir::StrategyAttr>(layer.getValue());
        if (!rules)
            continue;
        LayerStrategy strategy;
        strategy.loop_of_axis.resize(static_cast<size_t>(axes));
        for (auto [loop, name] : llvm::zip(rules.getLoops(), rules.getAxes())) {
            const int axis = ir::axis_index(mesh, name);
            if (axis < 0)
                continue;
            strategy.loop_of_axis[static_cast<size_t>(axis)] = loop.str();
            strategy.order.push_back(axis);
        }
        for (int axis = 0; axis < axes; ++axis)
            if (!llvm::is_contained(strategy.order, axis))
                strategy.order.push_back(axis);
        strategies.emplace(layer.getName().str(), std::move(strategy));
    }
    return strategies;
}

void set_strategies(mlir::ModuleOp module, const std::map<std::string, LayerStrategy> &strategies) {
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    mlir::Builder builder(module.getContext());
    llvm::SmallVector<mlir::NamedAttribute> layers;
    for (const auto &[name, strategy] : strategies) {
        llvm::SmallVector<mlir::StringAttr> loops;
        llvm::SmallVector<mlir::StringAttr> axes;
        std::vector<int> order = strategy.order;
        for (int axis = 0; axis < static_cast<int>(mesh.getNames().size()); ++axis)
            if (!llvm::is_contained(order, axis)) // an order that leaves axes out goes on ascending
                order.push_back(axis);
        for (int axis : order) {
            const std::string &loop = strategy.loop_of_axis[static_cast<size_t>(axis)];
            if (loop.empty())
                continue;
            loops.push_back(builder.getStringAttr(loop));
            axes.push_back(mesh.getNames()[static_cast<size_t>(axis)]);
        }
        layers.emplace_back(builder.getStringAttr(name), ir::StrategyAttr::get(builder.getContext(), loops, axes));
    }
    module->setAttr("plan.strategies", builder.getDictionaryAttr(layers));
}

namespace {

constexpr llvm::StringLiteral kinds[] = {"parameters", "gradients", "optimizer"};

llvm::SmallVector<mlir::StringAttr> stored_names(mlir::ModuleOp module, llvm::StringRef what) {
    const auto storage = module->getAttrOfType<mlir::DictionaryAttr>("plan.storage");
    const auto names = storage ? storage.getAs<mlir::ArrayAttr>(what) : mlir::ArrayAttr();
    llvm::SmallVector<mlir::StringAttr> result;
    if (names)
        llvm::append_range(result, names.getAsRange<mlir::StringAttr>());
    return result;
}

std::vector<int> stored_axes(mlir::ModuleOp module, llvm::StringRef what) {
    std::vector<int> axes;
    for (mlir::StringAttr name : stored_names(module, what))
        axes.push_back(ir::axis_index(ir::mesh_attribute(module), name));
    return axes;
}

} // namespace

sharding::Storage storage_of(mlir::ModuleOp module) {
    return {stored_axes(module, kinds[0]), stored_axes(module, kinds[1]), stored_axes(module, kinds[2])};
}

void set_storage(mlir::ModuleOp module, const sharding::Storage &storage) {
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    mlir::Builder builder(module.getContext());
    llvm::SmallVector<mlir::NamedAttribute> entries;
    const auto add = [&](llvm::StringRef what, const std::vector<int> &axes) {
        const auto names = llvm::map_to_vector(
            axes, [&](int axis) -> mlir::Attribute { return mesh.getNames()[static_cast<size_t>(axis)]; });
        if (!names.empty())
            entries.emplace_back(builder.getStringAttr(what), builder.getArrayAttr(names));
    };
    add(kinds[0], storage.parameters);
    add(kinds[1], storage.gradients);
    add(kinds[2], storage.optimizer);
    if (entries.empty())
        module->removeAttr("plan.storage");
    else
        module->setAttr("plan.storage", builder.getDictionaryAttr(entries));
}

mlir::LogicalResult check_storage(mlir::ModuleOp module) {
    for (const llvm::StringLiteral kind : kinds) {
        llvm::SmallDenseSet<mlir::StringAttr> seen;
        for (mlir::StringAttr name : stored_names(module, kind)) {
            if (ir::axis_index(ir::mesh_attribute(module), name) < 0)
                return module.emitError()
                       << "plan.storage." << kind << " names " << name << ", which is no axis of the mesh";
            if (!seen.insert(name).second)
                return module.emitError() << "plan.storage." << kind << " names " << name << " twice";
        }
    }
    return mlir::success();
}

} // namespace planc::spmd

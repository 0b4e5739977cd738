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

} // namespace planc::spmd

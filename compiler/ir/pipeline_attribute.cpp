#include "ir/pipeline_attribute.h"

#include "ir/entry_functions.h"
#include "ir/placement.h"
#include "pipeline/makers.h"

#include "mlir/IR/Builders.h"

namespace planc::ir {

static constexpr const char *attribute = "plan.pipeline";

bool has_pipeline(mlir::ModuleOp module) {
    return module->hasAttr(attribute);
}

Pipeline pipeline_of(mlir::ModuleOp module) {
    Pipeline pipeline;
    const auto entries = module->getAttrOfType<mlir::DictionaryAttr>(attribute);
    pipeline.axis = entries.getAs<mlir::StringAttr>("axis").str();
    pipeline.schedule = entries.getAs<mlir::StringAttr>("schedule").str();
    pipeline.chunks = static_cast<int>(entries.getAs<mlir::IntegerAttr>("chunks").getInt());
    pipeline.stages = static_cast<int>(entries.getAs<mlir::IntegerAttr>("stages").getInt());
    if (const auto reach = entries.getAs<mlir::DenseI32ArrayAttr>("reach"))
        pipeline.reach.assign(reach.asArrayRef().begin(), reach.asArrayRef().end());
    for (mlir::NamedAttribute layer : entries.getAs<mlir::DictionaryAttr>("layers"))
        pipeline.stage_of_layer[layer.getName().str()] =
            static_cast<int>(mlir::cast<mlir::IntegerAttr>(layer.getValue()).getInt());
    return pipeline;
}

void set_pipeline(mlir::ModuleOp module, const Pipeline &pipeline) {
    mlir::Builder builder(module.getContext());
    mlir::NamedAttrList layers;
    for (const auto &[layer, stage] : pipeline.stage_of_layer)
        layers.set(layer, builder.getI64IntegerAttr(stage));
    mlir::NamedAttrList entries;
    entries.set("axis", builder.getStringAttr(pipeline.axis));
    entries.set("schedule", builder.getStringAttr(pipeline.schedule));
    entries.set("chunks", builder.getI64IntegerAttr(pipeline.chunks));
    entries.set("stages", builder.getI64IntegerAttr(pipeline.stages));
    entries.set("layers", layers.getDictionary(module.getContext()));
    if (!pipeline.reach.empty())
        entries.set("reach", builder.getDenseI32ArrayAttr(pipeline.reach));
    module->setAttr(attribute, entries.getDictionary(module.getContext()));
}

pipeline::Updates updates_of(mlir::ModuleOp module) {
    const auto entries = module->getAttrOfType<mlir::DictionaryAttr>("plan.updates");
    if (!entries)
        return {};
    const bool stashed = entries.getAs<mlir::StringAttr>("weights") == "stashed";
    return {stashed ? pipeline::Weights::stashed : pipeline::Weights::two_versions,
            static_cast<int>(entries.getAs<mlir::IntegerAttr>("accumulated").getInt())};
}

void set_updates(mlir::ModuleOp module, const pipeline::Updates &updates) {
    if (updates.weights == pipeline::Weights::synchronous)
        return;
    mlir::Builder builder(module.getContext());
    const bool stashed = updates.weights == pipeline::Weights::stashed;
    mlir::NamedAttrList entries;
    entries.set("weights", builder.getStringAttr(stashed ? "stashed" : "two versions"));
    entries.set("accumulated", builder.getI64IntegerAttr(updates.accumulated));
    module->setAttr("plan.updates", entries.getDictionary(module.getContext()));
}

static int axis_of(mlir::ModuleOp module) {
    if (!has_pipeline(module))
        return -1;
    const auto entries = module->getAttrOfType<mlir::DictionaryAttr>(attribute);
    return axis_index(mesh_attribute(module), entries.getAs<mlir::StringAttr>("axis"));
}

int role_count(mlir::ModuleOp module) {
    const int axis = axis_of(module);
    return axis < 0 ? 1 : mesh_of(mesh_attribute(module)).sizes[static_cast<std::size_t>(axis)];
}

planrt::Role ranks_of_role(mlir::ModuleOp module, int role) {
    const int axis = axis_of(module);
    return axis < 0 ? planrt::Role() : planrt::role_at(mesh_of(mesh_attribute(module)), axis, role);
}

MeshAttr mesh_of_role(mlir::ModuleOp module, int role) {
    const int axis = axis_of(module);
    const MeshAttr whole = mesh_attribute(module);
    return axis < 0 ? whole : MeshAttr::get(whole.getContext(), whole.getNames(), mesh_of(whole).at(axis, role));
}

MeshAttr mesh_of_ranks(mlir::Operation *op) {
    auto function = mlir::dyn_cast<mlir::func::FuncOp>(op);
    if (!function)
        function = op->getParentOfType<mlir::func::FuncOp>();
    return mesh_of_role(function->getParentOfType<mlir::ModuleOp>(), role_of(function));
}

std::string stage_name(const Pipeline &pipeline, int part) {
    const int replica = part / pipeline.stages;
    return std::to_string(part % pipeline.stages) + (replica > 0 ? " of replica " + std::to_string(replica) : "");
}

pipeline::Schedule schedule_of(mlir::ModuleOp module) {
    const Pipeline pipeline = pipeline_of(module);
    pipeline::Schedule schedule = pipeline::made_by(pipeline.schedule, role_count(module), pipeline.chunks,
                                                    static_cast<int>(micro_batch_count(module)));
    schedule.reach = pipeline.reach;
    return schedule;
}

} // namespace planc::ir

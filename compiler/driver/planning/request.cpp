#include "driver/planning/request.h"

#include "driver/commands/commands.h"
#include "driver/options/machine_settings.h"
#include "driver/planning/mesh_request.h"
#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "ir/plan_dialect.h"
#include "plan/explanations/fewest_rules.h"
#include "program/micro_batches.h"
#include "sema/analyze.h"
#include "sema/layouts/cuts.h"
#include "sema/layouts/layout_rules.h"
#include "sharding/fused_updates.h"
#include "spmd/extract.h"
#include "spmd/strategies.h"
#include "timeline/work_of_step.h"

#include <algorithm>
#include <map>

namespace planc::driver {

namespace {

/// Thrown inside this file only; make_request() turns it into its result.
using Failure = RequestError;

template <class T> const T *find(const std::vector<T> &declarations, const std::string &name) {
    const auto at = std::find_if(declarations.begin(), declarations.end(),
                                 [&](const T &declaration) { return declaration.name == name; });
    return at == declarations.end() ? nullptr : &*at;
}

class RequestMaker {
  public:
    RequestMaker(const sema::Program &program, const sharding::Graph &graph, const Options &options,
                 const Installation &installation, support::SourceFiles &files, support::Diagnostics &diagnostics)
        : program_(program), train_(program.trains.back()), graph_(graph), options_(options),
          installation_(installation), files_(files), diagnostics_(diagnostics) {}

    PlanRequest make() {
        result_.request.graph = graph_;
        const sema::Layout *layout = choose_layout();
        const sema::Mesh *mesh = layout == nullptr ? nullptr : find(program_.meshes, layout->mesh);
        set_mesh(mesh, layout, options_, result_);
        if (mesh != nullptr && mesh->name != layout->name)
            result_.mesh = mesh->name;
        set_machine(mesh);
        if (layout != nullptr)
            set_rules(*layout);
        if (layout == nullptr || layout->pipeline || (layout->automatic && !layout->forbid_pipeline))
            set_pipeline(layout == nullptr || !layout->pipeline ? nullptr : &*layout->pipeline);
        // Without a search, baselines are only shown.
        result_.request.baselines =
            result_.request.search || (options_.command == Command::explain && !result_.request.pipeline);
        if (!train_.loss.arguments.empty() && !train_.loss.arguments[0].type.dimensions.empty())
            result_.request.batch = train_.loss.arguments[0].type.dimensions[0].role;
        return std::move(result_);
    }

  private:
    const sema::Layout *choose_layout() {
        const std::string name = options_.layout.empty() ? train_.layout : options_.layout;
        if (name.empty()) {
            result_.layout = "auto";
            result_.notes.emplace_back("no layout is named: the compiler chooses mesh and layout");
            return nullptr;
        }
        const sema::Layout *layout = layout_of(program_, options_);
        if (is_layout_file(name)) {
            if (layout == nullptr)
                throw Failure{"--layout: '" + name + "' declares " + std::to_string(program_.layouts_of_file) +
                                  " layouts, not one",
                              input_error};
            result_.layout = layout->name;
            result_.request.search = layout->automatic;
            return layout;
        }
        if (layout == nullptr)
            throw Failure{"there is no layout '" + name + "' in '" + options_.file + "'" +
                              hint(name, names_of(program_.layouts)),
                          usage_error};
        result_.layout = name;
        result_.request.search = layout->automatic;
        return layout;
    }

    void set_machine(const sema::Mesh *mesh) {
        ChosenMachine &machine = result_.machine;
        machine.declared = choose_machine(mesh);
        machine.by_default &= options_.machine_settings.empty();
        const std::string said = apply(options_.machine_settings, machine.declared);
        if (said.empty() && machine.declared.where.file >= 0)
            machine.library = library_path(files_.file(machine.declared.where.file).path);
        result_.request.machine = cost::machine(machine.declared);
        result_.request.machine.name += said;
    }

    /// "std/…" of a file of the standard library, else nothing.
    [[nodiscard]] std::string library_path(const std::string &path) const {
        const std::string &folder = installation_.stdlib;
        return path.starts_with(folder + "/") ? "std" + path.substr(folder.size()) : "";
    }

    sema::Machine choose_machine(const sema::Mesh *mesh) {
        if (!options_.machine.empty())
            return machine_from(options_.machine);
        if (mesh != nullptr && !mesh->machine.empty())
            if (const sema::Machine *machine = find(program_.machines, mesh->machine))
                return *machine;
        result_.machine.by_default = true;
        return machine_from("std/machines/local.plan");
    }

    sema::Machine machine_from(const std::string &file) {
        if (const sema::Machine *declared = find(program_.machines, file))
            return *declared;
        sema::Options sema_options;
        sema_options.stdlib_directory = installation_.stdlib;
        const std::string path = installation_.path_of_machine(file);
        if (path.empty())
            throw Failure{"--machine: there is no machine '" + file + "'" + hint(file, known_machines()), usage_error};
        const auto library = sema::analyze(path, files_, diagnostics_, sema_options).program;
        if (!library)
            throw Failure{"", input_error};
        if (library->machines.size() != 1)
            throw Failure{"--machine: '" + file + "' declares " + std::to_string(library->machines.size()) +
                              " machines, not one",
                          input_error};
        return library->machines.front();
    }

    /// The machines that --machine accepts by name.
    [[nodiscard]] std::vector<std::string> known_machines() const {
        std::vector<std::string> names = names_of(program_.machines);
        for (const std::string &machine : installation_.machines()) {
            names.push_back(machine);
            names.push_back("std/machines/" + machine + ".plan");
        }
        return names;
    }

    void set_rules(const sema::Layout &layout) {
        result_.request.memory_limit_bytes = layout.memory_limit_bytes.value_or(0);
        const sema::ResolvedLayout resolved = sema::resolve_layout(layout, train_.loss);
        for (const sharding::Layer &layer : graph_.layers) {
            std::vector<plan::Pin> pins;
            if (const auto rules = resolved.find(layer.name); rules != resolved.end())
                for (const auto &[dimension, rule] : rules->second)
                    pins.push_back({dimension, rule->axes, text(*rule)});
            result_.request.pins.push_back(std::move(pins));
        }
        for (const sema::StoreRule &rule : layout.stores)
            set_storage(rule);
    }

    /// Without a rule, the search may find one.
    void set_pipeline(const sema::PipelineRule *rule) {
        plan::PipelineRequest &wanted = result_.request.pipeline.emplace();
        wanted.wanted = rule != nullptr;
        std::map<std::string, sharding::LayerId> layers;
        for (const sharding::LayerId layer : graph_.layers.ids())
            layers[graph_.layers[layer].name] = layer;
        for (const std::string &name : train_.loss.layers)
            if (const auto layer = layers.find(name); layer != layers.end())
                wanted.layers.push_back(layer->second);
        if (rule == nullptr)
            return;
        wanted.axis = rule->axis;
        wanted.schedule = !rule->schedule.empty() || result_.request.search ? rule->schedule : "one_f_one_b";
        wanted.chunks = static_cast<int>(rule->chunks);
        set_cuts(rule->cuts, wanted);
    }

    /// The analysis has checked them, but among all layers, also those that nothing is left of.
    void set_cuts(const std::vector<sema::Cut> &cuts, plan::PipelineRequest &wanted) const {
        std::vector<std::string> names;
        for (const sharding::LayerId layer : wanted.layers)
            names.push_back(graph_.layers[layer].name);
        for (const sema::Cut &cut : cuts) {
            const std::optional<std::size_t> place = sema::place_of(cut, names);
            const char *fault = !place                  ? "selects nothing that computes"
                                : place == 0            ? "has nothing before it that computes"
                                : place == names.size() ? "has nothing behind it that computes"
                                                        : nullptr;
            if (fault != nullptr)
                throw Failure{"layout '" + result_.layout + "': '" + sema::text(cut) + "' " + fault, input_error};
            wanted.cuts.push_back(wanted.layers[*place]);
        }
    }

    void set_storage(const sema::StoreRule &rule) {
        plan::StorageRules &storage = result_.request.storage;
        const auto set = [&](plan::StoragePin &pin, const char *what) {
            pin = rule.axes;
            storage.texts.push_back(std::string("store ") + what + " -> " + plan::target_text(rule.axes));
        };
        switch (rule.what) {
        case sema::StoreRule::What::params:
            return set(storage.parameters, "params");
        case sema::StoreRule::What::gradients:
            return set(storage.gradients, "gradients");
        case sema::StoreRule::What::optimizer:
            return set(storage.optimizer, "optimizer");
        }
    }

    static std::string text(const sema::Rule &rule) {
        const std::string selector = rule.selector.empty() ? "" : rule.selector + ": ";
        return selector + rule.dimension + " -> " + plan::target_text(rule.axes);
    }

    const sema::Program &program_;
    const sema::Train &train_;
    const sharding::Graph &graph_;
    const Options &options_;
    const Installation &installation_;
    support::SourceFiles &files_;
    support::Diagnostics &diagnostics_;
    PlanRequest result_;
};

} // namespace

bool is_layout_file(const std::string &layout) {
    return layout.ends_with(".plan");
}

const sema::Layout *layout_of(const sema::Program &program, const Options &options) {
    if (is_layout_file(options.layout))
        return program.layouts_of_file == 1 ? &program.layouts.front() : nullptr;
    return find(program.layouts, options.layout.empty() ? program.trains.back().layout : options.layout);
}

namespace {

sharding::Graph graph_of(mlir::func::FuncOp function, const timeline::WorkOfStep &work) {
    sharding::Graph graph = spmd::extract(function).graph;
    graph.work = work.of(function);
    return sharding::with_fused_updates(graph);
}

/// Plans then need not make it anew.
void set_work_on(const cost::Machine &machine, sharding::Graph &graph) {
    if (!graph.work.empty())
        graph.work = cost::work_of_operations(graph, machine);
}

/// The micro-batches with one sample more than the last one.
std::optional<plan::LargerMicroBatches> larger_micro_batches(mlir::ModuleOp module, const timeline::WorkOfStep &work) {
    const std::int64_t least = ir::samples_of(ir::updating_function(module));
    const auto all = program::micro_batches(ir::batch_of(module), ir::micro_batch_count(module));
    for (mlir::func::FuncOp function : ir::entry_functions(module))
        if (ir::is_training(function) && ir::samples_of(function) > least)
            return plan::LargerMicroBatches{
                graph_of(function, work), static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto &each) {
                    return each.samples > least;
                }))};
    return std::nullopt;
}

} // namespace

std::variant<PlanRequest, RequestError> make_request(const sema::Program &program, mlir::ModuleOp module,
                                                     const Options &options, const Installation &installation,
                                                     support::SourceFiles &files, support::Diagnostics &diagnostics) {
    try {
        const timeline::WorkOfStep work(module);
        const sharding::Graph graph = graph_of(ir::updating_function(module), work);
        PlanRequest result = RequestMaker(program, graph, options, installation, files, diagnostics).make();
        result.request.larger = larger_micro_batches(module, work);
        set_work_on(result.request.machine, result.request.graph);
        if (result.request.larger)
            set_work_on(result.request.machine, result.request.larger->graph);
        return result;
    } catch (const Failure &failure) {
        return failure;
    }
}

static void set_pipeline(mlir::ModuleOp module, const sharding::Graph &graph, const plan::PipelinePlan &plan) {
    ir::Pipeline pipeline{plan.axis, plan.schedule, plan.chunks, plan.stages.count, {}};
    for (const sharding::LayerId layer : graph.layers.ids())
        if (const int stage = plan.stages.of[layer]; stage != sharding::LayerStages::everywhere)
            pipeline.stage_of_layer[graph.layers[layer].name] = stage;
    ir::set_pipeline(module, pipeline);
}

void set_plan(mlir::ModuleOp module, const sharding::Graph &graph, const plan::Plan &plan) {
    mlir::Builder builder(module.getContext());
    llvm::SmallVector<mlir::StringAttr> names;
    for (const auto &name : plan.axes)
        names.push_back(builder.getStringAttr(name));
    module->setAttr("plan.mesh", ir::MeshAttr::get(module.getContext(), names, plan.mesh));
    std::map<std::string, sharding::LayerStrategy> strategies;
    for (const sharding::LayerId layer : graph.layers.ids())
        strategies[graph.layers[layer].name] = plan.layers[layer];
    spmd::set_strategies(module, strategies);
    spmd::set_storage(module, plan.storage);
    if (plan.pipeline)
        set_pipeline(module, graph, *plan.pipeline);
}

} // namespace planc::driver

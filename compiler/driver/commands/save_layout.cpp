#include "driver/commands/save_layout.h"

#include "driver/commands/machine_text.h"
#include "pipeline/makers.h"

#include "plan/explanations/explain.h"
#include "plan/explanations/fewest_rules.h"
#include "sema/layouts/cuts.h"
#include "sema/layouts/layout_rules.h"
#include "support/diagnostics.h"
#include "syntax/parse.h"
#include "syntax/print.h"

#include <algorithm>
#include <unordered_map>

namespace planc::driver {

namespace {

/// Per layer of the network the dimensions that rules can name in it.
std::vector<std::pair<std::string, std::set<std::string>>> operations_of(const sema::Network &network) {
    std::vector<std::pair<std::string, std::set<std::string>>> layers;
    std::unordered_map<std::string, std::size_t> places;
    for (const std::string &path : network.layers) {
        places.emplace(path, layers.size());
        layers.emplace_back(path, std::set<std::string>{});
    }
    for (const sema::Operation &operation : network.operations)
        if (const auto place = places.find(operation.layer); place != places.end())
            for (const std::string &name : sema::loop_names(network, operation))
                layers[place->second].second.insert(name);
    return layers;
}

std::string names(const std::vector<int> &axes, const plan::Plan &plan) {
    std::vector<std::string> words;
    for (const int axis : axes)
        words.push_back(plan.axes[axis]);
    return plan::target_text(words);
}

/// A rule for parameters holds for gradients too, and a rule for gradients for the optimizer too.
std::string storage(const plan::Plan &plan) {
    std::string text;
    std::vector<int> above;
    const auto say = [&](const char *what, const std::vector<int> &axes) {
        if (axes != above)
            text += std::string("store ") + what + " -> " + names(axes, plan) + "\n";
        above = axes;
    };
    say("params", plan.storage.parameters);
    say("gradients", plan.storage.gradients);
    say("optimizer", plan.storage.optimizer);
    return text;
}

/// "gpipe"; "table { 0: F0 B0; 1: F0 B0 }"; "pipedream_2bw; accumulate = 4".
std::string schedule_text(const std::string &schedule) {
    if (const int accumulated = pipeline::updates_of(schedule).accumulated;
        schedule == pipeline::two_versions_name(accumulated))
        return "pipedream_2bw; accumulate = " + std::to_string(accumulated);
    if (!pipeline::is_table(schedule))
        return schedule;
    std::string rows = schedule;
    std::replace(rows.begin(), rows.end(), '\n', ';');
    return "table { " + rows + " }";
}

/// "; cut before fc1, fc2; cut after block[0].attention"
std::string cuts_text(const plan::Request &request, const sharding::LayerStages &stages) {
    std::vector<std::string> layers;
    for (const sharding::LayerId layer : request.pipeline->layers)
        layers.push_back(request.graph.layers[layer].name);
    std::string text;
    std::optional<sema::Cut> last;
    for (std::size_t place = 1; place < layers.size(); ++place) {
        if (stages.of[request.pipeline->layers[place]] == stages.of[request.pipeline->layers[place - 1]])
            continue;
        const sema::Cut cut = sema::cut_at(place, layers);
        text += last && last->after == cut.after ? ", " + cut.path : "; " + sema::text(cut);
        last = cut;
    }
    return text;
}

/// With the cuts, so that the layout means the same stages whatever the prices are.
std::string pipeline(const plan::Request &request, const plan::PipelinePlan &pipeline, std::int64_t microbatches) {
    std::string text = "pipeline -> " + pipeline.axis + " { schedule = " + schedule_text(pipeline.schedule) + "; ";
    if (pipeline.schedule == "interleaved")
        text += "chunks = " + std::to_string(pipeline.chunks) + "; ";
    return text + "microbatches = " + std::to_string(microbatches) + cuts_text(request, pipeline.stages) + " }\n";
}

std::string body(const sema::Program &program, const PlanRequest &request, const plan::Plan &plan,
                 const planning::MemorySavings &savings) {
    std::string text =
        plan::fewest_rules(plan::wishes(request.request, plan, operations_of(program.trains.back().loss)));
    text += storage(plan);
    if (plan.pipeline)
        text += pipeline(request.request, *plan.pipeline, savings.microbatches);
    else if (savings.microbatches > 1)
        text += "microbatches = " + std::to_string(savings.microbatches) + "\n";
    if (savings.cover > 0)
        text += "cover = " + std::to_string(savings.cover) + "\n";
    for (const std::string &selector : savings.recompute)
        text += selector.empty() ? "recompute\n" : selector + " { recompute }\n";
    return text;
}

std::string mesh(const std::string &name, const PlanRequest &request, const plan::Plan &plan) {
    std::string sizes;
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis)
        sizes +=
            (axis == 0 ? "" : ", ") + plan.axes[axis] + ": " + planrt::size_text(plan.mesh, static_cast<int>(axis));
    const std::string machine = request.machine.by_default ? "" : " on " + request.machine.declared.name;
    return "mesh " + name + machine + " = [" + sizes + "]\n";
}

std::string comment(const std::string &text) {
    std::string commented;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        commented += (end == begin ? "//" : "// ") + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return commented;
}

std::string canonical(const std::string &text) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    const auto file = syntax::parse(files.add("layout", text), files, diagnostics);
    return file ? syntax::format(*file, files) : text;
}

} // namespace

std::string layout_text(const sema::Program &program, const PlanRequest &request, const plan::Plan &plan,
                        const planning::MemorySavings &savings, const Options &options) {
    std::string command = "planc " + options.file;
    for (const auto &[name, extent] : options.dimensions)
        command += " --dim " + name + "=" + std::to_string(extent);
    command += " --layout " + (options.output.empty() ? "THIS_FILE" : options.output);
    std::string text = comment("planc's plan for " + program.trains.back().network + " of " + options.file +
                               "; its cost and the reasons are at the end. To use it:\n    " + command) +
                       "\n";
    const ChosenMachine &machine = request.machine;
    if (!machine.by_default)
        text +=
            machine.library.empty() ? machine_text(machine.declared) + "\n" : "import \"" + machine.library + "\"\n\n";
    const std::string grid = request.mesh.empty() ? "grid" : request.mesh;
    text += mesh(grid, request, plan) + "\nlayout " + request.layout + " on " + grid + " {\n" +
            body(program, request, plan, savings) + "}\n\n" + comment(plan::explain(request.request, plan));
    return canonical(text);
}

} // namespace planc::driver

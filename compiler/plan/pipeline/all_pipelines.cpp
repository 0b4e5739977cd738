#include "plan/pipeline/all_pipelines.h"

#include "plan/space/space.h"
#include "plan/space/storage.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace planc::plan {

namespace {

/// All ways to begin so many stages, after those that `begins` has. Returns false if there are more than `most`.
bool add_begins(const Cuts &cuts, std::size_t stages, double most, Begins &begins, std::vector<Begins> &all) {
    if (begins.size() == stages) {
        all.push_back(begins);
        return static_cast<double>(all.size()) <= most;
    }
    const std::vector<bool> &may_begin = cuts.may_begin();
    for (auto place = static_cast<std::ptrdiff_t>(begins.back()) + 1; place < std::ssize(may_begin); ++place) {
        if (begins.size() + static_cast<std::size_t>(std::count(may_begin.begin() + place, may_begin.end(), true)) <
            stages)
            return true;
        if (!may_begin[static_cast<std::size_t>(place)])
            continue;
        begins.push_back(static_cast<std::size_t>(place));
        const bool few = add_begins(cuts, stages, most, begins, all);
        begins.pop_back();
        if (!few)
            return false;
    }
    return true;
}

struct OnMesh {
    MeshShape shape;
    Space space;
    std::vector<StorageChoice> storages;

    OnMesh(const Request &inner, MeshShape given)
        : shape(std::move(given)), space(make_space(inner, shape)), storages(storage_choices(inner, shape)) {}

    [[nodiscard]] double splits() const {
        double all = 1;
        for (const auto &options : space.options)
            all *= static_cast<double>(options->size());
        return all;
    }

    /// Splits by number, as digits: each layer's strategy.
    [[nodiscard]] LayerStrategies layers(std::size_t number) const {
        LayerStrategies layers;
        for (const auto &options : space.options) {
            layers.push_back((*options)[number % options->size()]);
            number /= options->size();
        }
        return layers;
    }
};

} // namespace

bool visit_all(const Request &inner, const Cuts &cuts, const std::vector<PipelinePlan> &kinds, int ranks, double most,
               const std::function<void(const Plan &)> &visit) {
    std::vector<PipelinePlan> pipelines;
    for (const PipelinePlan &kind : kinds) {
        std::vector<Begins> all;
        Begins first{0};
        if (!add_begins(cuts, static_cast<std::size_t>(kind.chunks * ranks), most, first, all))
            return false;
        for (const Begins &begins : all) {
            pipelines.push_back(kind);
            pipelines.back().stages = cuts.stages(begins);
        }
    }
    std::vector<OnMesh> meshes;
    double splits = 0;
    for (const MeshShape &shape : mesh_shapes(inner)) {
        meshes.emplace_back(inner, shape);
        splits += meshes.back().splits() * static_cast<double>(meshes.back().storages.size());
        if (splits * static_cast<double>(pipelines.size()) > most)
            return false;
    }
    if (pipelines.empty() || meshes.empty())
        return false;
    Plan plan;
    for (const OnMesh &on : meshes) {
        plan.axes = on.shape.axes;
        plan.mesh = on.shape.mesh;
        for (const PipelinePlan &pipeline : pipelines)
            for (std::size_t number = 0; static_cast<double>(number) < on.splits(); ++number)
                for (const StorageChoice &choice : on.storages) {
                    plan.pipeline = pipeline;
                    plan.layers = on.layers(number);
                    plan.storage = choice.storage;
                    visit(plan);
                }
    }
    return true;
}

} // namespace planc::plan

#include "plan/search/smallest_plan.h"

#include "plan/bounds/least_memory.h"
#include "plan/search/narrowed_search.h"
#include "plan/space/storage.h"
#include "support/parallel.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace planc::plan {

namespace {

constexpr std::size_t most_searched = 8; ///< meshes with a storage each
constexpr double worth_a_search = 0.01;  ///< of the bytes

struct OnMesh {
    MeshShape shape;
    Space space;
    TermCache cache;
    OnMesh(const Request &request, const MeshShape &given)
        : shape(given), space(make_space(request, shape)), cache(shape.mesh, request.machine) {}
};

/// On the outermost level alone: only bytes are compared, and what messages take on several takes long to find.
Request on_one_level(Request request) {
    request.machine.levels = {{.link = request.machine.network()}};
    return request;
}

struct Candidate {
    OnMesh *on = nullptr;
    Storage storage;
    Marginals bytes;
};

} // namespace

Plan smallest_plan(const Request &asked, Bytes known) {
    const Request request = on_one_level(asked);
    const sharding::GraphIndex index(request.graph);
    const StepStructure step(index, request.machine);
    const std::vector<MeshShape> shapes = mesh_shapes(asked);
    std::vector<std::unique_ptr<OnMesh>> meshes(shapes.size());
    std::vector<std::vector<Candidate>> of_mesh(shapes.size());
    support::in_parallel(shapes.size(), [&](std::size_t i) {
        meshes[i] = std::make_unique<OnMesh>(request, shapes[i]);
        OnMesh &on = *meshes[i];
        for (const StorageChoice &choice : storage_choices(request, on.shape))
            of_mesh[i].push_back(
                {&on, choice.storage,
                 least_memory_of_strategies(step, on.space, on.shape.mesh, request.machine, choice.storage, on.cache)});
    });
    std::vector<Candidate> candidates;
    for (std::vector<Candidate> &each : of_mesh)
        std::move(each.begin(), each.end(), std::back_inserter(candidates));
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate &a, const Candidate &b) { return a.bytes.lower_bound < b.bytes.lower_bound; });
    Plan plan;
    plan.failure = "no plan is smaller";
    for (std::size_t i = 0; i < std::min(candidates.size(), most_searched); ++i) {
        const auto &[on, storage, bytes] = candidates[i];
        if (bytes.lower_bound >= (1 - worth_a_search) * known.value)
            break;
        const Space few = few_by(bytes, step, on->space, on->cache, request.effort);
        const Found found = smallest(request, step, on->shape, few, storage, on->cache);
        if (!found.feasible)
            continue;
        auto cost =
            std::make_shared<const CostTable>(evaluate(asked, on->shape.mesh, on->shape.axes, found.layers, storage));
        if (cost->memory.total() >= known)
            continue;
        known = cost->memory.total();
        plan.failure.clear();
        plan.axes = on->shape.axes;
        plan.mesh = on->shape.mesh;
        plan.layers = found.layers;
        plan.storage = storage;
        plan.cost = std::move(cost);
        plan.choices = number_of_choices(on->space);
    }
    plan.meshes = static_cast<int>(shapes.size());
    plan.memory_decided = true;
    plan.note = "only plans with the least memory were searched";
    return plan;
}

} // namespace planc::plan

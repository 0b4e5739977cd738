#include "plan/search/on_mesh.h"

#include "plan/space/storage.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace planc::plan {

OnMesh::OnMesh(const Request &request, const MeshShape &given)
    : shape(given), space(make_space(request, shape)), cache(shape.mesh, request.machine) {
    for (const StorageChoice &choice : storage_choices(request, shape))
        if (!choice.saves_memory_only)
            storages.push_back(choice.storage);
}

double OnMesh::least_bytes(const Storage &storage) const {
    const auto found = std::ranges::find(least, storage, &std::pair<Storage, double>::first);
    return found == least.end() ? 0 : found->second;
}

/// Of strategies of a layer, over all layers. Tables take about as long.
static double pairs_of(const Space &space) {
    double pairs = 0;
    for (const auto &options : space.options)
        pairs += static_cast<double>(options->size() * options->size());
    return pairs;
}

std::vector<std::size_t> largest_first(const std::vector<const OnMesh *> &meshes) {
    std::vector<double> pairs;
    for (const OnMesh *on : meshes)
        pairs.push_back(pairs_of(on->space));
    std::vector<std::size_t> order(meshes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pairs[a] > pairs[b]; });
    return order;
}

} // namespace planc::plan

// A shape of the mesh with the strategies on it, and what is known of them.
#pragma once

#include "plan/search/narrowed_search.h"
#include "plan/space/meshes.h"
#include "plan/space/space.h"
#include "plan/terms/objective.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace planc::plan {

struct OnMesh {
    MeshShape shape;
    Space space;
    TermCache cache;
    std::vector<Storage> storages;    ///< that may be the fastest
    std::optional<MeshBounds> bounds; ///< where strategies are searched
    std::vector<std::pair<Storage, double>>
        least; ///< lower bounds of the bytes with each storage, where there is a limit

    OnMesh(const Request &request, const MeshShape &given);
    /// Of that; 0: there is no limit.
    [[nodiscard]] double least_bytes(const Storage &storage) const;
};

/// The numbers of the meshes. Those with many strategies take longest; started last, they would leave cores idle.
[[nodiscard]] std::vector<std::size_t> largest_first(const std::vector<const OnMesh *> &meshes);

} // namespace planc::plan

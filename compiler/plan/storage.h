// What may be stored in shares: the rules of the layout, or what the search tries.
#pragma once

#include "plan/meshes.h"
#include "plan/plan.h"

#include <vector>

namespace planc::plan {

struct StorageChoice {
    Storage storage;
    /// It communicates at least as much as the choices before it: of use only where these do not fit the memory.
    bool saves_memory_only = false;
};

/// With a rule, or without a search, one. Else, over all axes of the mesh (those that cut a variable are left out for
/// it by lay_out()): nothing, the optimizer's state, gradients too where they are accumulated, parameters too (ZeRO 1
/// to 3). The second may be the fastest: it moves as many bytes as the first and updates on shares.
[[nodiscard]] std::vector<StorageChoice> storage_choices(const Request &request, const MeshShape &shape);

} // namespace planc::plan

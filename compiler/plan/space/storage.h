// What may be sharded: as the rules of the layout say, or as the search chooses.
#pragma once

#include "plan/plan.h"
#include "plan/space/meshes.h"

#include <vector>

namespace planc::plan {

struct StorageChoice {
    Storage storage;
    /// It communicates at least as much as the earlier choices and computes as much, so it is useful only if these do
    /// not fit the memory. Where gradients are accumulated, it may compute less.
    bool saves_memory_only = false;
};

/// One choice if there is a rule or no search. Otherwise, over all axes of the mesh (lay_out() leaves out those that
/// split a variable): nothing; the optimizer's state; also gradients, if they are accumulated; also parameters (ZeRO 1
/// to 3). The second may be the fastest: it moves as many bytes as the first and updates on shards. So may the others
/// where gradients are accumulated: that is done on shards too.
[[nodiscard]] std::vector<StorageChoice> storage_choices(const Request &request, const MeshShape &shape);

} // namespace planc::plan

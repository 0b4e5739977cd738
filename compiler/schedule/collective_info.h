// A started collective as plain data: the basis of its price, its prediction and its table in the emitted program.
#pragma once

#include "ir/plan_dialect.h"
#include "schedule/step_program.h"

#include <planrt/layout.h>
#include <planrt/steps.h>

#include <cstdint>
#include <vector>

namespace planc::schedule {

struct CollectiveInfo {
    planrt::CollectiveKind kind = planrt::CollectiveKind::all_reduce;
    std::vector<int> axes; ///< mesh axes of the group, ascending
    struct Member {
        planrt::Placement from;
        planrt::Placement to;
        int element_bytes = 4;
    };
    std::vector<Member> members;
    planrt::Method method;
    /// Of a gather in pieces (schedule/staged.h): the messages of each round have their own latency; 0: not in pieces.
    int staged_rounds = 0;
};

[[nodiscard]] CollectiveInfo collective_info(ir::StartOp start, ir::MeshAttr mesh);
/// Calls and bytes of the payload of each rank; of a collective by messages also what it sends.
struct Predicted {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    std::int64_t messages = 0;
    std::int64_t sent_bytes = 0;
    friend bool operator==(const Predicted &, const Predicted &) = default;
};
[[nodiscard]] std::vector<Predicted> predicted(const CollectiveInfo &info, const planrt::Mesh &mesh);

/// A transfer of the step program as plain data.
struct TransferInfo {
    int from_role = 0;
    int to_role = 0;
    planrt::RolePlacement from;
    planrt::RolePlacement to;
    int element_bytes = 4;
    std::int64_t runs = 0; ///< times that it is sent in a step
};
[[nodiscard]] TransferInfo transfer_info(const Bodies &bodies, const program::Transfer &transfer, ir::MeshAttr mesh);
/// For each rank of the whole mesh, in a step.
[[nodiscard]] std::vector<Predicted> predicted(const TransferInfo &info, const planrt::Mesh &mesh);
/// The bytes that a rank packs; the maximum over the ranks.
[[nodiscard]] std::int64_t scratch_bytes(const TransferInfo &info, const planrt::Mesh &mesh);

} // namespace planc::schedule

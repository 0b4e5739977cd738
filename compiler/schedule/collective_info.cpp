#include "schedule/collective_info.h"

#include "ir/collective_kind.h"
#include "ir/method.h"
#include "ir/placement.h"
#include "schedule/functions.h"
#include "schedule/staged.h"

#include <planrt/scratch.h>

#include <algorithm>

namespace planc::schedule {

static int rounds_of(const CollectiveInfo &info, const planrt::Mesh &mesh) {
    const auto &[from, to, element_bytes] = info.members.front();
    return static_cast<int>(planrt::staged_gather(info.kind, info.axes, from, to, mesh, 0)->rounds.size());
}

CollectiveInfo collective_info(ir::StartOp start, ir::MeshAttr mesh) {
    CollectiveInfo info;
    info.kind = ir::collective_kind(start.getKind()).value();
    for (mlir::Attribute axis : start.getAxes())
        info.axes.push_back(ir::axis_index(mesh, mlir::cast<mlir::StringAttr>(axis)));
    for (auto [from, to] : llvm::zip(start.getInputs(), start.getResults()))
        info.members.push_back({ir::placement_of(tensor(from), mesh), ir::placement_of(tensor(to), mesh),
                                static_cast<int>(tensor(from).getElementType().getIntOrFloatBitWidth() / 8)});
    info.method = ir::method_of(start);
    if (start->hasAttr(staged_attribute))
        info.staged_rounds = rounds_of(info, ir::mesh_of(mesh));
    return info;
}

static planrt::Sent sent(const CollectiveInfo &info, const planrt::Mesh &mesh, int rank) {
    std::vector<planrt::MovedTensor> tensors;
    for (const CollectiveInfo::Member &member : info.members)
        tensors.push_back({member.from, member.to});
    return planrt::sent(planrt::procedure(info.kind, info.method, info.axes, tensors, mesh, rank).rounds);
}

std::vector<Predicted> predicted(const CollectiveInfo &info, const planrt::Mesh &mesh) {
    std::vector<Predicted> all;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        Predicted sum;
        for (const CollectiveInfo::Member &member : info.members) {
            const planrt::Traffic traffic = planrt::traffic(info.kind, member.from, member.to, mesh, rank);
            sum.calls = std::max(sum.calls, traffic.calls); // members share their call
            sum.bytes += traffic.elements * member.element_bytes;
        }
        if (info.method.algorithm != planrt::Algorithm::mpi) {
            const planrt::Sent rounds = sent(info, mesh, rank);
            sum.messages = rounds.messages;
            sum.sent_bytes = rounds.elements * info.members.front().element_bytes;
        }
        all.push_back(sum);
    }
    return all;
}

TransferInfo transfer_info(const Bodies &bodies, const program::Transfer &transfer, ir::MeshAttr mesh) {
    const program::Program &program = bodies.program();
    TransferInfo info;
    const auto placed = [&](int value, int &role) -> planrt::RolePlacement {
        role = program.values[static_cast<std::size_t>(value)].role;
        const program::Role &of = program.roles[static_cast<std::size_t>(role)];
        return {ir::placement_of(tensor(bodies.of(value)), mesh_of(of, mesh)), of.ranks};
    };
    info.from = placed(transfer.from, info.from_role);
    info.to = placed(transfer.to, info.to_role);
    info.element_bytes =
        static_cast<int>(tensor(bodies.of(transfer.from)).getElementType().getIntOrFloatBitWidth() / 8);
    const auto index = static_cast<int>(&transfer - program.transfers.data());
    for (const program::Action &action : program.actions[static_cast<std::size_t>(info.from_role)])
        info.runs += (action.kind == program::ActionKind::send || action.kind == program::ActionKind::move) &&
                             action.index == index
                         ? 1
                         : 0;
    return info;
}

std::vector<Predicted> predicted(const TransferInfo &info, const planrt::Mesh &mesh) {
    std::vector<Predicted> all;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const planrt::Traffic traffic = planrt::traffic(info.from, info.to, mesh, rank);
        all.push_back({info.runs * traffic.calls, info.runs * traffic.elements * info.element_bytes, 0, 0});
    }
    return all;
}

std::int64_t scratch_bytes(const TransferInfo &info, const planrt::Mesh &mesh) {
    std::int64_t elements = 0;
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        elements = std::max(elements, planrt::scratch_elements(info.from, info.to, mesh, rank));
    return elements * info.element_bytes;
}

} // namespace planc::schedule

#include "emit/tables/collectives.h"

#include "emit/names/local_extents.h"
#include "emit/names/text.h"
#include "ir/method.h"
#include "schedule/functions.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace planc::emit {

namespace {

constexpr std::array<llvm::StringRef, 6> kind_names{"slice",      "all_gather", "reduce_scatter",
                                                    "all_reduce", "all_to_all", "exchange"};

std::string time_text(double seconds) {
    std::array<char, 32> text{};
    if (seconds < 1e-3)
        (void)std::snprintf(text.data(), text.size(), "%.3g us", seconds * 1e6);
    else
        (void)std::snprintf(text.data(), text.size(), "%.3g ms", seconds * 1e3);
    return text.data();
}

} // namespace

CollectiveInfo collective_info(ir::StartOp start, ir::MeshAttr mesh) {
    CollectiveInfo info;
    info.kind = static_cast<planrt::CollectiveKind>(std::find(kind_names.begin(), kind_names.end(), start.getKind()) -
                                                    kind_names.begin());
    for (mlir::Attribute axis : start.getAxes())
        info.axes.push_back(ir::axis_index(mesh, mlir::cast<mlir::StringAttr>(axis)));
    for (auto [from, to] : llvm::zip(start.getInputs(), start.getResults()))
        info.members.push_back({ir::placement_of(schedule::tensor(from), mesh),
                                ir::placement_of(schedule::tensor(to), mesh),
                                static_cast<int>(schedule::tensor(from).getElementType().getIntOrFloatBitWidth() / 8)});
    info.method = ir::method_of(start);
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

std::string tensor_names(ir::StartOp start) {
    std::vector<std::string> names;
    for (mlir::Attribute name : start.getTensors())
        names.push_back(mlir::cast<mlir::StringAttr>(name).str());
    return joined(names);
}

namespace {

/// "all-reduce of MEMBERS over rows and cols"
std::string of_members(ir::StartOp start, const std::vector<std::string> &members) {
    std::string kind = start.getKind().str();
    std::replace(kind.begin(), kind.end(), '_', '-');
    std::vector<std::string> axes;
    for (mlir::Attribute axis : start.getAxes())
        axes.push_back(mlir::cast<mlir::StringAttr>(axis).str());
    return kind + " of " + joined(members) + " over " + joined(axes, " and ");
}

/// " by recursive doubling in messages"; "" for MPI's own call
std::string by(const planrt::Method &method) {
    if (method.algorithm == planrt::Algorithm::mpi)
        return "";
    std::string name = planrt::name_of(method.algorithm);
    std::replace(name.begin(), name.end(), '_', ' ');
    return " by " + name + " in messages";
}

} // namespace

std::string kind_and_shapes(ir::StartOp start) {
    std::vector<std::string> members;
    for (auto [from, to] : llvm::zip(start.getInputs(), start.getResults()))
        members.push_back(describe(schedule::tensor(from)) + " to " + describe(schedule::tensor(to)));
    return of_members(start, members);
}

std::string describe(ir::StartOp start, ir::MeshAttr mesh, const EmitInfo &info) {
    const CollectiveInfo collective = collective_info(start, mesh);
    std::vector<std::string> members;
    for (auto [name, from] : llvm::zip(start.getTensors(), start.getInputs()))
        members.push_back(mlir::cast<mlir::StringAttr>(name).str() + " " + describe(schedule::tensor(from)));
    constexpr std::size_t listed = 12;
    if (members.size() > listed)
        members = {std::to_string(members.size()) + " tensors from " + members.front() + " to " + members.back()};
    std::int64_t bytes = 0;
    for (const Predicted &rank : predicted(collective, ir::mesh_of(mesh)))
        bytes = std::max(bytes, rank.bytes);
    std::string text = of_members(start, members);
    if (collective.kind != planrt::CollectiveKind::slice)
        text += by(collective.method) + ": " + std::to_string(bytes) + " bytes";
    if (info.seconds && collective.kind != planrt::CollectiveKind::slice)
        text += ", predicted " + time_text(info.seconds(collective));
    return text;
}

} // namespace planc::emit

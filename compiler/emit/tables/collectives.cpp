#include "emit/tables/collectives.h"

#include "emit/names/local_extents.h"
#include "emit/names/text.h"
#include "ir/placement.h"
#include "schedule/functions.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace planc::emit {

namespace {

std::string time_text(double seconds) {
    std::array<char, 32> text{};
    if (seconds < 1e-3)
        (void)std::snprintf(text.data(), text.size(), "%.3g us", seconds * 1e6);
    else
        (void)std::snprintf(text.data(), text.size(), "%.3g ms", seconds * 1e3);
    return text.data();
}

} // namespace

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

std::string describe(ir::StartOp start, const Step &step, const EmitInfo &info) {
    const int role = step.role_of(start->getParentOfType<mlir::func::FuncOp>());
    const ir::MeshAttr mesh = step.mesh_of(role);
    const CollectiveInfo collective = schedule::collective_info(start, mesh);
    std::vector<std::string> members;
    for (auto [name, from] : llvm::zip(start.getTensors(), start.getInputs()))
        members.push_back(mlir::cast<mlir::StringAttr>(name).str() + " " + describe(schedule::tensor(from)));
    constexpr std::size_t listed = 12;
    if (members.size() > listed)
        members = {std::to_string(members.size()) + " tensors from " + members.front() + " to " + members.back()};
    std::int64_t bytes = 0;
    for (const schedule::Predicted &rank : schedule::predicted(collective, ir::mesh_of(mesh)))
        bytes = std::max(bytes, rank.bytes);
    std::string text = of_members(start, members);
    if (collective.staged_rounds > 0)
        text += " in " + std::to_string(collective.staged_rounds + 1) + " pieces";
    if (collective.kind != planrt::CollectiveKind::slice)
        text += by(collective.method) + ": " + std::to_string(bytes) + " bytes";
    if (info.seconds && collective.kind != planrt::CollectiveKind::slice)
        text += ", predicted " + time_text(info.seconds(collective, step.ranks_of(role)));
    return text;
}

} // namespace planc::emit

#include "schedule/communication.h"

#include "ir/entry_functions.h"
#include "ir/placement.h"
#include "messages/of_program.h"
#include "messages/prove.h"
#include "schedule/buffers.h"
#include "schedule/collective_info.h"
#include "schedule/functions.h"
#include "schedule/stage_transfers.h"

#include <algorithm>
#include <map>

namespace planc::schedule {

namespace {

/// " (net.plan:7:5)"; nothing for what no file contains.
std::string place_in_file(mlir::Location location) {
    const auto place = mlir::dyn_cast<mlir::FileLineColLoc>(location);
    return place ? " (" + place.getFilename().str() + ":" + std::to_string(place.getLine()) + ":" +
                       std::to_string(place.getColumn()) + ")"
                 : "";
}

std::string name_of(ir::StartOp start) {
    std::string name = start.getKind().str();
    for (mlir::Attribute tensor : start.getTensors())
        name += (tensor == *start.getTensors().begin() ? " of " : ", ") + mlir::cast<mlir::StringAttr>(tensor).str();
    const std::string layer = layer_of(start);
    return name + (layer.empty() ? "" : ", layer " + layer) + place_in_file(start.getLoc());
}

/// The payload by rank, or one entry if it is the same for all. Nothing for an all-to-all, whose members may send and
/// receive unequal parts.
std::vector<std::int64_t> bytes_of(const CollectiveInfo &info, const planrt::Mesh &mesh) {
    std::vector<std::int64_t> bytes;
    if (info.kind == planrt::CollectiveKind::all_to_all)
        return bytes;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        std::int64_t &sum = bytes.emplace_back(0);
        for (const CollectiveInfo::Member &member : info.members)
            sum += planrt::traffic(info.kind, member.from, member.to, mesh, rank).elements * member.element_bytes;
    }
    if (std::equal(bytes.begin() + 1, bytes.end(), bytes.begin()))
        bytes.resize(1);
    return bytes;
}

/// As is_in_slots() of the runtime (runtime/src/collectives/operation.cpp).
bool is_in_slots(ir::StartOp start, const program::Role &role) {
    if (role.slots == 1)
        return true;
    const auto inside = [&](std::int64_t offset) {
        return offset >= role.slot_offset && offset < role.slot_offset + role.slot_bytes;
    };
    const auto number = [&](const char *name) {
        const auto attribute = start->getAttrOfType<mlir::IntegerAttr>(name);
        return attribute ? attribute.getInt() : 0;
    };
    const auto is_inside = [&](mlir::Value value) { return inside(offset_of(value)); };
    return (number("scratch_bytes") > 0 && inside(number("scratch_offset"))) ||
           llvm::any_of(start.getInputs(), is_inside) || llvm::any_of(start.getResults(), is_inside);
}

messages::Started started(ir::StartOp start, const program::Role &role, ir::MeshAttr attribute) {
    const CollectiveInfo info = collective_info(start, attribute);
    const planrt::Mesh mesh = ir::mesh_of(attribute);
    const CollectiveInfo::Member &first = info.members.front();
    messages::Started made{name_of(start), static_cast<int>(start.getNumber()), info.kind};
    made.in_slots = is_in_slots(start, role);
    if (info.kind == planrt::CollectiveKind::exchange) {
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            messages::add_messages(made.messages, rank, planrt::exchange(first.from, first.to, mesh, rank),
                                   first.element_bytes);
        return made;
    }
    made.axes = planrt::block_axes(first.from, first.to, info.axes);
    made.by_messages = info.method.algorithm != planrt::Algorithm::mpi;
    made.bytes = bytes_of(info, mesh);
    return made;
}

messages::Transferred transferred(const std::string &name, int number, const TransferInfo &info,
                                  mlir::Location location, const planrt::Mesh &mesh) {
    messages::Transferred made{"transfer of " + name + place_in_file(location), number};
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        messages::add_messages(made.messages, rank, planrt::exchange(info.from, info.to, mesh, rank),
                               info.element_bytes);
    return made;
}

/// What the bodies of a program start and wait for.
class BodiesCommunication {
  public:
    BodiesCommunication(const program::Program &program, ir::MeshAttr mesh) : program_(program), mesh_(mesh) {}

    /// `functions`, by body.
    messages::Communication of(const std::vector<mlir::func::FuncOp> &functions) {
        for (std::size_t body = 0; body < functions.size(); ++body) {
            const program::Role &role = program_.roles[static_cast<std::size_t>(program_.bodies[body].role)];
            const ir::MeshAttr mesh = mesh_of(role, mesh_);
            mlir::func::FuncOp function = functions[body];
            for (auto start : function.getOps<ir::StartOp>())
                if (start.getKind() != "slice") { // a slice is local
                    numbers_[start.getNumber()] = static_cast<int>(made_.started.size());
                    made_.started.push_back(started(start, role, mesh));
                }
        }
        for (mlir::func::FuncOp function : functions) // one body may wait for what another starts
            made_.bodies.push_back(steps(function));
        return std::move(made_);
    }

  private:
    std::vector<messages::BodyStep> steps(mlir::func::FuncOp function) {
        std::vector<messages::BodyStep> steps;
        const auto add = [&](bool waits, std::uint64_t number) {
            if (const auto known = numbers_.find(number); known != numbers_.end())
                steps.push_back({waits, known->second});
        };
        for (mlir::Operation &op : function.getBody().front())
            if (auto start = mlir::dyn_cast<ir::StartOp>(op))
                add(false, start.getNumber());
            else if (auto wait = mlir::dyn_cast<ir::WaitOp>(op))
                add(true, wait.getNumber());
        return steps;
    }

    const program::Program &program_;
    ir::MeshAttr mesh_;
    std::map<std::uint64_t, int> numbers_; ///< what has a number
    messages::Communication made_;
};

/// Evaluation or prediction. A role runs its functions one after another: it receives, runs it, and sends. It waits
/// until all has left when it has run all of them.
messages::Events events_of_purpose(mlir::ModuleOp module, const program::Program &step,
                                   const std::vector<mlir::func::FuncOp> &functions) {
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    program::Program program;
    program.roles = step.roles;
    program.actions.resize(step.roles.size());
    for (mlir::func::FuncOp function : functions)
        program.bodies.push_back({function.getName().str(), ir::role_of(function)});
    messages::Communication made = BodiesCommunication(program, mesh).of(functions);
    const std::vector<StageTransfer> transfers = stage_transfers(module);
    const auto add_all = [&](program::ActionKind kind, mlir::func::FuncOp function) {
        for (int t = 0; t < static_cast<int>(transfers.size()); ++t) {
            const StageTransfer &transfer = transfers[static_cast<std::size_t>(t)];
            const bool receives = kind == program::ActionKind::receive;
            if ((receives ? transfer.to : transfer.from) == function && (receives || !transfer.stays()))
                program.actions[static_cast<std::size_t>(ir::role_of(function))].push_back(
                    {transfer.stays() ? program::ActionKind::move : kind, t, 0, 0});
        }
    };
    for (int body = 0; body < static_cast<int>(functions.size()); ++body) {
        mlir::func::FuncOp function = functions[static_cast<std::size_t>(body)];
        add_all(program::ActionKind::receive, function);
        program.actions[static_cast<std::size_t>(ir::role_of(function))].push_back(
            {program::ActionKind::run, body, 0, 0});
        add_all(program::ActionKind::send, function);
    }
    for (mlir::func::FuncOp function : functions)
        add_all(program::ActionKind::wait, function);
    for (const StageTransfer &transfer : transfers)
        made.transfers.push_back(transferred(transfer.name, static_cast<int>(made.transfers.size()), transfer.info(),
                                             transfer.sent().getLoc(), ir::mesh_of(mesh)));
    return messages::events_of(program, ir::mesh_of(mesh), made);
}

} // namespace

messages::Events events_of_step(mlir::ModuleOp module, const Bodies &bodies) {
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    const program::Program &program = bodies.program();
    messages::Communication made = BodiesCommunication(program, mesh).of(bodies.functions());
    for (const program::Transfer &transfer : program.transfers)
        made.transfers.push_back(transferred(transfer.name, static_cast<int>(made.transfers.size()),
                                             transfer_info(bodies, transfer, mesh), bodies.of(transfer.from).getLoc(),
                                             ir::mesh_of(mesh)));
    return messages::events_of(program, ir::mesh_of(mesh), made);
}

std::string communication_fault(mlir::ModuleOp module, const Bodies &bodies) {
    if (const messages::Fault fault = messages::prove(events_of_step(module, bodies)))
        return fault.text;
    for (const ir::Purpose purpose : {ir::Purpose::evaluation, ir::Purpose::prediction}) {
        std::vector<mlir::func::FuncOp> functions;
        for (mlir::func::FuncOp function : ir::entry_functions(module))
            if (ir::purpose_of(function) == purpose)
                functions.push_back(function);
        if (const messages::Fault fault = messages::prove(events_of_purpose(module, bodies.program(), functions)))
            return std::string(purpose == ir::Purpose::evaluation ? "evaluation: " : "prediction: ") + fault.text;
    }
    return {};
}

} // namespace planc::schedule

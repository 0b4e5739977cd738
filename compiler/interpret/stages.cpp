#include "interpret/stages.h"

#include "interpret/copies.h"
#include "interpret/interpreter.h"
#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "schedule/stage_transfers.h"

#include <memory>

namespace planc::interpret {

namespace {

/// What the ranks of the receiving role get: the messages of an exchange, and what is theirs already.
Parts transferred(const schedule::TransferInfo &info, const planrt::Mesh &mesh, const Parts &sent,
                  const Layout &layout) {
    Parts received;
    for (std::size_t within = 0; within < layout.boxes.size(); ++within) {
        const int rank = info.to.role.rank_of(mesh, static_cast<int>(within));
        Local own(layout.boxes[within]);
        std::int64_t filled = 0;
        planrt::Exchange exchange = planrt::exchange(info.from, info.to, mesh, rank);
        for (planrt::Box &kept : exchange.kept)
            exchange.receives.push_back({rank, std::move(kept)});
        for (const planrt::Transfer &each : exchange.receives) {
            const Local &part = sent.at(static_cast<std::size_t>(info.from.role.rank_within(mesh, each.peer)));
            if (!contains(part.box, each.box))
                throw Failure("rank " + std::to_string(each.peer) + " is to send elements that it does not have");
            const Local message = extract(part, each.box, {0, planrt::volume(each.box)});
            for_each_offset(own.box, each.box,
                            [&](std::size_t at, std::size_t local) { own.elements[at] = message.elements[local]; });
            filled += planrt::volume(each.box);
        }
        if (filled != planrt::volume(own.box))
            throw Failure("rank " + std::to_string(rank) + " does not get all of its part");
        received.push_back(std::move(own));
    }
    return received;
}

} // namespace

void check_transfer(const schedule::TransferInfo &info, const std::string &name) {
    for (const planrt::RolePlacement *side : {&info.from, &info.to})
        if (!side->placement.partial.empty() || !side->placement.stored.empty())
            throw Failure("'" + name + "' travels as a partial sum or in shares");
    for (const planrt::DimensionPlacement &dimension : info.from.placement.dimensions)
        if (dimension.window)
            throw Failure("'" + name + "' is sent with halos");
}

Outcome run_stages(mlir::ModuleOp module, const std::vector<mlir::func::FuncOp> &functions, const Inputs &inputs) {
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    const std::vector<schedule::StageTransfer> transfers = schedule::stage_transfers(module);
    Inputs now = inputs;
    fill_copies(module, now.variables);
    std::map<mlir::Operation *, std::unique_ptr<Interpreter>> ran;
    Outcome outcome;
    for (mlir::func::FuncOp function : functions) {
        const int role = ir::role_of(function);
        const program::Role ranks{"", ir::ranks_of_role(module, role)};
        auto stage = std::make_unique<Interpreter>(module, schedule::mesh_of(ranks, mesh), role, Slots(), now);
        for (const schedule::StageTransfer &transfer : transfers) {
            if (transfer.to != function)
                continue;
            check_transfer(transfer.info(), transfer.name);
            const auto sender = ran.find(transfer.from);
            if (sender == ran.end())
                throw Failure("'" + transfer.name + "' is needed before it is computed");
            stage->set_value(transfer.received(),
                             transferred(transfer.info(), ir::mesh_of(mesh), sender->second->value(transfer.sent()),
                                         stage->layouts().of(ir::type_of(transfer.received()))));
        }
        Outcome of_stage = stage->run(function);
        for (unsigned i = 0; i < ir::own_results(function); ++i)
            outcome.results.push_back(std::move(of_stage.results[i]));
        ran[function] = std::move(stage);
    }
    outcome.variables = std::move(now.variables); // no stage writes any
    return outcome;
}

} // namespace planc::interpret

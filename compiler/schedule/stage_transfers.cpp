#include "schedule/stage_transfers.h"

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "ir/placement.h"
#include "schedule/functions.h"

#include <algorithm>
#include <stdexcept>

namespace planc::schedule {

namespace {

/// The number of the argument among those that receive the same value.
unsigned copy_number(StageTransfer transfer) {
    unsigned copies = 0;
    const int number = ir::received_by(transfer.to.getArgument(transfer.argument));
    for (unsigned before = 0; before < transfer.argument; ++before)
        copies += ir::received_by(transfer.to.getArgument(before)) == number ? 1 : 0;
    return copies;
}

} // namespace

bool alike(mlir::func::FuncOp a, mlir::func::FuncOp b) {
    return ir::purpose_of(a) == ir::purpose_of(b) && ir::accumulates(a) == ir::accumulates(b) &&
           (!ir::is_training(a) || ir::samples_of(a) == ir::samples_of(b));
}

std::string StageTransfer::name() const {
    mlir::func::FuncOp receiver = to;
    const auto tensor = receiver.getArgAttrOfType<mlir::StringAttr>(argument, "plan.tensor");
    const unsigned copy = copy_number(*this);
    return (tensor ? tensor.str() : "value " + std::to_string(argument)) + " to stage " +
           std::to_string(ir::stage_of(to)) + (copy > 0 ? ", layout " + std::to_string(copy + 1) : "");
}

mlir::Value StageTransfer::sent() const {
    mlir::func::FuncOp sender = from;
    return sender.getBody().front().getTerminator()->getOperand(result);
}

mlir::BlockArgument StageTransfer::received() const {
    mlir::func::FuncOp receiver = to;
    return receiver.getArgument(argument);
}

TransferInfo StageTransfer::info() const {
    mlir::func::FuncOp sender = from;
    auto module = sender->getParentOfType<mlir::ModuleOp>();
    const ir::MeshAttr mesh = ir::mesh_attribute(module);
    const auto placed = [&](mlir::Value value, int role) -> planrt::RolePlacement {
        return {ir::placement_of(tensor(value), mesh), ir::ranks_of_role(module, role)};
    };
    const int from_role = ir::role_of(from);
    const int to_role = ir::role_of(to);
    return {from_role,
            to_role,
            placed(sent(), from_role),
            placed(received(), to_role),
            static_cast<int>(tensor(sent()).getElementType().getIntOrFloatBitWidth() / 8),
            1};
}

std::pair<std::int64_t, std::int64_t> StageTransfer::scratch_offsets() const {
    mlir::func::FuncOp receiver = to;
    const auto offset = [&](const char *name) {
        return receiver.getArgAttrOfType<mlir::IntegerAttr>(argument, name).getInt();
    };
    return {offset("plan.from_scratch"), offset("plan.to_scratch")};
}

std::vector<StageTransfer> stage_transfers(mlir::ModuleOp module) {
    const std::vector<mlir::func::FuncOp> functions = ir::entry_functions(module);
    const auto sender_of = [&](mlir::func::FuncOp receiver, int number) -> std::pair<mlir::func::FuncOp, unsigned> {
        for (mlir::func::FuncOp function : functions) {
            const std::vector<int> sent = ir::sent_by(function);
            const auto at = std::find(sent.begin(), sent.end(), number);
            if (alike(function, receiver) && at != sent.end())
                return {function, ir::own_results(function) + static_cast<unsigned>(at - sent.begin())};
        }
        throw std::invalid_argument("no stage sends what '" + receiver.getName().str() + "' receives");
    };
    std::vector<StageTransfer> transfers;
    for (mlir::func::FuncOp function : functions)
        for (mlir::BlockArgument argument : function.getArguments())
            if (const int number = ir::received_by(argument); number >= 0) {
                const auto [from, result] = sender_of(function, number);
                transfers.push_back({from, result, function, argument.getArgNumber()});
            }
    return transfers;
}

} // namespace planc::schedule

#include "schedule/stage_transfers.h"

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "ir/placement.h"
#include "schedule/functions.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace planc::schedule {

namespace {

/// "h1 to stage 1"
std::string name_of(mlir::BlockArgument argument) {
    auto receiver = mlir::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
    const auto tensor = receiver.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.tensor");
    return (tensor ? tensor.str() : "value " + std::to_string(ir::received_by(argument))) + " to stage " +
           ir::stage_name(ir::pipeline_of(receiver->getParentOfType<mlir::ModuleOp>()), ir::stage_of(receiver));
}

} // namespace

bool alike(mlir::func::FuncOp a, mlir::func::FuncOp b) {
    return ir::purpose_of(a) == ir::purpose_of(b) && ir::accumulates(a) == ir::accumulates(b) &&
           (!ir::is_training(a) || ((!ir::accumulates(a) || ir::samples_of(a) == ir::samples_of(b)) &&
                                    ir::kind_number(a) == ir::kind_number(b)));
}

mlir::Value StageTransfer::sent() const {
    mlir::func::FuncOp sender = from;
    return sender.getBody().front().getTerminator()->getOperand(result);
}

mlir::BlockArgument StageTransfer::received() const {
    mlir::func::FuncOp receiver = to;
    return receiver.getArgument(argument);
}

bool StageTransfer::stays() const {
    return ir::role_of(from) == ir::role_of(to);
}

TransferInfo StageTransfer::info() const {
    mlir::func::FuncOp sender = from;
    auto module = sender->getParentOfType<mlir::ModuleOp>();
    const auto placed = [&](mlir::Value value, int role) -> planrt::RolePlacement {
        return {ir::placement_of(tensor(value), ir::mesh_of_role(module, role)), ir::ranks_of_role(module, role)};
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
    const auto offset = [&](const char *side) {
        return receiver.getArgAttrOfType<mlir::IntegerAttr>(argument, side).getInt();
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
    for (mlir::func::FuncOp function : functions) {
        std::map<std::string, int> named; // of the receiver, which is in the name
        for (mlir::BlockArgument argument : function.getArguments())
            if (const int number = ir::received_by(argument); number >= 0) {
                const auto [from, result] = sender_of(function, number);
                std::string name = name_of(argument);
                if (const int before = named[name]++; before > 0)
                    name += " (" + std::to_string(before + 1) + ")";
                transfers.push_back({from, result, function, argument.getArgNumber(), name});
            }
    }
    return transfers;
}

} // namespace planc::schedule

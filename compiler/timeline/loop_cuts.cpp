#include "timeline/loop_cuts.h"

#include "schedule/functions.h"
#include "schedule/loop_nest.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>

namespace planc::timeline {

namespace {

using Operations = llvm::SmallPtrSet<mlir::Operation *, 16>;

/// The members that need the result, directly or not.
Operations users_in_loop(mlir::Operation *reduction) {
    Operations users;
    for (mlir::Operation *op = reduction->getNextNode(); schedule::is_loop(op); op = op->getNextNode())
        if (llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
                return operand.getDefiningOp() == reduction || users.contains(operand.getDefiningOp());
            }))
            users.insert(op);
    return users;
}

/// The loops of the tensor; adds those that the part lacks.
std::vector<int> loops_of(mlir::Value value, sharding::Part &part) {
    std::vector<int> loops;
    const ir::TensorType type = schedule::tensor(value);
    for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents())) {
        std::vector<sharding::Loop> &all = part.nest.loops;
        const auto at = std::ranges::find(all, role.getValue(), &sharding::Loop::name);
        loops.push_back(static_cast<int>(at - all.begin()));
        if (at == all.end())
            all.push_back({role.str(), extent});
    }
    return loops;
}

sharding::Part cut_behind(mlir::Operation *reduction, const Operations &after) {
    mlir::Block *body = reduction->getBlock();
    sharding::Part part;
    part.flops_per_point = 0;
    part.own_rows = false;
    llvm::SmallSetVector<mlir::Value, 8> needed;
    for (mlir::Operation &op : *body)
        if (after.contains(&op))
            needed.insert(op.operand_begin(), op.operand_end());
    const auto is_before = [&](mlir::Operation *op) { return schedule::is_loop(op) && !after.contains(op); };
    for (mlir::Value value : needed) {
        mlir::Operation *maker = value.getParentBlock() == body ? value.getDefiningOp() : nullptr;
        if (maker != nullptr ? !is_before(maker) || schedule::is_inline(maker)
                             : llvm::none_of(value.getUsers(), [&](mlir::Operation *user) {
                                   return user->getBlock() == body && is_before(user);
                               }))
            continue;
        const int bytes = static_cast<int>(schedule::tensor(value).getElementType().getIntOrFloatBitWidth() / 8);
        part.nest.operands.push_back(loops_of(value, part));
        part.operands.push_back({bytes});
        if (maker == nullptr || llvm::is_contained(body->getTerminator()->getOperands(), value))
            continue; // is in memory
        part.nest.results.push_back(part.nest.operands.back());
        part.results.push_back({bytes});
    }
    return part;
}

} // namespace

std::vector<std::pair<mlir::Operation *, sharding::Part>> loop_cuts(ir::LoopsOp loops) {
    std::vector<std::pair<mlir::Operation *, sharding::Part>> cuts;
    for (auto reduction : loops.getBody().front().getOps<ir::ReduceOp>())
        if (const Operations after = users_in_loop(reduction); !after.empty())
            cuts.emplace_back(reduction, cut_behind(reduction, after));
    return cuts;
}

} // namespace planc::timeline

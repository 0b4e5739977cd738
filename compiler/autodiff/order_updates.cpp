#include "autodiff/order_updates.h"

#include "ir/plan_dialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace planc::autodiff {

static bool is_update(mlir::Operation &op) {
    const auto phase = op.getAttrOfType<mlir::StringAttr>("phase");
    return phase && phase.getValue() == "update";
}

static bool is_norm(mlir::Operation *op) {
    auto reduce = mlir::dyn_cast_or_null<ir::ReduceOp>(op);
    return reduce && is_update(*op) && mlir::cast<ir::TensorType>(reduce.getResult().getType()).getRoles().empty();
}

void order_by_norms(mlir::Block &block) {
    // the number of norms on which an operation depends, one through another
    llvm::DenseMap<mlir::Operation *, int> norms;
    std::vector<mlir::Operation *> updates;
    for (mlir::Operation &op : block.without_terminator()) {
        if (!is_update(op))
            continue;
        int most = 0;
        for (mlir::Value operand : op.getOperands())
            if (mlir::Operation *producer = operand.getDefiningOp())
                most = std::max(most, norms.lookup(producer) + (is_norm(producer) ? 1 : 0));
        norms[&op] = most;
        updates.push_back(&op);
    }
    // What is used only by operations that wait for norms is computed with them, in the same loop, instead of being
    // kept.
    for (mlir::Operation *op : llvm::reverse(updates))
        if (!is_norm(op) && !op->use_empty()) {
            int least = std::numeric_limits<int>::max();
            for (mlir::Operation *user : op->getUsers())
                least = std::min(least, norms.contains(user) ? norms.lookup(user) : 0);
            norms[op] = std::max(norms.lookup(op), least);
        }
    std::stable_sort(updates.begin(), updates.end(),
                     [&](mlir::Operation *a, mlir::Operation *b) { return norms.lookup(a) < norms.lookup(b); });
    for (mlir::Operation *op : updates)
        op->moveBefore(block.getTerminator());
}

} // namespace planc::autodiff

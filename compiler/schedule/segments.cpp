#include "schedule/segments.h"

#include "schedule/functions.h"

#include <algorithm>

namespace planc::schedule {

using mlir::Operation;

namespace {

bool is_compute(Operation *op) {
    return is_kernel(op) || mlir::isa<ir::LoopsOp>(op);
}

/// Whether another stage gets the result: it leaves at the end of its part.
bool is_sent(Operation *op) {
    return llvm::any_of(op->getUses(), [](mlir::OpOperand &use) {
        Operation *user = use.getOwner();
        if (mlir::isa<mlir::func::ReturnOp>(user))
            return use.getOperandNumber() >= ir::own_results(mlir::cast<mlir::func::FuncOp>(user->getParentOp()));
        return mlir::isa<ir::WaitOp, ir::ViewOp>(user) && is_sent(user);
    });
}

/// Whether it is a wait or a view: just before a part's first kernel, these belong to that part.
bool prepares(Operation *op) {
    return mlir::isa<ir::WaitOp, ir::ViewOp>(op) && !is_sent(op);
}

} // namespace

Segments segments(mlir::Block &block) {
    std::vector<Operation *> ops;
    for (Operation &op : block.without_terminator())
        if (!mlir::isa<ir::ReadOp>(op))
            ops.push_back(&op);
    std::array<size_t, 4> begin{0, ops.size(), ops.size(), ops.size()};
    size_t least = 2; // the first part whose beginning is still open
    for (size_t i = ops.size(); i-- > 0;) {
        if (!is_compute(ops[i]))
            continue;
        const auto part = static_cast<size_t>(part_of(ops[i]));
        least = std::min(least, part);
        for (size_t open = 1; open <= least; ++open)
            begin[open] = i;
    }
    for (size_t part = 1; part < 3; ++part)
        while (begin[part] > begin[part - 1] && prepares(ops[begin[part] - 1]))
            --begin[part];
    Segments result;
    for (size_t part = 0; part < 3; ++part)
        result[part].assign(ops.begin() + static_cast<std::ptrdiff_t>(begin[part]),
                            ops.begin() + static_cast<std::ptrdiff_t>(std::max(begin[part], begin[part + 1])));
    return result;
}

} // namespace planc::schedule

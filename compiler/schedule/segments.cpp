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
bool leaves(Operation *op) {
    return llvm::any_of(op->getUses(), [](mlir::OpOperand &use) {
        return is_sent(use) || (mlir::isa<ir::WaitOp, ir::ViewOp>(use.getOwner()) && leaves(use.getOwner()));
    });
}

bool takes_received(Operation *op) {
    return llvm::any_of(op->getOperands(), [](mlir::Value operand) {
        const auto argument = mlir::dyn_cast<mlir::BlockArgument>(operand);
        return argument && ir::received_by(argument) >= 0;
    });
}

/// Whether its place in the list says where a part begins. A stage may consist of views: they are its computation. An
/// earlier part must not wait for what a slice takes.
bool marks_part(Operation *op) {
    auto start = mlir::dyn_cast<ir::StartOp>(op);
    if (start && start.getKind() == "slice")
        return takes_received(op);
    return is_compute(op) || (mlir::isa<ir::ViewOp>(op) && (leaves(op) || takes_received(op)));
}

/// Whether it is a wait, a view or a slice, in which nothing moves: just before a part's first kernel, these belong to
/// that part.
bool prepares(Operation *op) {
    auto start = mlir::dyn_cast<ir::StartOp>(op);
    return (mlir::isa<ir::WaitOp, ir::ViewOp>(op) && !leaves(op)) || (start && start.getKind() == "slice");
}

} // namespace

Segments segments(mlir::Block &block) {
    std::vector<Operation *> ops;
    for (Operation &op : block.without_terminator())
        if (!mlir::isa<ir::ReadOp>(op))
            ops.push_back(&op);
    size_t sections = first_update + 1;
    for (Operation *op : ops)
        if (marks_part(op))
            sections = std::max(sections, static_cast<size_t>(section_of(op)) + 1);
    std::vector<size_t> begin(sections + 1, ops.size());
    begin[0] = 0;
    size_t least = sections - 1; // the first section whose beginning is still open
    for (size_t i = ops.size(); i-- > 0;) {
        if (!marks_part(ops[i]))
            continue;
        least = std::min(least, static_cast<size_t>(section_of(ops[i])));
        for (size_t open = 1; open <= least; ++open)
            begin[open] = i;
    }
    for (size_t section = 1; section < sections; ++section)
        while (begin[section] > begin[section - 1] && prepares(ops[begin[section] - 1]))
            --begin[section];
    Segments result(sections);
    for (size_t section = 0; section < sections; ++section)
        result[section].assign(ops.begin() + static_cast<std::ptrdiff_t>(begin[section]),
                               ops.begin() + static_cast<std::ptrdiff_t>(std::max(begin[section], begin[section + 1])));
    return result;
}

} // namespace planc::schedule

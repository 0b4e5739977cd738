#include "schedule/matrix_block.h"

#include "ir/edge_steps.h"
#include "ir/layer_builder.h"
#include "ir/subscripts.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace planc::schedule {

LoopDimension dimension_of_loop(ir::EdgeReduceOp op, const std::string &loop) {
    ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    subscripts.operands.erase(subscripts.operands.begin());
    const auto find = [&](const std::vector<std::string> &loops, mlir::Value value) -> std::optional<LoopDimension> {
        const auto at = std::ranges::find(loops, loop);
        if (at == loops.end())
            return std::nullopt;
        LoopDimension dimension = dimensions_of(ir::type_of(value))[static_cast<std::size_t>(at - loops.begin())];
        dimension.role = loop;
        return dimension;
    };
    for (auto [loops, input] : llvm::zip(subscripts.operands, op.getInputs()))
        if (auto dimension = find(loops, input))
            return *dimension;
    if (auto dimension = find(subscripts.result, op.getResult()))
        return *dimension;
    for (auto [name, extent] : llvm::zip(op.getLoops().getAsValueRange<mlir::StringAttr>(), op.getExtents()))
        if (name == loop)
            return {loop, extent, {}};
    llvm::report_fatal_error("a loop has no extent");
}

namespace {

MatrixBlock block_of(ir::SpmmOp op) {
    const ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    const ir::MatrixLoops loops = op.matrixLoops();
    const auto at =
        static_cast<std::size_t>(std::ranges::find(subscripts.result, loops.kept) - subscripts.result.begin());
    LoopDimension kept = dimensions_of(op.getResult().getType())[at];
    LoopDimension summed = dimensions_of(op.getOperand().getType())[at];
    kept.role = loops.kept;
    summed.role = loops.summed;
    if (loops.transposed)
        std::swap(kept, summed);
    return {op.getMatrix(), kept, summed, loops.transposed, op.getMean(), static_cast<std::int64_t>(op.getParts()),
            op.getSent()};
}

MatrixBlock block_of(ir::EdgeReduceOp op) {
    const ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    const auto side = [&](std::size_t number) { return dimension_of_loop(op, subscripts.operands[0][number]); };
    return {op.getMatrix(), side(0), side(1), op.isTransposed()};
}

} // namespace

bool has_matrix_block(mlir::Operation *op) {
    return mlir::isa<ir::SpmmOp, ir::EdgeReduceOp>(op);
}

MatrixBlock matrix_block(mlir::Operation *op) {
    if (auto spmm = mlir::dyn_cast<ir::SpmmOp>(op))
        return block_of(spmm);
    return block_of(mlir::cast<ir::EdgeReduceOp>(op));
}

} // namespace planc::schedule

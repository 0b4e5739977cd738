#include "autodiff/passes.h"

#include "autodiff/edge_expression.h"
#include "ir/layer_builder.h"
#include "ir/nest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

namespace planc::autodiff {

#define GEN_PASS_DEF_FUSEEDGES
#include "autodiff/passes.h.inc"

using ir::type_of;
using mlir::Value;

namespace {

using Loops = EdgeExpression::Loops;

Loops by_role(Value value) {
    Loops loops;
    for (mlir::StringAttr role : type_of(value).getRoles())
        loops[role.str()] = role.str();
    return loops;
}

std::vector<std::string> roles_of(Value value) {
    std::vector<std::string> roles;
    for (mlir::StringAttr role : type_of(value).getRoles())
        roles.push_back(role.str());
    return roles;
}

std::pair<std::string, std::string> sides_of(ir::EdgesOp edges, const Loops &loops) {
    const auto roles = edges.getResult().getType().getRoles();
    return {loops.at(roles[0].str()), loops.at(roles[1].str())};
}

/// A sum of products, one of which is 0 outside of the entries.
Value fuse(ir::EinsumOp op, mlir::OpBuilder &builder) {
    const ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    std::vector<Loops> of_inputs;
    for (auto [input, names] : llvm::zip(op.getInputs(), subscripts.operands)) {
        Loops loops;
        for (auto [role, name] : llvm::zip(type_of(input).getRoles(), names))
            loops[role.str()] = name;
        of_inputs.push_back(std::move(loops));
    }
    for (auto [input, loops] : llvm::zip(op.getInputs(), of_inputs)) {
        ir::EdgesOp edges = edges_of(input);
        if (!edges)
            continue;
        const auto [rows, columns] = sides_of(edges, loops);
        if (llvm::is_contained(subscripts.result, rows) && llvm::is_contained(subscripts.result, columns))
            return {};
        EdgeExpression expression(edges, rows, columns, subscripts.loops());
        std::vector<int> factors;
        for (auto [factor, of_factor] : llvm::zip(op.getInputs(), of_inputs)) {
            const std::optional<int> step = expression.step(factor, of_factor);
            if (!step)
                return {};
            factors.push_back(*step);
        }
        return expression.reduce(expression.product(std::move(factors)), builder, op, "sum", 0, subscripts.result);
    }
    return {};
}

/// A sum of a value that is 0 outside of the entries.
Value fuse_sum(ir::ReduceOp op, mlir::OpBuilder &builder) {
    ir::EdgesOp edges = edges_of(op.getOperand());
    if (!edges || has_both_sides(op.getResult(), edges))
        return {};
    const Loops loops = by_role(op.getOperand());
    const auto [rows, columns] = sides_of(edges, loops);
    EdgeExpression expression(edges, rows, columns, roles_of(op.getOperand()));
    const std::optional<int> step = expression.step(op.getOperand(), loops);
    return step ? expression.reduce(*step, builder, op, "sum", 0, roles_of(op.getResult())) : Value();
}

/// A maximum of select(is an entry, x, number).
Value fuse_maximum(ir::ReduceOp op, mlir::OpBuilder &builder) {
    ir::EdgesOp edges = mask_of(op.getOperand());
    if (!edges)
        return {};
    auto select = op.getOperand().getDefiningOp<ir::PointwiseOp>();
    const auto otherwise = ir::constant_value(select.getInputs()[2]);
    if (!otherwise || has_both_sides(op.getResult(), edges))
        return {};
    const Loops loops = by_role(op.getOperand());
    const auto [rows, columns] = sides_of(edges, loops);
    EdgeExpression expression(edges, rows, columns, roles_of(op.getOperand()));
    const std::optional<int> step = expression.step(select.getInputs()[1], loops);
    return step ? expression.reduce(*step, builder, op, "max", *otherwise, roles_of(op.getResult())) : Value();
}

Value fuse(mlir::Operation *op, mlir::OpBuilder &builder) {
    if (auto einsum = mlir::dyn_cast<ir::EinsumOp>(op))
        return fuse(einsum, builder);
    auto reduce = mlir::dyn_cast<ir::ReduceOp>(op);
    if (reduce && reduce.getReduction() == "sum")
        return fuse_sum(reduce, builder);
    return reduce && reduce.getReduction() == "max" ? fuse_maximum(reduce, builder) : Value();
}

void erase_unused(mlir::func::FuncOp function) {
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
        if (mlir::isOpTriviallyDead(&op))
            op.erase();
}

/// An error where the values on entries lead to what is no sum over them.
mlir::LogicalResult check(mlir::func::FuncOp function) {
    for (auto edges : function.getOps<ir::EdgesOp>()) {
        Value value = edges.getResult();
        while (!value.use_empty()) {
            mlir::Operation *user = *value.user_begin();
            if (user->getNumResults() != 1 || !has_both_sides(user->getResult(0), edges))
                return mlir::emitError(user->getLoc())
                       << "this needs all rows and columns of '" << edges.getMatrix()
                       << "': entry by entry are computed only sums, over one of the two, of what is 0 where this one "
                          "matrix has no entry";
            value = user->getResult(0);
        }
    }
    return mlir::success();
}

struct FuseEdges : impl::FuseEdgesBase<FuseEdges> {
    void runOnOperation() override {
        for (auto function : getOperation().getOps<mlir::func::FuncOp>()) {
            if (function.isExternal() || function.getOps<ir::EdgesOp>().empty())
                continue;
            mlir::OpBuilder builder(&getContext());
            for (mlir::Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
                builder.setInsertionPoint(&op);
                if (const Value fused = fuse(&op, builder)) {
                    op.getResult(0).replaceAllUsesWith(fused);
                    op.erase();
                }
            }
            erase_unused(function);
            if (failed(check(function)))
                return signalPassFailure();
        }
    }
};

} // namespace

} // namespace planc::autodiff

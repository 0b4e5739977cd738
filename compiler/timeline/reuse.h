// The reuse distances of the operands of a schedule's kernels: cost::ReuseDistances along the step, by the places of
// buffers in the arena.
#pragma once

#include "cost/kernels/reuse_distances.h"
#include "ir/plan_dialect.h"
#include "schedule/step_program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace planc::timeline {

/// The place of the variable that a plan.write writes. If the value lies there already, nothing is copied.
[[nodiscard]] int64_t variable_offset(ir::WriteOp write, mlir::SymbolTableCollection &symbols);

/// Whether it takes time: a kernel, a fused loop, or a plan.write that must copy.
[[nodiscard]] bool takes_time(mlir::Operation *op, mlir::SymbolTableCollection &symbols);

/// The bodies of a role in the order in which they run.
[[nodiscard]] std::vector<mlir::func::FuncOp> functions_of(const schedule::Bodies &bodies, int role);

class Reuse {
  public:
    /// `functions`: of a step, in the order in which they are called.
    explicit Reuse(const std::vector<mlir::func::FuncOp> &functions);

    /// The distance of an operand of a kernel, or of an operation in a fused loop; 0 for values that the loop makes
    /// itself.
    [[nodiscard]] cost::Bytes distance(mlir::OpOperand &operand) const { return distances_.lookup(&operand); }

    /// The distance of the variable to which a plan.write copies.
    [[nodiscard]] cost::Bytes distance(ir::WriteOp write) const { return variables_.lookup(write); }

  private:
    void add(mlir::Operation *kernel);
    void arrive(mlir::Operation *wait);

    cost::ReuseDistances<int64_t> along_;
    llvm::DenseMap<mlir::OpOperand *, cost::Bytes> distances_;
    llvm::DenseMap<mlir::Operation *, cost::Bytes> variables_;
    mlir::SymbolTableCollection symbols_;
};

} // namespace planc::timeline

// From a function of the training step to the graph that the planner and the lowering share (sharding/graph.h).
#pragma once

#include "ir/plan_dialect.h"
#include "sharding/graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace planc::spmd {

/// The graph of one function, and which IR every part of it stands for.
struct Extracted {
    sharding::Graph graph;
    std::vector<mlir::Operation *> operations;          ///< per operation of the graph
    std::vector<std::vector<unsigned>> operand_numbers; ///< per operation: the IR operand of each operand of the graph
    llvm::DenseMap<mlir::Value, int> value_of;          ///< IR value -> value of the graph
    llvm::DenseMap<mlir::StringRef, int> variable_of;   ///< variable -> value of the graph
};

/// What an operation with a loop nest is by itself: name, phase, kernel, nest and work per point.
[[nodiscard]] sharding::Operation operation_of(mlir::Operation &op);

/// `function` holds nests, reads, writes and free values only (after decompose-composites and derive-training-step).
/// Scalars made by plan.constant are not values of the graph: every rank has them.
[[nodiscard]] Extracted extract(mlir::func::FuncOp function);

} // namespace planc::spmd

// Turns a function of the training step into the graph that planner and lowering share (sharding/graph.h).
#pragma once

#include "ir/plan_dialect.h"
#include "sharding/graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace planc::spmd {

/// The graph of one function, with the IR that each part of it represents.
struct Extracted {
    sharding::Graph graph;
    sharding::PerOperation<mlir::Operation *> operations;
    /// The IR operand of each operand of the graph.
    sharding::PerOperation<std::vector<unsigned>> operand_numbers;
    llvm::DenseMap<mlir::Value, sharding::ValueId> value_of;        ///< IR value -> value of the graph
    llvm::DenseMap<mlir::StringRef, sharding::ValueId> variable_of; ///< variable -> value of the graph

    /// The IR value of each value of the graph.
    [[nodiscard]] sharding::PerValue<mlir::Value> ir_values() const;
};

/// The properties of a single operation with a loop nest: name, phase, kernel, nest and work per point.
[[nodiscard]] sharding::Operation operation_of(mlir::Operation &op);

/// `function` contains only nests, reads, writes and free values (after decompose-composites and derive-training-step).
/// Scalars made by plan.constant are not values of the graph, because every rank has them.
[[nodiscard]] Extracted extract(mlir::func::FuncOp function);

} // namespace planc::spmd

// How the operations of one fused loop run: which of them share a sweep, and what is kept from one sweep to the next.
//
// Example: softmax over digit on [batch, digit], outer = 1 (batch). For each row:
//   sweep 0   m = max over digit of x                       (reduces the row)
//   sweep 1   e = exp(x - m), z = sum over digit of e       (e is needed again: kept in a buffer)
//   sweep 2   p = e / z
#pragma once

#include "ir/plan_dialect.h"

#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace planc::schedule {

/// One loop: a role with its extent and the mesh axes that split it; or, with `within`, the shard of a stored tensor:
/// the rank's part of these dimensions, row-major, cut by the axes into balanced ranges.
struct LoopDimension {
    std::string role;
    int64_t extent = 1;
    std::vector<std::string> axes;
    std::vector<LoopDimension> within = {};
    planrt::Boxed<planrt::Window> window = {}; ///< the axes cut its positions: no loop, but a dimension of a tensor
    friend bool operator==(const LoopDimension &, const LoopDimension &) = default;
};
using LoopSpace = std::vector<LoopDimension>;

/// The dimensions of a tensor.
[[nodiscard]] LoopSpace dimensions_of(ir::TensorType type);
/// The loops over its elements: the dimensions, or for a sharded tensor the rank's share.
[[nodiscard]] LoopSpace space_of(ir::TensorType type);
/// The loops of an operation: those of its result; for a reduction, of its operand; for an update, of its parameter.
[[nodiscard]] LoopSpace space_of(mlir::Operation *op);
/// The number of loops of space_of().
[[nodiscard]] int depth_of(ir::TensorType type);
[[nodiscard]] int depth_of(mlir::Operation *op);
[[nodiscard]] bool is_prefix(const LoopSpace &prefix, const LoopSpace &space);

enum class LoopRole : std::uint8_t {
    element,     ///< computes a value at each point
    reduces_row, ///< over the inner loops: complete after its sweep
    accumulates  ///< over other loops: complete after the whole nest
};

/// Computed where it is used instead of once: constants, iotas, random numbers, the number of the step, and functions
/// of these along dimensions that only loops use.
[[nodiscard]] bool is_inline(mlir::Operation *op);
/// The operations that become loops.
[[nodiscard]] bool is_loop(mlir::Operation *op);

struct LoopMember {
    mlir::Operation *op = nullptr;
    LoopRole role = LoopRole::element;
    bool inner = true; ///< runs in the inner loops; else once per iteration of the outer loops, before its sweep
    int sweep = 0;     ///< the latest that its users allow
};

struct LoopNest {
    LoopSpace space; ///< the largest of any member
    int outer = 0;   ///< how many of them are outer loops
    int sweeps = 1;
    std::vector<LoopMember> members; ///< in the order of the operations
    /// Values that a later sweep needs again, so that they need a buffer. Cheap values that are computed from values of
    /// the row are recomputed instead.
    llvm::SmallVector<mlir::Value> kept;

    /// The member that computes a value; null if it comes from outside.
    [[nodiscard]] const LoopMember *producer(mlir::Value value) const;
    /// Whether later sweeps recompute the value.
    [[nodiscard]] bool is_made_again(const LoopMember &member) const;
};

/// Operations that are computed where they are used are left out.
[[nodiscard]] LoopNest analyze_loops(const std::vector<mlir::Operation *> &operations, int outer);
[[nodiscard]] LoopNest analyze_loops(ir::LoopsOp loops);

} // namespace planc::schedule

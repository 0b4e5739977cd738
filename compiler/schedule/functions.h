// What the passes of this folder share: the functions that they work on, and the layers and phases of operations.
#pragma once

#include "ir/entry_functions.h"
#include "ir/placement.h"
#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::schedule {

/// The parts of a training step, in the order in which they run.
enum class Part : std::uint8_t { forward, backward, update };
[[nodiscard]] const char *name(Part part);
/// "update" is update; gradients and recomputed operations are backward; everything else, also an empty phase, is
/// forward.
[[nodiscard]] Part part_of_phase(const std::string &phase);
/// The part of an operation, by its phase.
[[nodiscard]] Part part_of(mlir::Operation *op);

/// The body of its function in which an operation runs: 0 the forward pass, 1 the backward pass, 2 the part of it for
/// which no other stage of a pipeline waits, where the schedule defers it (attribute `deferred`), from 3 on the update.
/// Where stages need each other's sums for their updates, these are cut: the attribute `level` of an operation counts
/// how often its stage has waited for others since the backward pass.
[[nodiscard]] int section_of(mlir::Operation *op);
constexpr int first_update = 3;
/// "forward", "backward", "weight_gradients", "update", "update_2", …
[[nodiscard]] std::string section_name(int section);

[[nodiscard]] inline ir::TensorType tensor(mlir::Value value) {
    return mlir::cast<ir::TensorType>(value.getType());
}
/// Whether it is a result of a stage's function that other stages of the pipeline get.
[[nodiscard]] bool is_sent(mlir::OpOperand &use);

/// Adds to the numbers of all collectives of the operation.
void shift_numbers(mlir::Operation *op, std::uint64_t by);

[[nodiscard]] std::string layer_of(mlir::Operation *op);
[[nodiscard]] std::string phase_of(mlir::Operation *op);
/// Copies layer and phase of `from` to an operation that replaces it or a part of it.
void set_place(mlir::Operation *op, mlir::Operation *from);

/// Whether it is a kernel: everything that computes and is not part of a loop.
[[nodiscard]] bool is_kernel(mlir::Operation *op);

/// Whether the value is the current sum over micro-batches, whose place is free for the new sum.
[[nodiscard]] bool reads_accumulator(mlir::Value value, mlir::SymbolTableCollection &symbols);

/// The type with its dimensions renamed, one by one.
[[nodiscard]] ir::TensorType with_roles(ir::TensorType type, const std::vector<std::string> &roles);
/// The type with these of its dimensions, in this order.
[[nodiscard]] ir::TensorType with_dimensions(ir::TensorType type, const std::vector<std::string> &roles);

/// The type of the sum over all dimensions except these. Axes that split a removed dimension leave a partial sum.
[[nodiscard]] ir::TensorType summed_type(ir::TensorType type, const std::vector<std::string> &kept, ir::MeshAttr mesh);

/// A pass on the entry functions (ir/entry_functions.h).
class StepPass : public mlir::OperationPass<mlir::ModuleOp> {
  public:
    using mlir::OperationPass<mlir::ModuleOp>::OperationPass;
    void runOnOperation() final;

  protected:
    virtual mlir::LogicalResult run(mlir::func::FuncOp function) = 0;
};

} // namespace planc::schedule

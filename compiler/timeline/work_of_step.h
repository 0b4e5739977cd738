// What runs for each operation of a training step, before a plan is known: the step is laid out and scheduled on one
// rank, and the parts of its kernels are booked to the operations that they come from. The price of every plan is made
// of these parts (cost/kernels/compute.h), so that on one rank it is the step of the schedule.
#pragma once

#include "sharding/graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace planc::timeline {

class WorkOfStep {
  public:
    /// The training functions of a module that is not laid out (after derive-training-step); it is not changed.
    explicit WorkOfStep(mlir::ModuleOp module);

    /// For the graph of one of its functions. Empty if the step has no schedule.
    [[nodiscard]] sharding::PerOperation<sharding::SharedWork> of(mlir::func::FuncOp function) const;

  private:
    using Works = sharding::PerOperation<sharding::Work>;
    std::map<std::string, Works> by_function_;
};

} // namespace planc::timeline

// Which stages of a pipeline use a variable. Where several do, each has a copy: the first the variable itself, the
// others one with the attribute `copy_of`. The same holds for what belongs to it, such as the optimizer's state.
//
// Example: stages 0 and 2 read a table
//   @table                 {stage = 0, rank_role = 0}
//   @"table on stage 2"    {stage = 2, rank_role = 2, copy_of = "table"}
#pragma once

#include "ir/pipeline_attribute.h"
#include "pipeline/schedule.h"
#include "sharding/stages.h"
#include "spmd/extract.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <set>
#include <string>

namespace planc::spmd {

class StageVariables {
  public:
    /// The module has a pipeline. Where its training step was cut before, its copies are known.
    explicit StageVariables(mlir::ModuleOp module);

    /// Notes which stages use the variables of a training function.
    void add(const Extracted &extracted, const sharding::LayerStages &layers);
    /// Gives each variable its stage and its role, and makes the copies.
    void make(const pipeline::Schedule &schedule);
    /// Lets an operation of a stage use the stage's copies.
    void rename(mlir::Operation *op, int stage) const;

  private:
    /// The name of a variable on a stage; stages of replicas have numbers of their own.
    [[nodiscard]] std::string name(const std::string &variable, int stage) const;
    [[nodiscard]] std::string name_of_sum(llvm::StringRef sum, int stage) const;

    mlir::ModuleOp module_;
    ir::Pipeline pipeline_;
    std::map<std::string, std::set<int>> stages_of_; ///< by variable
};

} // namespace planc::spmd

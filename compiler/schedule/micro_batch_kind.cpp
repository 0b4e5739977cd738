#include "schedule/micro_batch_kind.h"

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"

namespace planc::schedule {

std::vector<program::MicroBatch> micro_batches_of(mlir::ModuleOp module) {
    return program::micro_batches(ir::batch_of(module), ir::micro_batch_count(module), ir::updates_of(module));
}

program::MicroBatchKind kind_of(mlir::func::FuncOp function) {
    const int number = ir::kind_number(function);
    if (number < 0)
        return {ir::samples_of(function), !ir::accumulates(function)};
    auto module = function->getParentOfType<mlir::ModuleOp>();
    return program::kinds(micro_batches_of(module), ir::updates_of(module).weights).at(static_cast<size_t>(number));
}

} // namespace planc::schedule

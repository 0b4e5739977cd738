#include "schedule/slots.h"

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "program/micro_batches.h"
#include "program/slots.h"

#include <algorithm>
#include <vector>

namespace planc::schedule {

int last_slot(mlir::func::FuncOp function) {
    auto module = function->getParentOfType<mlir::ModuleOp>();
    const auto parts = program::micro_batches(ir::batch_of(module), ir::micro_batch_count(module));
    std::vector<int> slots;
    if (ir::has_pipeline(module))
        slots = program::slots_of(ir::schedule_of(module)).at(static_cast<size_t>(ir::role_of(function)));
    else
        for (std::size_t i = 0; i < parts.size(); ++i) // program::in_flight()
            slots.push_back(static_cast<int>(i) % ir::slots_of(function));
    const program::MicroBatchKind own{ir::samples_of(function), !ir::accumulates(function)};
    int last = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (program::kind_of(parts, i) == own)
            last = std::max(last, slots[i]);
    return last;
}

} // namespace planc::schedule

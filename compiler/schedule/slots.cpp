#include "schedule/slots.h"

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "program/slots.h"
#include "schedule/micro_batch_kind.h"

#include <algorithm>
#include <vector>

namespace planc::schedule {

int last_slot(mlir::func::FuncOp function) {
    auto module = function->getParentOfType<mlir::ModuleOp>();
    const auto parts = micro_batches_of(module);
    std::vector<int> slots;
    if (ir::has_pipeline(module))
        slots = program::slots_of(ir::schedule_of(module)).at(static_cast<size_t>(ir::role_of(function)));
    else
        for (std::size_t i = 0; i < parts.size(); ++i) // program::in_flight()
            slots.push_back(static_cast<int>(i) % ir::slots_of(function));
    const program::MicroBatchKind own = kind_of(function);
    int last = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (program::kind_of(parts, i, ir::updates_of(module).weights) == own)
            last = std::max(last, slots[i]);
    return last;
}

} // namespace planc::schedule

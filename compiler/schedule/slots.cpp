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
    const program::MicroBatchKind own = kind_of(function);
    int last = 0;
    if (!ir::has_pipeline(module)) {
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (program::kind_of(parts, i, ir::updates_of(module).weights) == own)
                last = std::max(last, static_cast<int>(i) % ir::slots_of(function)); // program::in_flight()
        return last;
    }
    const pipeline::Schedule schedule = ir::schedule_of(module);
    const std::vector<int> slots = program::slots_of(schedule).at(static_cast<size_t>(ir::role_of(function)));
    for (int m = 0; m < schedule.micro_batches; ++m)
        if (program::kind_of(parts, schedule, m) == own &&
            schedule.replica_of[static_cast<size_t>(m)] == ir::stage_of(function) / schedule.stages)
            last = std::max(last, slots[static_cast<size_t>(m)]);
    return last;
}

} // namespace planc::schedule

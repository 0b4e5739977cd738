#include "driver/planning/derived_step.h"

#include "schedule/matrix_memory.h"

#include <algorithm>

namespace planc::driver {

std::vector<planning::Scheduled> DerivedStep::schedule(const std::vector<const plan::Plan *> &plans,
                                                       planning::Wanted wanted) {
    std::vector<planning::Scheduled> made = scheduler().of(plans, wanted);
    if (std::all_of(made.begin(), made.end(), [this](planning::Scheduled &each) { return is_made(each); }))
        return made;
    return {};
}

void DerivedStep::simulate(planning::Scheduled &scheduled) {
    scheduled.overlap = overlap_of(*module_of(scheduled).module, request_.request.machine);
}

std::optional<std::int64_t> DerivedStep::complete(const plan::Plan &plan, planning::Scheduled &scheduled) {
    scheduler().complete(plan, scheduled);
    if (!is_made(scheduled))
        return std::nullopt;
    return schedule::rank_memory(*module_of(scheduled).module).all;
}

bool DerivedStep::is_made(planning::Scheduled &scheduled) const {
    const std::string &error = module_of(scheduled).error;
    if (!error.empty())
        report_(error);
    return error.empty();
}

} // namespace planc::driver

// The part of the pipeline that keeps a limit on memory.
#include "driver/pipeline.h"

#include "plan/plan.h"

#include <algorithm>

namespace planc::driver {

namespace {

/// Samples of a step: the first extent of the first input.
std::int64_t batch_of(const sema::Network &loss) {
    if (loss.arguments.empty() || loss.arguments.front().type.dimensions.empty())
        return 1;
    return loss.arguments.front().type.dimensions.front().extent;
}

} // namespace

bool Pipeline::search() {
    return make_plan() && (!plan_->out_of_memory || !request_->request.search || search_savings());
}

bool Pipeline::search_savings() {
    plan::Plan without = *plan_;
    const MemorySavings pinned = savings_;
    std::optional<MemorySavings> best;
    double least = 0;
    for (const MemorySavings &more : further_savings(pinned, batch_of(program_->trains.back().loss))) {
        // More micro-batches than the least number that fits only take longer.
        if (best && more.microbatches > best->microbatches && !more.recompute.empty())
            break;
        if (!derive_with(more) || !make_plan())
            return false;
        if (plan_->out_of_memory)
            without.least_memory = std::min(without.least_memory, plan_->least_memory);
        if (!plan_->failure.empty() || (best && plan_->cost.seconds().value >= least))
            continue;
        best = more;
        least = plan_->cost.seconds().value;
    }
    if (!derive_with(best.value_or(pinned)) || !make_plan())
        return false;
    if (!best) {
        plan_ = without;
        plan_->failure = plan::does_not_fit(plan_->least_memory, cost::Bytes(plan_->memory_limit_bytes));
    }
    return true;
}

/// The planner estimates memory before there is a schedule; the arena is exact.
bool Pipeline::fit_into_memory() {
    constexpr int most_attempts = 5;
    constexpr double surely_fits = 0.8; // of the limit, by the estimate
    const double limit = plan_->memory_limit_bytes;
    double least = 0;
    for (int i = 0; true; ++i) {
        if (limit == 0 || !request_->request.search || !plan_->failure.empty() ||
            plan_->cost.memory.total().value < surely_fits * limit)
            break;
        const auto bytes = scheduled_bytes();
        if (!bytes)
            return false;
        if (*bytes <= limit)
            break;
        least = least == 0 ? *bytes : std::min(least, *bytes);
        if (i == most_attempts) {
            plan_->failure = plan::does_not_fit(cost::Bytes(least), cost::Bytes(limit));
            break;
        }
        memory_limit_ = plan_->memory_limit_bytes * limit / *bytes;
        if (!derive_with(savings_of(layout_of(*program_, options_))) || !search())
            return false;
    }
    if (least > 0 && !plan_->failure.empty())
        plan_->failure = plan::does_not_fit(cost::Bytes(least), cost::Bytes(limit));
    plan_->memory_limit_bytes = limit;
    return true;
}

std::optional<double> Pipeline::scheduled_bytes() {
    mlir::OwningOpRef<mlir::ModuleOp> derived = module_->clone();
    set_plan(*module_, request_->request.graph, *plan_);
    if (!lay_out() || !schedule())
        return std::nullopt;
    const auto bytes = static_cast<double>(arena_bytes());
    module_ = std::move(derived);
    return bytes;
}

} // namespace planc::driver

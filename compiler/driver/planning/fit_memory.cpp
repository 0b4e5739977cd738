// The part of the pipeline that keeps a limit on memory.
#include "driver/commands/commands.h"
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

bool Pipeline::request_with(const MemorySavings &savings) {
    if (!step_only())
        return false;
    const MemorySavings pinned = savings_of(layout_of(*program_, options_));
    const std::vector<MemorySavings> more = further_savings(pinned, batch_of(program_->trains.back().loss));
    if (savings != pinned && std::find(more.begin(), more.end(), savings) == more.end())
        return fail("no plan of '" + options_.file + "' has these micro-batches and recomputations", input_error);
    return (savings == savings_ || derive_with(savings)) && ask();
}

bool Pipeline::search_savings() {
    plan::Plan without = *plan_;
    const MemorySavings tried = savings_;
    std::vector<MemorySavings> candidates =
        further_savings(savings_of(layout_of(*program_, options_)), batch_of(program_->trains.back().loss));
    // Where an attempt has come so far already, the less costly do not fit.
    if (const auto at = std::find(candidates.begin(), candidates.end(), tried); at != candidates.end())
        candidates.erase(candidates.begin(), at + 1);
    std::optional<MemorySavings> best;
    double least = 0;
    for (const MemorySavings &more : candidates) {
        // More micro-batches than the least number that fits only take longer.
        if (best && more.microbatches > best->microbatches && !more.recompute.empty())
            break;
        if (!derive_with(more) || !make_plan())
            return false;
        if (plan_->out_of_memory)
            without.least_memory = std::min(without.least_memory, plan_->least_memory);
        if (!plan_->failure.empty() || (best && plan_->cost->seconds().value >= least))
            continue;
        best = more;
        least = plan_->cost->seconds().value;
    }
    if (!derive_with(best.value_or(tried)) || !make_plan())
        return false;
    if (!best) {
        plan_ = without;
        plan_->failure = plan::does_not_fit(plan_->least_memory, cost::Bytes(plan_->memory_limit_bytes));
    }
    return true;
}

/// The planner estimates memory before there is a schedule; the arena is exact. Plans for less where it is too large,
/// and last for the least that the planner knows of.
bool Pipeline::fit_into_memory() {
    constexpr int most_attempts = 5;
    constexpr double above = 1.01; // of the least estimate, a lower bound
    constexpr double likely_to_fit = 0.8;
    const double limit = plan_->memory_limit_bytes;
    if (limit == 0 || !request_->request.search)
        return true;
    double least = 0; // of the arenas so far
    double last = 0;
    bool by_least = false;
    for (int attempt = 0; true; ++attempt) {
        if (plan_->failure.empty()) {
            // Where the plan is likely to fit, what it is compared with is scheduled beside it.
            if (may_simulate() && plan_->cost->memory.total().value < likely_to_fit * limit) {
                if (!schedule_candidates())
                    return false;
            } else {
                candidates_ = {{}, schedules_of({&*plan_}, Extent::all)};
                if (candidates_->schedules.empty())
                    return false;
            }
            Scheduled &scheduled = candidates_->schedules.front();
            const auto bytes = static_cast<double>(scheduled.compared_bytes);
            if (bytes <= limit) {
                if (!scheduled.overlap) {
                    scheduled_ = std::move(scheduled);
                    candidates_.reset();
                }
                break;
            }
            candidates_.reset();
            // A plan that comes again has an estimate far below: then the next one must take less than that.
            const double planned = bytes == last ? plan_->cost->memory.total().value : plan_->memory_limit_bytes;
            memory_limit_ = planned * limit / bytes;
            last = bytes;
            least = least == 0 ? bytes : std::min(least, bytes);
        } else if (!plan_->out_of_memory) {
            break;
        } else {
            memory_limit_ = above * std::max(plan_->least_memory.value, by_least ? memory_limit_ : 0);
            by_least = true;
        }
        if ((by_least && plan_->failure.empty()) || attempt == most_attempts) {
            plan_->failure =
                plan::does_not_fit(least == 0 ? plan_->least_memory : cost::Bytes(least), cost::Bytes(limit));
            break;
        }
        if (!search())
            return false;
    }
    plan_->memory_limit_bytes = limit;
    return true;
}

} // namespace planc::driver

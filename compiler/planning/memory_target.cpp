#include "planning/memory_target.h"

#include <algorithm>

namespace planc::planning {

namespace {

constexpr int most_attempts = 5;   ///< after the first
constexpr double most_saved = 1.5; ///< an estimate may be so many times the arena

} // namespace

bool MemoryTarget::tighten(const plan::Plan &plan, std::int64_t arena_bytes) {
    const auto arena = static_cast<double>(arena_bytes);
    // If the same plan was found again, its estimate is far below the limit, and the next plan must have a smaller
    // estimate.
    const double planned = arena == last_arena_ ? plan.cost->memory.total().value : planned_for_;
    planned_for_ = planned * asked_ / arena;
    last_arena_ = arena;
    least_arena_ = least_arena_ == 0 ? arena : std::min(least_arena_, arena);
    return !least_planned_for_ && may_try_again();
}

bool MemoryTarget::loosen_to_least(const plan::Plan &plan) {
    // No schedule saves any of the state, nor more than a part of the rest.
    if (plan.least_memory.value > (plan.state_is_too_large ? 1 : most_saved) * asked_)
        return false;
    planned_for_ = (1 + above_least_) * std::max(plan.least_memory.value, least_planned_for_ ? planned_for_ : 0);
    above_least_ *= 2;
    least_planned_for_ = true;
    return may_try_again();
}

bool MemoryTarget::may_try_again() {
    return attempts_++ < most_attempts;
}

std::string MemoryTarget::failure(const plan::Plan &last) const {
    if (least_arena_ > 0)
        return plan::does_not_fit(cost::Bytes(least_arena_), cost::Bytes(asked_), plan::Least::found);
    return plan::does_not_fit(last.least_memory, cost::Bytes(asked_),
                              last.least_was_found ? plan::Least::found : plan::Least::bound);
}

} // namespace planc::planning

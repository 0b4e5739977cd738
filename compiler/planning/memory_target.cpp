#include "planning/memory_target.h"

namespace planc::planning {

bool MemoryTarget::tighten(const plan::Plan &plan, std::int64_t memory_bytes) {
    constexpr int most_attempts = 5; // after the first
    const auto arena = static_cast<double>(memory_bytes);
    // If the same plan was found again, its estimate is far below the limit, and the next plan must have a smaller
    // estimate.
    const double planned = arena == last_memory_ ? plan.cost->memory.total().value : planned_for_;
    planned_for_ = planned * asked_ / arena;
    last_memory_ = arena;
    return attempts_++ < most_attempts;
}

} // namespace planc::planning

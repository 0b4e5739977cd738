#include "autodiff/learning_rate.h"

#include <numbers>

namespace planc::autodiff {

using mlir::Value;
using sema::Schedule;

namespace {

/// The part of `steps` that is over, at most 1.
Value progress(Arithmetic &of, Value step, std::int64_t steps) {
    return of.call("minimum", {of.div(step, of.scalar(static_cast<double>(steps))), of.scalar(1)});
}

/// The number of times that the rate has been multiplied by the factor.
Value drops(Arithmetic &of, Value step, const Schedule &schedule) {
    if (schedule.milestones.empty())
        return of.call("floor", {of.div(step, of.scalar(static_cast<double>(schedule.every)))});
    Value count;
    for (const std::int64_t milestone : schedule.milestones) {
        const Value reached = of.call("greater_equal", {step, of.scalar(static_cast<double>(milestone))});
        count = count ? of.add(count, reached) : reached;
    }
    return count;
}

/// `step` counts from the end of warm-up.
Value shape(Arithmetic &of, Value step, const Schedule &schedule) {
    const auto between = [&](Value share) {
        return of.add(of.mul(share, schedule.peak - schedule.floor), schedule.floor);
    };
    switch (schedule.shape) {
    case Schedule::Shape::constant:
        return of.scalar(schedule.peak);
    case Schedule::Shape::step:
        return of.mul(of.call("power", {of.scalar(schedule.factor), drops(of, step, schedule)}), schedule.peak);
    case Schedule::Shape::cosine: {
        const Value angle = of.mul(progress(of, step, schedule.steps), std::numbers::pi);
        return between(of.mul(of.add(of.call("cos", {angle}), 1), 0.5));
    }
    case Schedule::Shape::polynomial: {
        const Value rest = of.sub(of.scalar(1), progress(of, step, schedule.steps));
        return between(schedule.power == 1 ? rest : of.call("power", {rest, of.scalar(schedule.power)}));
    }
    }
    return {};
}

} // namespace

Value learning_rate(Arithmetic &of, const Schedule &schedule, int updates) {
    const auto now = [&] { return updates == 1 ? of.step() : of.div(of.step(), of.scalar(updates)); };
    if (schedule.warmup == 0)
        return schedule.shape == Schedule::Shape::constant ? of.scalar(schedule.peak) : shape(of, now(), schedule);
    const Value step = now();
    const auto warmup = static_cast<double>(schedule.warmup);
    const Value later = of.call("maximum", {of.add(step, -warmup), of.scalar(0)});
    const Value grown = of.mul(of.add(step, 1), (schedule.peak - schedule.start) / (warmup + 1));
    return of.call("select", {of.call("less", {step, of.scalar(warmup)}), of.add(grown, schedule.start),
                              shape(of, later, schedule)});
}

} // namespace planc::autodiff

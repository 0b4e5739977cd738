#include "pipeline/walk.h"

namespace planc::pipeline {

int gives(const Schedule &schedule, const Action &action) {
    if (action.kind == Kind::weight_gradient)
        return -1;
    return result(schedule, gives_gradient(action.kind), action.stage, action.micro_batch);
}

std::array<Need, 2> needs(const Schedule &schedule, const Action &action) {
    const auto need = [&](bool gradient, int stage) {
        return stage < 0 || stage >= schedule.stages
                   ? Need{}
                   : Need{result(schedule, gradient, stage, action.micro_batch), stage};
    };
    switch (action.kind) {
    case Kind::forward:
        return {need(false, action.stage - 1), Need{}};
    case Kind::weight_gradient:
        return {need(true, action.stage), Need{}};
    default:
        return {need(false, action.stage), need(true, action.stage + 1)};
    }
}

} // namespace planc::pipeline

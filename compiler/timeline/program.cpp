#include "timeline/program.h"

namespace planc::timeline {

Program without_overlap(const Program &program) {
    Program result = program;
    result.actions.clear();
    for (const Action &action : program.actions) {
        if (action.kind == ActionKind::progress || action.kind == ActionKind::wait)
            continue;
        result.actions.push_back(action);
        if (action.kind == ActionKind::start)
            result.actions.push_back({ActionKind::wait, action.index});
    }
    return result;
}

} // namespace planc::timeline

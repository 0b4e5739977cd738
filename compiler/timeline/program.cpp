#include "timeline/program.h"

namespace planc::timeline {

Program without_overlap(const Program &program) {
    Program result = program;
    for (std::vector<Action> &actions : result.actions) {
        std::vector<Action> all;
        for (const Action &action : actions) {
            const bool is_collective = action.kind == ActionKind::start || action.kind == ActionKind::wait;
            if (is_collective && program.collectives[static_cast<std::size_t>(action.index)].between_roles) {
                all.push_back(action);
                continue;
            }
            if (action.kind == ActionKind::progress || action.kind == ActionKind::wait)
                continue;
            all.push_back(action);
            if (action.kind == ActionKind::start)
                all.push_back({ActionKind::wait, action.index});
        }
        actions = std::move(all);
    }
    return result;
}

} // namespace planc::timeline

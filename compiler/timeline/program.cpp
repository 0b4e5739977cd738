#include "timeline/program.h"

namespace planc::timeline {

static std::string words(const std::string &role, const RankClass &ranks) {
    const std::string name = planrt::row_name(role, ranks.first);
    return ranks.ranks > 1 ? name + " (of " + std::to_string(ranks.ranks) + " alike)" : name;
}

std::string rank_words(const RankClass &ranks) {
    return words("", ranks);
}

std::string Program::name(const RankClass &ranks) const {
    return words(roles.empty() ? "" : roles[static_cast<std::size_t>(ranks.role)], ranks);
}

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
                all.push_back({ActionKind::wait, action.index, action.run});
        }
        actions = std::move(all);
    }
    return result;
}

} // namespace planc::timeline

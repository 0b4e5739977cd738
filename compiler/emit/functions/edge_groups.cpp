#include "emit/functions/edge_groups.h"

#include <algorithm>
#include <utility>

namespace planc::emit {

using Kind = ir::EdgeStep::Kind;

namespace {

/// The wanted steps that the step uses itself or through others that are not wanted.
std::set<int> used_by(const std::vector<ir::EdgeStep> &steps, const std::set<int> &wanted, int step) {
    std::set<int> used;
    for (const int argument : steps[static_cast<std::size_t>(step)].arguments)
        if (wanted.contains(argument))
            used.insert(argument);
        else
            used.merge(used_by(steps, wanted, argument));
    return used;
}

} // namespace

std::vector<EdgeGroup> groups_of_steps(const std::vector<ir::EdgeStep> &steps, const std::set<int> &wanted) {
    std::vector<EdgeGroup> groups;
    std::set<int> open = wanted;
    const auto is_ready = [&](int step) {
        const std::set<int> used = used_by(steps, wanted, step);
        return std::none_of(used.begin(), used.end(), [&](int each) { return open.contains(each); });
    };
    while (!open.empty()) {
        for (const int step : wanted)
            if (steps[static_cast<std::size_t>(step)].kind == Kind::sum && open.contains(step) && is_ready(step)) {
                groups.push_back({{step}, true});
                open.erase(step);
            }
        EdgeGroup pointwise;
        for (const int step : wanted)
            if (steps[static_cast<std::size_t>(step)].kind != Kind::sum && open.contains(step) && is_ready(step)) {
                pointwise.steps.push_back(step);
                open.erase(step);
            }
        if (!pointwise.steps.empty())
            groups.push_back(std::move(pointwise));
    }
    return groups;
}

std::set<int> steps_to_keep(const std::vector<ir::EdgeStep> &steps, const std::vector<EdgeGroup> &groups) {
    std::set<int> kept;
    for (const EdgeGroup &group : groups) {
        const auto is_inside = [&](int step) { return std::ranges::find(group.steps, step) != group.steps.end(); };
        for (int user = 0; std::cmp_less(user, steps.size()); ++user)
            for (const int used : steps[static_cast<std::size_t>(user)].arguments)
                if (!is_inside(user) && is_inside(used))
                    kept.insert(used);
        const int last = static_cast<int>(steps.size()) - 1; // what is reduced, behind the last group at the earliest
        if (&group != &groups.back() && is_inside(last))
            kept.insert(last);
    }
    return kept;
}

} // namespace planc::emit

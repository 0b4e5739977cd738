#include "pipeline/search_beam.h"

#include <algorithm>
#include <tuple>

namespace planc::pipeline {

namespace {

constexpr std::size_t width = 200;

/// A state, the better the smaller.
struct Candidate {
    int bound = 0;              ///< on the makespan
    std::int64_t work_left = 0; ///< the less, the fewer choices can still go wrong
    int number = 0;
    auto operator<=>(const Candidate &) const = default;
};

} // namespace

std::optional<Found> beam(Rules &rules, std::int64_t makespan, std::int64_t most_visits, std::int64_t &visits) {
    KnownStates known(rules.ranks());
    std::optional<Found> found;
    std::vector<Candidate> now{{0, 0, *known.reach(std::vector<RankState>(rules.ranks()), 0, -1)}};
    const std::int64_t last_visit = visits + most_visits;
    while (!now.empty() && visits < last_visit) {
        std::vector<Candidate> next;
        for (const Candidate &each : now) {
            const int time = known.time(each.number);
            const State stored = known.state(each.number);
            const std::vector<RankState> state(stored.begin(), stored.end()); // the store moves as it grows
            if (rules.done(state)) {
                if (time < makespan) {
                    makespan = time;
                    found = {time, known.actions_to(each.number)};
                }
                continue;
            }
            rules.for_each_next(state, [&](State later, int passed) {
                const int bound = time + passed + rules.time_left(later);
                if (bound < makespan)
                    if (const std::optional<int> number = known.reach(later, time + passed, each.number))
                        next.push_back({bound, rules.work_left(later), *number});
                return ++visits < last_visit;
            });
        }
        std::sort(next.begin(), next.end());
        next.resize(std::min(next.size(), width));
        now = std::move(next);
    }
    return found;
}

} // namespace planc::pipeline

#include "pipeline/search.h"

#include "pipeline/build.h"
#include "pipeline/makers.h"
#include "pipeline/measure.h"
#include "pipeline/search_beam.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

namespace planc::pipeline {

namespace {

void check(const SearchRequest &request) {
    const auto within = [](int number, int most) { return number >= 1 && number <= most; };
    if (!within(request.ranks, 64) || !within(request.micro_batches, 1000) || request.alive < 1)
        throw std::invalid_argument("a search is for 1 to 64 ranks and 1 to 1000 micro-batches, at least one alive");
    const bool in_range = std::all_of(request.times.begin(), request.times.end(), [&](const StageTimes &times) {
        return within(times.forward, 1000) && within(times.input, 1000) && within(times.weight, 1000);
    });
    if (!in_range || (!request.times.empty() && static_cast<int>(request.times.size()) != request.ranks))
        throw std::invalid_argument("a search takes times from 1 to 1000, for each of the " +
                                    std::to_string(request.ranks) + " stages");
}

Durations durations(const SearchRequest &request) {
    if (request.times.empty())
        return equal_durations(request.ranks);
    Durations durations;
    for (const StageTimes &times : request.times) {
        durations.forward.push_back(times.forward);
        durations.input.push_back(times.input);
        durations.weight.push_back(times.weight);
    }
    return durations;
}

class Search {
  public:
    explicit Search(const SearchRequest &request) : request_(request), rules_(request), known_(rules_.ranks()) {}

    Best run() {
        best_.schedule = empty_schedule("search", request_.ranks, request_.micro_batches);
        begin_with_makers();
        if (std::optional<Found> found = beam(rules_, best_.makespan, request_.most_states / 10, best_.states))
            take(*found);
        reach(std::vector<RankState>(rules_.ranks()), 0, -1);
        while (next_level() && best_.states < request_.most_states)
            expand();
        best_.bound = next_level() ? open_.begin()->first : best_.makespan;
        best_.proven = best_.bound == best_.makespan;
        return best_;
    }

  private:
    struct Open {
        int state = 0;
        int time = 0; ///< at which it was reached
    };

    /// The best of the makers' schedules: only what is faster is searched for.
    void begin_with_makers() {
        Schedule greedy = empty_schedule("", request_.ranks, request_.micro_batches);
        order_greedily(greedy, {.split = true, .alive = request_.alive});
        take({time_of(greedy), greedy.actions});
        if (request_.alive < std::min(request_.ranks, request_.micro_batches))
            return;
        const Schedule zero = zero_bubble(request_.ranks, request_.micro_batches);
        if (time_of(zero) < best_.makespan)
            take({time_of(zero), zero.actions});
    }

    [[nodiscard]] int time_of(const Schedule &schedule) const {
        return static_cast<int>(makespan(schedule, durations(request_)));
    }

    void take(const Found &found) {
        best_.makespan = found.makespan;
        best_.schedule.actions = found.actions;
    }

    /// Whether states below the incumbent are left; then the first level has some.
    bool next_level() {
        while (!open_.empty() && open_.begin()->second.empty())
            open_.erase(open_.begin());
        return !open_.empty() && open_.begin()->first < best_.makespan;
    }

    void reach(State state, int time, int from) {
        ++best_.states;
        const std::optional<int> number = known_.reach(state, time, from);
        if (!number)
            return;
        // The bound of the state before holds as well.
        const int bound = std::max(bound_, time + rules_.time_left(state));
        if (bound < best_.makespan)
            open_[bound].push_back({*number, time});
    }

    void expand() {
        const auto level = open_.begin();
        bound_ = level->first;
        const Open open = level->second.back();
        if (open.time != known_.time(open.state)) { // it was reached earlier meanwhile
            level->second.pop_back();
            return;
        }
        const State stored = known_.state(open.state);
        const std::vector<RankState> state(stored.begin(), stored.end()); // the store moves as it grows
        if (rules_.done(state))
            return take({open.time, known_.actions_to(open.state)});
        const std::size_t place = level->second.size() - 1;
        const bool complete = rules_.for_each_next(state, [&](State next, int time) {
            reach(next, open.time + time, open.state);
            return best_.states < request_.most_states;
        });
        // A state that is not expanded completely stays, with its bound.
        if (complete)
            level->second.erase(level->second.begin() + static_cast<std::ptrdiff_t>(place));
    }

    const SearchRequest &request_;
    Rules rules_;
    KnownStates known_;
    std::map<int, std::vector<Open>> open_; ///< by the bound on the makespan
    int bound_ = 0;                         ///< of the state that is expanded: the least
    Best best_;
};

} // namespace

Best best_schedule(const SearchRequest &request) {
    check(request);
    return Search(request).run();
}

} // namespace planc::pipeline

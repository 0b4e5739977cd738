#include "pipeline/search.h"

#include "pipeline/build.h"
#include "pipeline/makers.h"
#include "pipeline/measure.h"
#include "pipeline/search_states.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>

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

/// The known states, each once, with the least time at which it was reached.
class KnownStates {
  public:
    explicit KnownStates(std::size_t ranks) : ranks_(ranks), table_(1024, -1) {}

    [[nodiscard]] State state(int index) const {
        return State(rows_).subspan(static_cast<std::size_t>(index) * ranks_, ranks_);
    }
    [[nodiscard]] int size() const { return static_cast<int>(time.size()); }

    /// The number of a state; it becomes known if it was not.
    int number(State wanted) {
        if (2 * time.size() >= table_.size())
            grow();
        int &place = find(wanted);
        if (place < 0) {
            place = size();
            rows_.insert(rows_.end(), wanted.begin(), wanted.end());
            time.push_back(unknown);
            parent.push_back(-1);
        }
        return place;
    }

    static constexpr int unknown = std::numeric_limits<int>::max();
    std::vector<int> time;   ///< by state
    std::vector<int> parent; ///< by state: the state before it; -1: none

  private:
    static std::size_t hash(State state) {
        const char *bytes = reinterpret_cast<const char *>(state.data());
        return std::hash<std::string_view>()({bytes, state.size_bytes()});
    }

    int &find(State wanted) {
        const std::size_t mask = table_.size() - 1;
        for (std::size_t at = hash(wanted) & mask;; at = (at + 1) & mask)
            if (table_[at] < 0 || std::ranges::equal(state(table_[at]), wanted))
                return table_[at];
    }

    void grow() {
        table_.assign(2 * table_.size(), -1);
        for (int i = 0; i < size(); ++i)
            find(state(i)) = i;
    }

    std::size_t ranks_;
    std::vector<RankState> rows_;
    std::vector<int> table_; ///< of state numbers, by hash; -1: free
};

class Search {
  public:
    explicit Search(const SearchRequest &request) : request_(request), rules_(request), known_(rules_.ranks()) {}

    Best run() {
        start();
        while (!open_.empty() && !best_.proven && known_.size() < request_.most_states) {
            const auto level = open_.begin();
            if (level->second.empty()) {
                open_.erase(level);
                continue;
            }
            bound_ = level->first;
            const Open open = level->second.back();
            level->second.pop_back();
            if (open.time == known_.time[static_cast<std::size_t>(open.state)])
                expand(open);
        }
        std::erase_if(open_, [](const auto &level) { return level.second.empty(); });
        best_.bound = open_.empty() ? best_.makespan : std::min<std::int64_t>(open_.begin()->first, best_.makespan);
        best_.proven = best_.bound == best_.makespan;
        best_.states = known_.size();
        return best_;
    }

  private:
    struct Open {
        int state = 0;
        int time = 0; ///< at which it was reached
    };

    /// The best of the makers' schedules is the incumbent: only what is faster is searched for.
    void start() {
        const auto offer = [&](const Schedule &schedule) {
            const auto time = static_cast<std::int64_t>(makespan(schedule, durations(request_)));
            if (best_.schedule.actions.empty() || time < best_.makespan) {
                best_.schedule = schedule;
                best_.makespan = time;
            }
        };
        Schedule greedy = empty_schedule("", request_.ranks, request_.micro_batches);
        order_greedily(greedy, {.split = true, .alive = request_.alive});
        offer(greedy);
        if (request_.alive >= std::min(request_.ranks, request_.micro_batches))
            offer(zero_bubble(request_.ranks, request_.micro_batches));
        best_.schedule.name = "search";
        const std::vector<RankState> nothing_done(rules_.ranks());
        reach(nothing_done, 0, -1);
    }

    void reach(State state, int time, int parent) {
        const int number = known_.number(state);
        int &known_time = known_.time[static_cast<std::size_t>(number)];
        if (time >= known_time)
            return;
        known_time = time;
        known_.parent[static_cast<std::size_t>(number)] = parent;
        // The bound of the parent holds as well.
        const int total = std::max(bound_, time + rules_.time_left(state));
        if (total < best_.makespan)
            open_[total].push_back({number, time});
    }

    void expand(const Open &open) {
        const State in_store = known_.state(open.state);
        const std::vector<RankState> state(in_store.begin(), in_store.end()); // the store moves as it grows
        if (rules_.done(state)) {
            best_.makespan = open.time;
            best_.schedule.actions = actions_to(open.state);
            best_.proven = true; // all that is left has a bound of at least this
            return;
        }
        rules_.for_each_next(state, [&](State next, int time) { reach(next, open.time + time, open.state); });
    }

    [[nodiscard]] std::vector<std::vector<Action>> actions_to(int last) const {
        std::vector<std::vector<Action>> actions(rules_.ranks());
        constexpr std::array kinds{Kind::forward, Kind::input_gradient, Kind::weight_gradient};
        for (int now = last; known_.parent[static_cast<std::size_t>(now)] >= 0;) {
            const int before = known_.parent[static_cast<std::size_t>(now)];
            for (std::size_t rank = 0; rank < rules_.ranks(); ++rank)
                for (std::size_t kind = 0; kind < kinds.size(); ++kind)
                    if (const int index = known_.state(before)[rank].started[kind];
                        index < known_.state(now)[rank].started[kind])
                        actions[rank].push_back({kinds[kind], static_cast<int>(rank), index});
            now = before;
        }
        for (std::vector<Action> &each : actions)
            std::reverse(each.begin(), each.end());
        return actions;
    }

    const SearchRequest &request_;
    Rules rules_;
    KnownStates known_;
    std::map<int, std::vector<Open>> open_; ///< by the bound on the makespan; all are below the incumbent's
    int bound_ = 0;                         ///< of the state that is expanded: the least
    Best best_;
};

} // namespace

Best best_schedule(const SearchRequest &request) {
    check(request);
    return Search(request).run();
}

} // namespace planc::pipeline

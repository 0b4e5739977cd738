// The best schedules under a limit on activations: known optima, and an exhaustive search without any reduction.
#include "pipeline/search.h"

#include "pipeline/check.h"
#include "pipeline/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>

namespace planc::pipeline {

namespace {

Durations durations(const SearchRequest &request) {
    Durations durations;
    for (int stage = 0; stage < request.ranks; ++stage) {
        const StageTimes times = request.times.empty() ? StageTimes{} : request.times[static_cast<std::size_t>(stage)];
        durations.forward.push_back(times.forward);
        durations.input.push_back(times.input);
        durations.weight.push_back(times.weight);
    }
    return durations;
}

/// Searches, and expects that the schedule is what the answer says of it.
Best searched(const SearchRequest &request) {
    Best best = best_schedule(request);
    EXPECT_EQ(fault(best.schedule), "");
    const Measure found = measure(best.schedule, durations(request));
    EXPECT_EQ(found.makespan, static_cast<double>(best.makespan));
    EXPECT_LE(*std::max_element(found.alive.begin(), found.alive.end()), request.alive);
    EXPECT_EQ(best.proven, best.bound == best.makespan);
    EXPECT_LE(best.bound, best.makespan);
    return best;
}

std::int64_t proven(const SearchRequest &request) {
    const Best best = searched(request);
    EXPECT_TRUE(best.proven);
    return best.makespan;
}

/// One unit of time after another, with every choice of every rank, also to wait, and micro-batches in any order.
class Exhaustive {
  public:
    explicit Exhaustive(const SearchRequest &request)
        : ranks_(static_cast<std::size_t>(request.ranks)), count_(static_cast<std::size_t>(request.micro_batches)),
          alive_(request.alive), times_(durations(request)) {}

    int makespan() {
        std::set<State> now{State(ranks_ * count_)};
        for (int time = 0;; ++time) {
            next_.clear();
            for (const State &state : now) {
                if (std::all_of(state.begin(), state.end(), [](const Cell &cell) { return cell.ended() == 3; }))
                    return time;
                chosen_ = state;
                choose(state, 0);
            }
            now = next_;
        }
    }

  private:
    /// A micro-batch on a rank.
    struct Cell {
        int begun = 0; ///< actions: F, I, W
        int left = 0;  ///< time that the last of them still takes
        [[nodiscard]] int ended() const { return begun - (left > 0 ? 1 : 0); }
        auto operator<=>(const Cell &) const = default;
    };
    using State = std::vector<Cell>; ///< by rank and micro-batch

    [[nodiscard]] bool can(const State &state, std::size_t rank, std::size_t m) const {
        const auto row = state.begin() + static_cast<std::ptrdiff_t>(rank * count_);
        const auto end = row + static_cast<std::ptrdiff_t>(count_);
        if (std::any_of(row, end, [](const Cell &cell) { return cell.left > 0; }))
            return false;
        switch (state[rank * count_ + m].begun) {
        case 0:
            return std::count_if(row, end, [](const Cell &c) { return c.begun > 0 && c.ended() < 3; }) < alive_ &&
                   (rank == 0 || state[(rank - 1) * count_ + m].ended() >= 1);
        case 1:
            return rank + 1 == ranks_ || state[(rank + 1) * count_ + m].ended() >= 2;
        default:
            return state[rank * count_ + m].begun == 2;
        }
    }

    void choose(const State &state, std::size_t rank) {
        if (rank == ranks_) {
            State later = chosen_;
            for (Cell &cell : later)
                cell.left = std::max(0, cell.left - 1);
            next_.insert(std::move(later));
            return;
        }
        choose(state, rank + 1);
        for (std::size_t m = 0; m < count_; ++m) {
            if (!can(state, rank, m))
                continue;
            Cell &cell = chosen_[rank * count_ + m];
            const std::vector<double> &times = cell.begun == 0   ? times_.forward
                                               : cell.begun == 1 ? times_.input
                                                                 : times_.weight;
            cell.left = static_cast<int>(times[rank]);
            ++cell.begun;
            choose(state, rank + 1);
            cell = state[rank * count_ + m];
        }
    }

    std::size_t ranks_;
    std::size_t count_;
    int alive_;
    Durations times_;
    State chosen_;
    std::set<State> next_;
};

} // namespace

TEST(Search, finds_the_known_optima) {
    for (const int n : {2, 4, 6}) {
        EXPECT_EQ(proven({2, n, 1}), 5 * n);
        EXPECT_EQ(proven({2, n, 2}), 3 * n + 1);
    }
    const std::vector<std::vector<int>> three{{21, 28, 35}, {14, 17, 21}, {11, 14, 17}}; // by alive, then N = 3, 4, 5
    for (int alive = 1; alive <= 3; ++alive)
        for (int n = 3; n <= 5; ++n)
            EXPECT_EQ(proven({3, n, alive}),
                      three[static_cast<std::size_t>(alive - 1)][static_cast<std::size_t>(n - 3)]);
    // With one alive at a time, each comes back to rank 0 before the next begins.
    for (int d = 1; d <= 6; ++d)
        EXPECT_EQ(proven({d, 5, 1}), 5 * (2 * d + 1));
}

/// A linear pipeline takes at least 3N + D - 1, which ZB-H1 attains with D alive.
TEST(Search, needs_as_many_alive_as_ranks) {
    for (int d = 1; d <= 8; ++d) {
        for (int n = d; n <= 3 * d; n += d) {
            EXPECT_EQ(proven({d, n, d}), 3 * n + d - 1);
            EXPECT_EQ(proven({d, n, n}), 3 * n + d - 1);
        }
    }
    EXPECT_EQ(proven({4, 8, 3}), 31);
    EXPECT_EQ(proven({4, 8, 2}), 41);
    EXPECT_EQ(proven({5, 10, 4}), 37);
    EXPECT_EQ(proven({6, 12, 5}), 44);
}

TEST(Search, agrees_with_trying_everything) {
    for (const auto &[d, n] : std::vector<std::pair<int, int>>{{1, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}})
        for (int alive = 1; alive <= n; ++alive)
            EXPECT_EQ(proven({d, n, alive}), Exhaustive({d, n, alive}).makespan()) << d << " " << n << " " << alive;
    std::mt19937 random(4); // NOLINT: the same requests in each run
    const auto time = [&] { return 1 + static_cast<int>(random() % 3); };
    for (int i = 0; i < 60; ++i) {
        SearchRequest request{i % 5 == 0 ? 3 : 2, i % 5 == 0 ? 2 : 2 + i % 2, 1 + i % 3};
        for (int stage = 0; stage < request.ranks; ++stage)
            request.times.push_back({time(), time(), time()});
        EXPECT_EQ(proven(request), Exhaustive(request).makespan()) << i;
    }
}

TEST(Search, lets_a_rank_wait_where_that_is_best) {
    // A rank that always ran what it can would take longer.
    const SearchRequest first{3, 2, 2, {{6, 5, 2}, {1, 3, 4}, {1, 1, 2}}};
    EXPECT_EQ(proven(first), 26);
    EXPECT_EQ(Exhaustive(first).makespan(), 26);
    const SearchRequest second{3, 2, 3, {{2, 4, 3}, {5, 2, 2}, {1, 1, 4}}};
    EXPECT_EQ(proven(second), 27);
    EXPECT_EQ(Exhaustive(second).makespan(), 27);
}

TEST(Search, is_the_same_each_time) {
    const SearchRequest request{4, 8, 3, {{2, 2, 1}, {2, 3, 1}, {3, 2, 1}, {2, 2, 2}}};
    const Best first = searched(request);
    const Best second = searched(request);
    EXPECT_EQ(first.schedule, second.schedule);
    EXPECT_EQ(first.states, second.states);
    EXPECT_TRUE(first.proven);
}

TEST(Search, that_gives_up_has_a_schedule_and_a_bound) {
    SearchRequest request{8, 24, 6};
    request.most_states = 100;
    const Best best = searched(request);
    EXPECT_FALSE(best.proven);
    EXPECT_GE(best.bound, 3 * 24 + 7);
    EXPECT_LE(best.states, 110);
    request.most_states = 1'000'000;
    const Best longer = searched(request);
    EXPECT_TRUE(longer.proven);
    EXPECT_LE(best.bound, longer.bound);
    EXPECT_LE(longer.makespan, best.makespan);
    // One state of many ranks has more successors than may be visited.
    request = {64, 100, 20};
    request.most_states = 2000;
    EXPECT_LE(searched(request).states, 2000);
    EXPECT_FALSE(searched(request).proven);
}

TEST(Search, refuses_what_is_out_of_range) {
    EXPECT_THROW(static_cast<void>(best_schedule({0, 1, 1})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(best_schedule({65, 1, 1})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(best_schedule({1, 1, 0})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(best_schedule({2, 1, 1, {{1, 1, 1}}})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(best_schedule({1, 1, 1, {{1, 0, 1}}})), std::invalid_argument);
}

} // namespace planc::pipeline

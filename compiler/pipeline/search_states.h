// States of the search: what is done and what runs when ranks choose.
#pragma once

#include "pipeline/search.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace planc::pipeline {

/// One rank in a state. Kinds are counted in the order F, I, W.
struct RankState {
    std::array<std::uint16_t, 3> started{}; ///< actions, by kind
    std::uint8_t running = 0;               ///< 0: none, else kind + 1
    std::uint8_t unused = 0;                ///< so that a state is plain bytes without gaps
    std::uint16_t left = 0;                 ///< time until it is done

    /// Actions of a kind that have ended.
    [[nodiscard]] int ended(std::size_t kind) const { return started[kind] - (running == kind + 1 ? 1 : 0); }
    friend bool operator==(const RankState &, const RankState &) = default;
};

/// One RankState for each rank.
using State = std::span<const RankState>;

/// The rules of one request.
class Rules {
  public:
    explicit Rules(const SearchRequest &request);

    [[nodiscard]] std::size_t ranks() const { return times_.size(); }
    [[nodiscard]] bool done(State state) const;

    /// The time of all actions that are left, of all ranks together.
    [[nodiscard]] std::int64_t work_left(State state) const;

    /// A lower bound on the time until all is done.
    [[nodiscard]] int time_left(State state);

    /// Calls `visit(State next, int time)` for each choice of the free ranks: the state when the first action ends, and
    /// the time until then. Returns false, at once, if `visit` does.
    template <class Visit> bool for_each_next(State state, Visit visit) {
        chosen_.assign(state.begin(), state.end());
        return choose(state, 0, visit);
    }

  private:
    /// Whether a rank can run its next action of a kind now.
    [[nodiscard]] bool can(State state, std::size_t rank, std::size_t kind) const;

    /// Tries all choices of the ranks from `rank` on.
    template <class Visit> bool choose(State state, std::size_t rank, Visit &visit) {
        if (rank == state.size()) {
            const int time = advance();
            return time == 0 || visit(State(next_), time);
        }
        bool any = false;
        for (std::size_t kind = 0; kind < 3 && state[rank].running == 0; ++kind) {
            if (!can(state, rank, kind))
                continue;
            any = true;
            ++chosen_[rank].started[kind];
            chosen_[rank].running = static_cast<std::uint8_t>(kind + 1);
            chosen_[rank].left = static_cast<std::uint16_t>(times_[rank][kind]);
            const bool go_on = choose(state, rank + 1, visit);
            chosen_[rank] = state[rank];
            if (!go_on)
                return false;
        }
        return (any && !may_wait_) || choose(state, rank + 1, visit);
    }

    /// Sets `next_` to `chosen_` at the time when the first action ends; returns that time, 0 if nothing runs.
    int advance();

    std::vector<std::array<int, 3>> times_; ///< by stage and kind
    int micro_batches_;
    int alive_;
    bool may_wait_; ///< not all times are equal
    std::vector<RankState> chosen_;
    std::vector<RankState> next_;
    std::vector<std::array<int, 3>> ends_; ///< of time_left(), by rank and kind
    std::vector<int> w_ends_;              ///< of time_left(), by micro-batch modulo alive_, and rank
};

} // namespace planc::pipeline

// The states that a search has reached, and how.
#pragma once

#include "pipeline/search_states.h"

#include <optional>
#include <vector>

namespace planc::pipeline {

/// States, each once, numbered in the order in which they were reached first.
class KnownStates {
  public:
    explicit KnownStates(std::size_t ranks) : ranks_(ranks), table_(1024, -1) {}

    /// Notes that a state can be reached at a time, from another state or from none (-1). Empty if it could be reached
    /// as early before.
    std::optional<int> reach(State state, int time, int from);

    /// Valid until another state is reached.
    [[nodiscard]] State state(int number) const {
        return State(rows_).subspan(static_cast<std::size_t>(number) * ranks_, ranks_);
    }
    /// The earliest known.
    [[nodiscard]] int time(int number) const { return ways_[static_cast<std::size_t>(number)].time; }

    /// The actions of each rank on the way to a state.
    [[nodiscard]] std::vector<std::vector<Action>> actions_to(int number) const;

  private:
    struct Way {
        int time = 0;
        int from = -1; ///< the state before; -1: none
    };

    /// The place of a state in the table: its own, or a free one.
    int &place(State state);
    void grow();

    std::size_t ranks_;
    std::vector<RankState> rows_; ///< `ranks_` for each state
    std::vector<Way> ways_;       ///< by state
    std::vector<int> table_;      ///< of the numbers of states, by hash; -1: free
};

} // namespace planc::pipeline

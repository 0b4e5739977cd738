#include "pipeline/build.h"
#include "pipeline/makers.h"

#include <algorithm>
#include <array>

namespace planc::pipeline {

namespace {

/// An action of a rank's way down (stage s) or up (stage 2D - 1 - s) on the next micro-batch that has not had it.
struct Move {
    bool up;
    Kind kind;
};

constexpr Move f_down{false, Kind::forward}, i_down{false, Kind::input_gradient}, w_down{false, Kind::weight_gradient};
constexpr Move f_up{true, Kind::forward}, i_up{true, Kind::input_gradient}, w_up{true, Kind::weight_gradient};

/// The actions of one rank, as patterns of moves that are repeated.
class Rank {
  public:
    Rank(int down, int up, int micro_batches) : stages_{down, up}, micro_batches_(micro_batches) {}

    /// Moves that have no micro-batch left are skipped.
    void repeat(int times, std::initializer_list<Move> moves) {
        for (; times > 0; --times)
            for (const Move &move : moves)
                if (int &next = next_[move.up ? 1 : 0][static_cast<std::size_t>(move.kind)]; next < micro_batches_)
                    actions.push_back({move.kind, stages_[move.up ? 1 : 0], next++});
    }

    std::vector<Action> actions;

  private:
    std::array<int, 2> stages_; ///< down, up
    int micro_batches_;
    std::array<std::array<int, 4>, 2> next_{}; ///< micro-batch, by way and kind
};

} // namespace

Schedule zb_v(int ranks, int micro_batches) {
    Schedule schedule = empty_schedule("ZB-V", ranks, std::max(micro_batches, 2 * ranks - 1), 2);
    const int count = schedule.micro_batches;
    for (int s = 0; s < ranks; ++s) {
        const int up = 2 * ranks - 1 - s;
        schedule.placement.front()[static_cast<std::size_t>(up)] = s;
        Rank rank(s, up, count);
        // Filling: forwards until micro-batch 0 has turned and comes back up, then up and down in turns.
        rank.repeat(2 * (ranks - s) - 1, {f_down});
        rank.repeat(s, {f_up, f_down});
        rank.repeat(ranks - s, {f_up, i_up, w_up});
        // Full: nothing is put off, and as much is freed as is filled, until no forward is left.
        rank.repeat(count - ranks, {f_down, i_down, w_down, f_up, i_up, w_up});
        // Emptying: the I that other ranks wait for come first; W fills the end.
        rank.repeat(s, {i_down, i_up});
        rank.repeat(ranks - s, {i_down, w_down});
        rank.repeat(count, {w_up});
        rank.repeat(count, {w_down});
        schedule.actions[static_cast<std::size_t>(s)] = std::move(rank.actions);
    }
    keep_first(schedule, micro_batches);
    return schedule;
}

} // namespace planc::pipeline

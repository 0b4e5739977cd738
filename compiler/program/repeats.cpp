#include "program/repeats.h"

#include <algorithm>
#include <cstddef>

namespace planc::program {

namespace {

constexpr std::size_t most_comparisons = std::size_t{1} << 22;
constexpr std::size_t lines_of_repeat = 3; // its row, a comment before, one behind

/// How much further a later action is, if it is the same one for another micro-batch.
struct Distance {
    bool alike = false;
    int micro_batches = 0;
    int slots = 0;
    friend bool operator==(const Distance &, const Distance &) = default;
};

Distance distance(const Action &from, const Action &to, int slots) {
    return {from.kind == to.kind && from.index == to.index, to.micro_batch - from.micro_batch,
            (to.slot - from.slot + slots) % slots};
}

/// From one action on: as many actions as `length` are like those a period later, all at the same distance.
struct Run {
    Distance distance;
    std::size_t length = 0;
};

/// The best way to write the actions from one on.
struct Choice {
    std::size_t lines = 0;
    std::size_t period = 0; ///< 0: the action stands alone
    std::size_t times = 1;
    Distance distance = {};
};

std::vector<Choice> choices(const std::vector<Action> &actions, int slots) {
    const std::size_t count = actions.size();
    const std::size_t longest = std::min(count / 2, most_comparisons / std::max<std::size_t>(count, 1));
    std::vector<Choice> best(count + 1);
    std::vector<Run> runs(longest + 1); // by period
    for (std::size_t i = count; i-- > 0;) {
        best[i].lines = best[i + 1].lines + 1;
        for (std::size_t period = 1; period <= longest && i + period < count; ++period) {
            const Distance now = distance(actions[i], actions[i + period], slots);
            Run &run = runs[period];
            run = {now, !now.alike ? 0 : now == run.distance ? run.length + 1 : 1};
            const std::size_t times = 1 + run.length / period;
            const std::size_t lines = period + lines_of_repeat + best[i + times * period].lines;
            if (times > 1 && lines < best[i].lines)
                best[i] = {lines, period, times, now};
        }
    }
    return best;
}

} // namespace

Folded folded(const std::vector<Action> &actions, int slots) {
    const std::vector<Choice> best = choices(actions, slots);
    Folded result;
    for (std::size_t i = 0; i < actions.size();) {
        const Choice &choice = best[i];
        const std::size_t own = std::max<std::size_t>(choice.period, 1);
        if (choice.period > 0)
            result.repeats.push_back({static_cast<int>(result.actions.size()), static_cast<int>(own),
                                      static_cast<int>(choice.times), choice.distance.micro_batches,
                                      choice.distance.slots});
        result.actions.insert(result.actions.end(), actions.begin() + static_cast<std::ptrdiff_t>(i),
                              actions.begin() + static_cast<std::ptrdiff_t>(i + own));
        i += own * choice.times;
    }
    return result;
}

} // namespace planc::program

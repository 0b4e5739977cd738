// What repeats in a list of actions stands once, so that the text of a program does not grow with the micro-batches.
#pragma once

#include "program/program.h"

#include <vector>

namespace planc::program {

/// Actions that run several times, one time after another. Each time, the micro-batch of every one is so much greater,
/// and its slot so much further on, modulo the number of slots.
struct Repeat {
    int first = 0;   ///< index of the first action in the folded list
    int actions = 0; ///< how many follow one another
    int times = 1;
    int micro_batches = 0;
    int slots = 0;
    friend bool operator==(const Repeat &, const Repeat &) = default;
};

/// A list of actions: those of the first time of each repeat, and all others.
struct Folded {
    std::vector<Action> actions;
    std::vector<Repeat> repeats; ///< in their order; none overlap
};

/// The list with the fewest lines; a repeat counts as three. Periods are bounded where a list is long, so that this
/// takes no time: of 5,000 actions those of up to 800 are found.
[[nodiscard]] Folded folded(const std::vector<Action> &actions, int slots);

} // namespace planc::program

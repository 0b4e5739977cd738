#include "pipeline/known_states.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

namespace planc::pipeline {

std::optional<int> KnownStates::reach(State state, int time, int from) {
    if (2 * ways_.size() >= table_.size())
        grow();
    int &number = place(state);
    if (number < 0) {
        number = static_cast<int>(ways_.size());
        rows_.insert(rows_.end(), state.begin(), state.end());
        ways_.push_back({time, from});
        return number;
    }
    Way &known = ways_[static_cast<std::size_t>(number)];
    if (time >= known.time)
        return {};
    known = {time, from};
    return number;
}

std::vector<std::vector<Action>> KnownStates::actions_to(int number) const {
    constexpr std::array kinds{Kind::forward, Kind::input_gradient, Kind::weight_gradient};
    std::vector<std::vector<Action>> actions(ranks_);
    for (int from = 0; (from = ways_[static_cast<std::size_t>(number)].from) >= 0; number = from)
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            for (std::size_t kind = 0; kind < kinds.size(); ++kind)
                if (const int index = state(from)[rank].started[kind]; index < state(number)[rank].started[kind])
                    actions[rank].push_back({kinds[kind], static_cast<int>(rank), index});
    for (std::vector<Action> &each : actions)
        std::reverse(each.begin(), each.end());
    return actions;
}

int &KnownStates::place(State state) {
    const std::string_view bytes(reinterpret_cast<const char *>(state.data()), state.size_bytes());
    const std::size_t mask = table_.size() - 1; // the size is a power of 2
    for (std::size_t at = std::hash<std::string_view>()(bytes) & mask;; at = (at + 1) & mask)
        if (table_[at] < 0 || std::ranges::equal(this->state(table_[at]), state))
            return table_[at];
}

void KnownStates::grow() {
    table_.assign(2 * table_.size(), -1);
    for (int number = 0; number < static_cast<int>(ways_.size()); ++number)
        place(state(number)) = number;
}

} // namespace planc::pipeline

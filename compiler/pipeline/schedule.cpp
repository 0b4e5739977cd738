#include "pipeline/schedule.h"

#include <string_view>

namespace planc::pipeline {

namespace {

constexpr std::string_view letters = "FBIW"; // in the order of Kind

} // namespace

char letter(Kind kind) {
    return letters[static_cast<std::size_t>(kind)];
}

bool kind_of(char letter, Kind &kind) {
    const std::size_t index = letters.find(letter);
    if (index == std::string_view::npos)
        return false;
    kind = static_cast<Kind>(index);
    return true;
}

std::string text(const Action &action) {
    return std::string(1, letter(action.kind)) + " of stage " + std::to_string(action.stage) + ", micro-batch " +
           std::to_string(action.micro_batch);
}

int Schedule::last_of(int replica) const {
    int last = micro_batches - 1;
    while (last > 0 && replica_of[static_cast<std::size_t>(last)] != replica)
        --last;
    return last;
}

bool Schedule::in_order() const {
    for (int m = 0; m < micro_batches; ++m)
        if (replica_of[static_cast<std::size_t>(m)] != m % static_cast<int>(placement.size()))
            return false;
    std::vector<int> last(static_cast<std::size_t>(parts()), -1);
    for (const std::vector<Action> &of_rank : actions)
        for (const Action &action : of_rank) {
            if (!frees(action.kind))
                continue;
            int &before = last[static_cast<std::size_t>(part_of(action.stage, action.micro_batch))];
            if (action.micro_batch < before)
                return false;
            before = action.micro_batch;
        }
    return true;
}

} // namespace planc::pipeline

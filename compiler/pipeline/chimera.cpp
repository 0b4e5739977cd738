#include "pipeline/build.h"
#include "pipeline/makers.h"

#include <algorithm>
#include <stdexcept>

namespace planc::pipeline {

Schedule chimera(int ranks, int micro_batches) {
    Schedule schedule = empty_schedule("Chimera", ranks, micro_batches);
    if (ranks % 2 != 0)
        throw std::invalid_argument("Chimera needs an even number of ranks, not " + std::to_string(ranks));
    // A single micro-batch goes in one direction: there is nothing for a second replica.
    if (micro_batches > 1) {
        const std::vector<int> &down = schedule.placement.front();
        schedule.placement.emplace_back(down.rbegin(), down.rend());
    }
    for (int m = 0; m < micro_batches; ++m)
        schedule.replica_of[static_cast<std::size_t>(m)] = m % 2;
    // A limit for each direction, not for the rank: otherwise each direction can fill the other's last rank.
    order_greedily(schedule, {.split = false, .alive = ranks / 2});
    return schedule;
}

} // namespace planc::pipeline

#include "pipeline/build.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace planc::pipeline {

Schedule empty_schedule(std::string name, int ranks, int micro_batches, int chunks) {
    if (ranks < 1 || micro_batches < 1 || chunks < 1)
        throw std::invalid_argument("a pipeline schedule has at least one rank, one micro-batch and one stage a rank");
    if (static_cast<double>(ranks) * chunks * micro_batches > 0x1p28)
        throw std::invalid_argument("a pipeline schedule has at most 2^28 stages times micro-batches");
    Schedule schedule;
    schedule.name = std::move(name);
    schedule.ranks = ranks;
    schedule.stages = ranks * chunks;
    schedule.micro_batches = micro_batches;
    schedule.placement.emplace_back();
    for (int stage = 0; stage < schedule.stages; ++stage)
        schedule.placement.front().push_back(stage % ranks);
    schedule.replica_of.assign(static_cast<std::size_t>(micro_batches), 0);
    schedule.actions.resize(static_cast<std::size_t>(ranks));
    return schedule;
}

void keep_first(Schedule &schedule, int micro_batches) {
    for (std::vector<Action> &actions : schedule.actions)
        std::erase_if(actions, [&](const Action &action) { return action.micro_batch >= micro_batches; });
    schedule.replica_of.resize(static_cast<std::size_t>(micro_batches));
    schedule.micro_batches = micro_batches;
}

} // namespace planc::pipeline

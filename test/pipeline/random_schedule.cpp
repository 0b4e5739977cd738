#include "pipeline/random_schedule.h"

#include <algorithm>
#include <utility>

namespace planc::pipeline {

namespace {

int up_to(std::mt19937 &random, int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
}

/// How far a stage and a micro-batch are.
struct Progress {
    bool split = false;
    int done = 0; ///< actions: F, then B or I, then W
    [[nodiscard]] bool complete() const { return done == (split ? 3 : 2); }
    [[nodiscard]] Kind next() const {
        return done == 0   ? Kind::forward
               : done == 2 ? Kind::weight_gradient
               : split     ? Kind::input_gradient
                           : Kind::backward;
    }
};

/// Stages on random ranks, in one or two replicas.
Schedule placed(std::mt19937 &random, const RandomSizes &sizes) {
    Schedule schedule;
    schedule.name = "random";
    schedule.ranks = up_to(random, sizes.ranks);
    schedule.stages = schedule.ranks * up_to(random, sizes.chunks);
    schedule.micro_batches = up_to(random, sizes.micro_batches);
    schedule.actions.resize(static_cast<std::size_t>(schedule.ranks));
    std::vector<int> ranks;
    for (int stage = 0; stage < schedule.stages; ++stage)
        ranks.push_back(stage % schedule.ranks);
    std::shuffle(ranks.begin(), ranks.end(), random);
    schedule.placement = {ranks};
    schedule.replica_of.assign(static_cast<std::size_t>(schedule.micro_batches), 0);
    std::shuffle(ranks.begin(), ranks.end(), random);
    if (schedule.micro_batches > 1 && random() % 3 == 0 && ranks != schedule.placement.front()) {
        schedule.placement.push_back(ranks);
        for (std::size_t m = 1; m < schedule.replica_of.size(); ++m)
            schedule.replica_of[m] = static_cast<int>(random() % 2);
        schedule.replica_of.back() = 1;
    }
    return schedule;
}

/// Of one micro-batch: whether the next action of a stage can run.
bool can_run(const std::vector<Progress> &stages, std::size_t stage) {
    switch (stages[stage].done) {
    case 0:
        return stage == 0 || stages[stage - 1].done > 0;
    case 1:
        return stage + 1 == stages.size() || stages[stage + 1].done > 1;
    default:
        return !stages[stage].complete();
    }
}

} // namespace

Schedule random_schedule(std::mt19937 &random, const RandomSizes &sizes) {
    Schedule schedule = placed(random, sizes);
    std::vector<std::vector<Progress>> progress(static_cast<std::size_t>(schedule.micro_batches));
    for (std::vector<Progress> &stages : progress) {
        stages.resize(static_cast<std::size_t>(schedule.stages));
        for (Progress &stage : stages)
            stage.split = random() % 2 == 0;
    }
    while (true) {
        std::vector<Action> ready;
        for (std::size_t m = 0; m < progress.size(); ++m)
            for (std::size_t stage = 0; stage < progress[m].size(); ++stage)
                if (can_run(progress[m], stage))
                    ready.push_back({progress[m][stage].next(), static_cast<int>(stage), static_cast<int>(m)});
        if (ready.empty())
            return schedule;
        const Action action = ready[random() % ready.size()];
        ++progress[static_cast<std::size_t>(action.micro_batch)][static_cast<std::size_t>(action.stage)].done;
        schedule.actions[static_cast<std::size_t>(schedule.rank_of(action.stage, action.micro_batch))].push_back(
            action);
    }
}

} // namespace planc::pipeline

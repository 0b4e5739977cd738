#include "pipeline/weights.h"

#include <algorithm>
#include <map>

namespace planc::pipeline {

namespace {

/// The micro-batches of one update.
int per_update(const Updates &updates, int micro_batches) {
    switch (updates.weights) {
    case Weights::synchronous:
        return micro_batches;
    case Weights::stashed:
        return 1;
    case Weights::two_versions:
        break;
    }
    return updates.accumulated;
}

int per_update(const Schedule &schedule) {
    return per_update(updates_of(schedule), schedule.micro_batches);
}

/// The versions of a stage that are in use, each with the number of its micro-batches.
struct InUse {
    std::map<int, int> users;
    int backward = 0; ///< micro-batches that have gone backward
};

} // namespace

int weight_version(const Schedule &schedule, int stage, int micro_batch) {
    switch (schedule.weights) {
    case Weights::synchronous:
        return 0;
    case Weights::stashed:
        return std::max(0, micro_batch - (schedule.stages - 1 - stage));
    case Weights::two_versions:
        break;
    }
    return std::max(0, micro_batch / schedule.accumulated - 1);
}

int micro_batches_before(const Schedule &schedule, int version) {
    return version * per_update(schedule);
}

int updates_of_step(const Updates &updates, int micro_batches) {
    const int each = per_update(updates, micro_batches);
    return (micro_batches + each - 1) / each;
}

std::vector<bool> stages_that_stash(const Schedule &schedule) {
    std::vector<bool> stash(static_cast<std::size_t>(schedule.stages), false);
    if (schedule.weights != Weights::stashed)
        return stash;
    for (const std::vector<Action> &actions : schedule.actions) {
        std::map<int, std::map<int, int>> alive; // by stage and micro-batch: the updates that it has seen
        for (const Action &action : actions) {
            std::map<int, int> &on_stage = alive[action.stage];
            if (action.kind == Kind::forward) {
                on_stage[action.micro_batch] = 0;
            } else if (frees(action.kind)) {
                if (on_stage[action.micro_batch] > 0)
                    stash[static_cast<std::size_t>(action.stage)] = true;
                on_stage.erase(action.micro_batch);
                for (auto &[micro_batch, seen] : on_stage)
                    ++seen;
            }
        }
    }
    return stash;
}

std::vector<int> kept_versions(const Schedule &schedule) {
    std::vector<int> most;
    for (const std::vector<Action> &actions : schedule.actions) {
        std::map<int, InUse> stages;
        int kept = 1;
        for (const Action &action : actions) {
            InUse &stage = stages[action.stage];
            const int version = weight_version(schedule, action.stage, action.micro_batch);
            if (action.kind == Kind::forward) {
                ++stage.users[version];
            } else if (frees(action.kind)) {
                if (--stage.users[version] == 0)
                    stage.users.erase(version);
                ++stage.backward;
            }
            // With synchronous weights the update follows the step: nobody keeps the old ones.
            const int newest = schedule.weights == Weights::synchronous ? 0 : stage.backward / per_update(schedule);
            const auto users = static_cast<int>(stage.users.size());
            kept = std::max(kept, users + (stage.users.contains(newest) ? 0 : 1));
        }
        most.push_back(kept);
    }
    return most;
}

} // namespace planc::pipeline

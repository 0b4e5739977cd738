#include "pipeline/build.h"
#include "pipeline/makers.h"

#include <algorithm>

namespace planc::pipeline {

Schedule interleaved(int ranks, int chunks, int micro_batches) {
    Schedule schedule = empty_schedule("interleaved 1F1B", ranks, micro_batches, chunks);
    // Of one micro-batch for each rank. A last round with fewer would let ranks wait for each other.
    const int rounds = (micro_batches + ranks - 1) / ranks;
    // One kind of action of a rank is ordered by round, then chunk (backward: the last first), then micro-batch.
    const auto action = [&](Kind kind, int rank, int number) {
        const int turn = number / ranks;
        const int chunk = kind == Kind::forward ? turn % chunks : chunks - 1 - turn % chunks;
        return Action{kind, chunk * ranks + rank, turn / chunks * ranks + number % ranks};
    };
    const int count = rounds * ranks * chunks;
    schedule.micro_batches = rounds * ranks;
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<Action> &actions = schedule.actions[static_cast<std::size_t>(rank)];
        // The forwards before the first backward. With one chunk these are 1F1B's D - s; with more, rank s needs two
        // for each rank after it, since the backward pass of the last chunk comes back past all of them.
        const int ahead =
            std::min(count, chunks == 1 ? ranks - rank : 2 * (ranks - 1 - rank) + (chunks - 1) * ranks + 1);
        for (int i = 0; i < ahead; ++i)
            actions.push_back(action(Kind::forward, rank, i));
        for (int i = 0; i < count; ++i) {
            actions.push_back(action(Kind::backward, rank, i));
            if (i + ahead < count)
                actions.push_back(action(Kind::forward, rank, i + ahead));
        }
    }
    schedule.replica_of.assign(static_cast<std::size_t>(schedule.micro_batches), 0);
    keep_first(schedule, micro_batches);
    return schedule;
}

} // namespace planc::pipeline

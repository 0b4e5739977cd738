// Slots of pipelines: no published schedule takes more of them than it has micro-batches alive.
#include "program/slots.h"

#include "pipeline/makers.h"
#include "pipeline/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace planc::program {

namespace {

/// The most micro-batches of one replica between their first and last action on a rank.
int most_alive(const pipeline::Schedule &schedule, std::size_t rank, int replica) {
    const std::vector<pipeline::Action> &actions = schedule.actions[rank];
    std::size_t most = 1;
    std::set<int> alive;
    for (auto action = actions.begin(); action != actions.end(); ++action) {
        if (schedule.replica_of[static_cast<std::size_t>(action->micro_batch)] != replica)
            continue;
        alive.insert(action->micro_batch);
        most = std::max(most, alive.size());
        if (std::none_of(action + 1, actions.end(),
                         [&](const pipeline::Action &later) { return later.micro_batch == action->micro_batch; }))
            alive.erase(action->micro_batch);
    }
    return static_cast<int>(most);
}

} // namespace

TEST(Slots, are_as_many_as_micro_batches_alive) {
    for (int ranks = 1; ranks <= 8; ++ranks)
        for (int micro_batches = 1; micro_batches <= 20; ++micro_batches)
            for (const pipeline::Schedule &schedule :
                 {pipeline::gpipe(ranks, micro_batches), pipeline::one_f_one_b(ranks, micro_batches),
                  pipeline::interleaved(ranks, 2, micro_batches), pipeline::interleaved(ranks, 3, micro_batches),
                  pipeline::zero_bubble(ranks, micro_batches), pipeline::zero_bubble_2(ranks, micro_batches),
                  pipeline::zb_v(ranks, micro_batches), pipeline::chimera(2 * ranks, micro_batches)}) {
                const auto slots = slots_of(schedule);
                for (std::size_t rank = 0; rank < slots.size(); ++rank) {
                    int most = 1;
                    for (int replica = 0; replica < static_cast<int>(schedule.placement.size()); ++replica)
                        most = std::max(most, most_alive(schedule, rank, replica));
                    ASSERT_EQ(slot_count(slots[rank]), most) << pipeline::text(schedule);
                }
            }
}

TEST(Slots, replicas_end_in_slot_0) {
    for (int micro_batches = 2; micro_batches <= 20; ++micro_batches) {
        const pipeline::Schedule schedule = pipeline::chimera(4, micro_batches);
        for (const std::vector<int> &slots : slots_of(schedule))
            for (const int replica : {0, 1})
                EXPECT_EQ(slots[static_cast<std::size_t>(schedule.last_of(replica))], 0) << micro_batches;
    }
}

// B1.0 on rank 0 ends micro-batch 0 there. Rank 1 wants its gradient only after F2.1, for which rank 0 must begin
// micro-batch 1: in another slot. Where rank 1 wants it earlier, rank 0 can wait for that.
TEST(Slots, are_more_where_ranks_would_wait_for_each_other) {
    const pipeline::Schedule late = pipeline::read_text("0: F0.1 F0.3 B0.3 B0.1 F1.1 F1.3 B1.3 B1.1\n"
                                                        "1: F0.0 F0.2 B0.2 F1.0 F1.2 B0.0 B1.2 B1.0\n");
    EXPECT_EQ(slots_of(late), (std::vector<std::vector<int>>{{0, 1}, {0, 1}}));
    const pipeline::Schedule early = pipeline::read_text("0: F0.1 F0.3 B0.3 B0.1 F1.1 F1.3 B1.3 B1.1\n"
                                                         "1: F0.0 F0.2 B0.2 F1.0 B0.0 F1.2 B1.2 B1.0\n");
    EXPECT_EQ(slots_of(early), (std::vector<std::vector<int>>{{0, 0}, {0, 1}}));
}

} // namespace planc::program

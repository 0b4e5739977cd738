// Programs of 1,024 ranks.
#include "messages/pipeline_events.h"
#include "messages/planted.h"
#include "messages/prove.h"
#include "pipeline/makers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

namespace planc::messages {

namespace {

void expect_proof(const char *what, const Events &events) {
    std::size_t all = 0;
    for (int rank = 0; rank < events.ranks(); ++rank)
        all += events.events_of(rank).size();
    const auto timed = [&](Fault (*proof)(const Events &)) {
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(proof(events).text, "");
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    const double folded = timed(prove);
    std::printf("%s: %zu events; %.3f s, rank by rank %.3f s\n", what, all, folded, timed(prove_each_rank));
}

} // namespace

TEST(Scale, is_1024_ranks_by_64_micro_batches) {
    std::mt19937 random(1); // NOLINT: the same in each run
    expect_proof("1,024 stages", pipeline_program(pipeline::one_f_one_b(1024, 64), {}, random).events());
    expect_proof("64 stages of 16 ranks, 4 collectives in each body",
                 pipeline_program(pipeline::one_f_one_b(64, 64), {16, 4, false}, random).events());
    expect_proof("256 stages of 4 ranks, GPipe, exchanges among them",
                 pipeline_program(pipeline::gpipe(256, 64), {4, 4, true}, random).events());
}

TEST(Scale, finds_one_fault_among_1024_ranks) {
    std::mt19937 random(1); // NOLINT: the same in each run
    Events events = apart(pipeline_program(pipeline::one_f_one_b(64, 64), {16, 2, true}, random).events());
    ASSERT_TRUE(plant(Planted::order, events, random));
    EXPECT_EQ(prove(events).kind, FaultKind::wrong_collective);
}

} // namespace planc::messages

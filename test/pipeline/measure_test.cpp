// Times of small schedules by hand, and the period of steps against many steps in one schedule.
#include "pipeline/measure.h"

#include "pipeline/check.h"
#include "pipeline/makers.h"
#include "pipeline/random_schedule.h"
#include "pipeline/text.h"
#include "pipeline/weights.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace planc::pipeline {

namespace {

/// The same step several times, as one schedule.
Schedule repeated(const Schedule &step, int times) {
    Schedule all = step;
    all.micro_batches = step.micro_batches * times;
    for (int i = 1; i < times; ++i) {
        all.replica_of.insert(all.replica_of.end(), step.replica_of.begin(), step.replica_of.end());
        for (std::size_t rank = 0; rank < step.actions.size(); ++rank)
            for (const Action &action : step.actions[rank])
                all.actions[rank].push_back({action.kind, action.stage, action.micro_batch + i * step.micro_batches});
    }
    return all;
}

Durations random_durations(std::mt19937 &random, int stages) {
    Durations durations = equal_durations(stages);
    durations.transfer.assign(static_cast<std::size_t>(stages - 1), 0);
    for (std::vector<double> *each : {&durations.forward, &durations.input, &durations.weight, &durations.transfer})
        for (double &time : *each)
            time = static_cast<double>(random() % 6);
    return durations;
}

} // namespace

TEST(Measure, of_a_schedule_by_hand) {
    const Schedule schedule = read_text("0: F0 F1 B0 B1\n1: F0 I0 W0 F1 B1\n");
    ASSERT_EQ(fault(schedule), "");
    const Measure found = measure(schedule, {{1, 2}, {3, 4}, {5, 6}, {7, 9}, {10}});
    const std::vector<std::vector<std::pair<double, double>>> expected{
        {{0, 1}, {1, 2}, {27, 34}, {44, 51}}, {{11, 13}, {13, 17}, {17, 23}, {23, 25}, {25, 34}}};
    for (std::size_t rank = 0; rank < 2; ++rank) {
        ASSERT_EQ(found.spans[rank].size(), expected[rank].size());
        for (std::size_t i = 0; i < expected[rank].size(); ++i)
            EXPECT_EQ(std::pair(found.spans[rank][i].start, found.spans[rank][i].end), expected[rank][i]);
    }
    EXPECT_EQ(found.makespan, 51);
    EXPECT_EQ(found.work, 23);
    EXPECT_EQ(found.bubble_with_barrier, 28);
    EXPECT_EQ(found.period, 51); // rank 0 begins when it has gone backward
    EXPECT_EQ(found.alive, (std::vector<int>{2, 1}));
    EXPECT_EQ(found.alive_by_stage, found.alive);
}

/// Rank 1 has one place. Before its second micro-batch it waits until the first one's gradient has left, and only then
/// it begins to receive; rank 0 receives while it works in its other place.
TEST(Measure, of_places_that_are_used_again) {
    const Schedule schedule = read_text("0: F0 F1 B0 B1\n1: F0 B0 F1 B1\n");
    Durations durations = equal_durations(2);
    durations.transfer = {10};
    durations.late = {0, 3};
    durations.slots = {{0, 1}, {0, 0}};
    const auto spans = spans_of(schedule, durations);
    const std::vector<std::vector<double>> starts{{0, 1, 27, 53}, {14, 15, 40, 41}};
    for (std::size_t rank = 0; rank < 2; ++rank)
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_EQ(spans[rank][i].start, starts[rank][i]);
    durations.sizes = {2, 0};
    EXPECT_EQ(spans_of(schedule, durations)[1][0].start, 28);
}

/// The input gradient has received what comes from further stages; the weight gradient behind it waits for nothing.
TEST(Measure, of_what_comes_late) {
    const Schedule schedule = read_text("0: F0 F1 I0 W0 I1 W1\n1: F0 I0 W0 F1 I1 W1\n");
    Durations durations = equal_durations(2);
    durations.transfer = {10};
    durations.late_back = {5, 0};
    durations.slots = {{0, 1}, {0, 1}};
    const auto spans = spans_of(schedule, durations);
    EXPECT_EQ(spans[0][2].start, 23); // rank 1 has its gradient from 13 on, and rank 0 has been receiving
    EXPECT_EQ(spans[0][3].start, 24);
    durations.slots[0] = {0, 0}; // what comes in the place of the action before is received behind it
    EXPECT_EQ(spans_of(schedule, durations)[0][3].start - spans_of(schedule, durations)[0][2].start, 1);
}

TEST(Measure, counts_chunks_that_are_alive) {
    const Measure found = measure(interleaved(2, 2, 4), equal_durations(4));
    EXPECT_EQ(found.alive, (std::vector<int>{5, 3}));
    EXPECT_EQ(found.alive_by_stage, (std::vector<int>{4, 3, 2, 1}));
}

TEST(Measure, takes_no_time_for_transfers_on_one_rank) {
    Durations durations = equal_durations(4);
    durations.transfer = {5, 100, 5};
    const Schedule schedule = zb_v(2, 1); // stages 1 and 2 are on rank 1
    EXPECT_EQ(makespan(schedule, durations), makespan(schedule, equal_durations(4)) + 20);
}

TEST(Measure, of_steps_back_to_back) {
    std::mt19937 random(3); // NOLINT: the same schedules in each run
    for (int i = 0; i < 300; ++i) {
        const Schedule step = random_schedule(random, {4, 2, 3});
        const Durations durations = random_durations(random, step.stages);
        // Some steps after the first are different; then each twelfth is alike, for up to four ranks.
        const double begin = makespan(repeated(step, 24), durations);
        const double end = makespan(repeated(step, 48), durations);
        EXPECT_EQ(fault(repeated(step, 3)), "");
        EXPECT_NEAR(measure(step, durations).period, (end - begin) / 24, 1e-9) << text(step);
    }
}

TEST(Measure, refuses_wrong_durations) {
    const Schedule schedule = gpipe(2, 2);
    const std::string wrong = "durations are given for each of the 2 stages, transfers for each border between them, "
                              "sizes for each micro-batch, and none is negative";
    const auto refused = [&](const Durations &durations) -> std::string {
        try {
            static_cast<void>(measure(schedule, durations));
        } catch (const std::invalid_argument &error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refused({{1, 1}, {1, 1}, {1, 1}, {}, {1}}), "");
    EXPECT_EQ(refused({{1, 1}, {1}, {1, 1}, {}, {}}), wrong);
    EXPECT_EQ(refused({{1, 1}, {1, -1}, {1, 1}, {}, {}}), wrong);
    EXPECT_EQ(refused({{1, 1}, {1, 1}, {1, 1}, {}, {1, 1}}), wrong);
    EXPECT_EQ(refused({{1, 1}, {1, 1}, {1, 1}, {2}, {}}), wrong);
}

TEST(Weights, of_pipedream_are_those_of_the_paper) {
    const Schedule schedule = pipedream(4, 8); // stage s of n, from 1: t - n + s
    EXPECT_EQ(weight_version(schedule, 3, 5), 5);
    EXPECT_EQ(weight_version(schedule, 0, 5), 2);
    EXPECT_EQ(weight_version(schedule, 0, 1), 0);
    const Schedule two = pipedream_2bw(4, 12, 4);
    EXPECT_EQ(weight_version(two, 0, 3), 0);
    EXPECT_EQ(weight_version(two, 2, 7), 0);
    EXPECT_EQ(weight_version(two, 2, 8), 1);
    EXPECT_EQ(weight_version(one_f_one_b(4, 8), 2, 7), 0);
}

} // namespace planc::pipeline

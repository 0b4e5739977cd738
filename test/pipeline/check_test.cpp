// What fault() finds: in schedules with a planted fault, and nothing in random ones without.
#include "pipeline/check.h"
#include "pipeline/makers.h"
#include "pipeline/random_schedule.h"
#include "pipeline/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace planc::pipeline {

namespace {

/// 1F1B with 2 ranks and 3 micro-batches, its backward passes split on rank 1.
class Faults : public testing::Test {
  protected:
    std::vector<Action> &rank(std::size_t index) { return schedule_.actions[index]; }
    std::string found() { return fault(schedule_); }

    Schedule schedule_ = read_text("0: F0 F1 B0 F2 B1 B2\n1: F0 I0 W0 F1 I1 F2 I2 W1 W2\n");
};

} // namespace

TEST_F(Faults, are_none_where_all_is_well) {
    EXPECT_EQ(found(), "");
}

TEST_F(Faults, of_actions) {
    rank(0).push_back({Kind::backward, 0, 2});
    EXPECT_EQ(found(), "rank 0: B of stage 0, micro-batch 2 occurs twice");
    rank(0).pop_back();
    rank(0).push_back({Kind::weight_gradient, 0, 2});
    EXPECT_EQ(found(), "rank 0: B of stage 0, micro-batch 2 occurs beside I or W, which it contains");
    rank(0).back() = {Kind::forward, 1, 0};
    EXPECT_EQ(found(), "rank 0: F of stage 1, micro-batch 0 belongs to rank 1");
    rank(0).back() = {Kind::forward, 0, 3};
    EXPECT_EQ(found(), "rank 0: F of stage 0, micro-batch 3 does not exist");
    rank(0).back() = {Kind::forward, -1, 0};
    EXPECT_EQ(found(), "rank 0: F of stage -1, micro-batch 0 does not exist");
    rank(0).pop_back();
    rank(0).pop_back();
    EXPECT_EQ(found(), "rank 0: B of stage 0, micro-batch 2 is missing");
    rank(0).push_back({Kind::weight_gradient, 0, 2});
    EXPECT_EQ(found(), "rank 0: I of stage 0, micro-batch 2 is missing");
    rank(0).back().kind = Kind::backward;
    rank(1).pop_back();
    EXPECT_EQ(found(), "rank 1: W of stage 1, micro-batch 2 is missing");
    rank(1).erase(rank(1).begin());
    EXPECT_EQ(found(), "rank 1: F of stage 1, micro-batch 0 is missing");
}

TEST_F(Faults, of_the_order) {
    std::swap(rank(1)[1], rank(1)[2]);
    EXPECT_EQ(found(), "rank 0: B of stage 0, micro-batch 0 waits for ever for stage 1 on rank 1");
    std::swap(rank(1)[1], rank(1)[2]);
    // Two ranks that wait for each other: rank 1 wants F2 before it gives the gradient of micro-batch 0.
    std::rotate(rank(1).begin() + 1, rank(1).begin() + 5, rank(1).begin() + 6);
    EXPECT_EQ(found(), "rank 0: B of stage 0, micro-batch 0 waits for ever for stage 1 on rank 1");
}

TEST_F(Faults, of_sizes) {
    schedule_.actions.pop_back();
    EXPECT_EQ(found(), "there are 1 lists of actions for 2 ranks");
    schedule_ = one_f_one_b(2, 3);
    schedule_.replica_of.pop_back();
    EXPECT_EQ(found(), "2 of 3 micro-batches have a replica");
    schedule_ = one_f_one_b(2, 3);
    schedule_.placement.front().pop_back();
    EXPECT_EQ(found(), "replica 0 places 1 of 2 stages");
    schedule_.placement.front() = {0, 2};
    EXPECT_EQ(found(), "a stage of replica 0 is on rank 2, which does not exist");
    schedule_.placement.front() = {0, 0};
    EXPECT_EQ(found(), "rank 1 has no stage");
    schedule_.micro_batches = 0;
    EXPECT_EQ(found(), "a schedule has at least one rank, one stage and one micro-batch");
    schedule_ = one_f_one_b(2, 3);
    schedule_.name = "two\nlines";
    EXPECT_EQ(found(), "the name of a schedule is one line, without blanks at its ends");
}

TEST_F(Faults, of_replicas) {
    const Schedule sound = chimera(2, 4);
    EXPECT_EQ(fault(sound), "");
    schedule_ = sound;
    schedule_.replica_of = {0, 2, 0, 1};
    EXPECT_EQ(found(), "micro-batch 1 takes replica 2, which does not exist");
    schedule_.replica_of = {1, 0, 1, 0};
    EXPECT_EQ(found(), "replica 0 has no micro-batch before micro-batch 0 of replica 1");
    schedule_.replica_of = {0, 0, 0, 0};
    EXPECT_EQ(found(), "replica 1 has no micro-batch");
    schedule_ = sound;
    schedule_.placement[1] = schedule_.placement[0];
    EXPECT_EQ(found(), "two replicas have the same ranks");
    schedule_ = sound;
    schedule_.weights = Weights::stashed;
    EXPECT_EQ(found(), "several replicas of the weights must be synchronous");
}

TEST_F(Faults, of_weights) {
    schedule_ = gpipe(2, 6);
    schedule_.weights = Weights::stashed;
    EXPECT_EQ(found(), "rank 0: F of stage 0, micro-batch 2 needs weights of version 1, to which micro-batch 0 has not "
                       "contributed");
    schedule_.weights = Weights::two_versions;
    EXPECT_EQ(found(),
              "a number of accumulated micro-batches belongs to two versions of the weights, and to nothing else");
    schedule_.accumulated = 2;
    EXPECT_EQ(found(), "rank 0: F of stage 0, micro-batch 4 needs weights of version 1, to which micro-batch 0 has not "
                       "contributed");
    schedule_.accumulated = 3;
    EXPECT_EQ(found(), "");
}

namespace {

/// Plants one fault of a kind into a random schedule: 0 an action that is missing, 1 one that occurs twice, 2 one on
/// another rank, 3 one before another of its rank that it needs.
bool plant(int kind, Schedule &schedule, std::mt19937 &random) {
    std::vector<Action> &actions = schedule.actions[random() % schedule.actions.size()];
    const auto at = static_cast<std::ptrdiff_t>(random() % actions.size());
    const Action action = actions[static_cast<std::size_t>(at)];
    switch (kind) {
    case 0:
        actions.erase(actions.begin() + at);
        return true;
    case 1:
        actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(random() % actions.size()), action);
        return true;
    case 2: {
        std::vector<Action> &others = schedule.actions[random() % schedule.actions.size()];
        if (&others == &actions)
            return false;
        actions.erase(actions.begin() + at);
        others.push_back(action);
        return true;
    }
    default: {
        const auto other = std::find_if(actions.begin(), actions.begin() + at, [&](const Action &each) {
            return each.stage == action.stage && each.micro_batch == action.micro_batch;
        });
        if (other == actions.begin() + at)
            return false;
        std::iter_swap(other, actions.begin() + at);
        return true;
    }
    }
}

} // namespace

// A program sums over micro-batches until the last one, and its messages arrive in the order in which they are sent.
TEST(ProgramFaults, are_what_a_step_program_cannot_follow) {
    for (int ranks = 1; ranks <= 6; ++ranks)
        for (int count = 1; count <= 12; ++count)
            for (const char *name :
                 {"gpipe", "one_f_one_b", "interleaved", "zero_bubble", "zb_v", "pipedream", "pipedream_2bw(5)"})
                EXPECT_EQ(program_fault(made_by(name, ranks, 2, count)), "") << name << " " << ranks << " " << count;
    const auto found = [](const char *text) { return program_fault(read_text(text)); };
    EXPECT_EQ(found("0: F0 F1 B0 B1\n1: F0 F1 B0 B1\n"), "");
    EXPECT_EQ(found("0: F0 F1 B1 B0\n"), "micro-batch 1 must come last on stage 0, not micro-batch 0");
    EXPECT_EQ(found("0: F0 F1 I0 I1 W1 W0\n"), "micro-batch 1 must come last on stage 0, not micro-batch 0");
    EXPECT_EQ(found("0: F0 F1 I0 B1 W0\n"), "micro-batch 1 must come last on stage 0, not micro-batch 0");
    EXPECT_EQ(found("0: F0 F1 I0 W0 B1\n"), "");
    EXPECT_EQ(found("0: F0 F1 F2 B0 B1 B2\n1: F1 F0 F2 B0 B1 B2\n"),
              "stages 0 and 1 take micro-batches in different orders, but messages arrive in the order in which they "
              "are sent");
    EXPECT_EQ(found("0: F0.0 F1.0 F2.0 F1.1 F0.1 F2.1 B0.1 B1.1 B2.1 B0.0 B1.0 B2.0\n"), "");
    EXPECT_EQ(found("weights: stashed\n0: F0 B0 F1 B1\n1: F0 B0 F1 B1\n"),
              "F of stage 0, micro-batch 1 needs weights of version 0, which are those of version 1 by then");
    EXPECT_EQ(found("weights: two versions, 2 accumulated\n0: F0 F1 F2 F3 B1 B0 B2 B3\n"),
              "weights change within the step: stage 0 must end micro-batch 0 before micro-batch 1");
    for (int count = 1; count <= 9; ++count)
        EXPECT_EQ(program_fault(chimera(4, count)), "") << count;
    // Each replica has a last micro-batch of its own: 2 and 3.
    EXPECT_EQ(found("0: F0.0 F1.1 B1.1 F2.0 F3.1 B3.1 B0.0 B2.0\n1: F0.1 F1.0 B0.1 F2.1 F3.0 B2.1 B1.0 B3.0\n"), "");
    EXPECT_EQ(found("0: F0.0 F1.1 B1.1 F2.0 F3.1 B3.1 B2.0 B0.0\n1: F0.1 F1.0 F2.1 B2.1 B0.1 F3.0 B1.0 B3.0\n"),
              "micro-batch 2 must come last on stage 0, not micro-batch 0");
}

TEST(RandomSchedules, have_no_fault_until_one_is_planted) {
    std::mt19937 random(1); // NOLINT: the same schedules in each run
    int planted = 0;
    for (int i = 0; i < 10000; ++i) {
        const Schedule sound = random_schedule(random);
        ASSERT_EQ(fault(sound), "") << text(sound);
        Schedule faulty = sound;
        if (plant(i % 4, faulty, random)) {
            ++planted;
            ASSERT_NE(fault(faulty), "") << i % 4 << "\n" << text(sound) << text(faulty);
        }
    }
    EXPECT_GT(planted, 7000);
}

} // namespace planc::pipeline

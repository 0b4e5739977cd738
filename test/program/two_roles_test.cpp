// The interpreter and the simulation on a step of two roles.
#include "two_roles.h"

#include "cost/machine.h"
#include "emit/emit.h"
#include "interpret/whole_batch.h"
#include "schedule/communication.h"
#include "schedule/step_program.h"
#include "timeline/read_schedule.h"
#include "timeline/simulate.h"

#include <gtest/gtest.h>

#include <numeric>
#include <regex>

namespace planc::test {
namespace {

class TwoRoles : public testing::Test {
  protected:
    /// The step with other actions of a role.
    void act(const std::vector<std::string> &texts, std::size_t role = 0) {
        program::Program program = schedule::step_program(*module_);
        program.actions[role].clear();
        for (const std::string &text : texts)
            program.actions[role].push_back(program::action(program, text));
        schedule::set_step_program(*module_, program);
    }

    /// Without places in the file.
    std::string failure() {
        try {
            static_cast<void>(interpret::run_train_step(*module_, inputs()));
        } catch (const interpret::Failure &failure) {
            return std::regex_replace(failure.what(), std::regex(R"( \(\S*two_roles.mlir:\d+:\d+\))"), "");
        }
        return "";
    }

    Context context_;
    mlir::OwningOpRef<mlir::ModuleOp> module_ = read_module(TWO_ROLES, context_);
};

TEST_F(TwoRoles, train_as_plain_loops_do) {
    ASSERT_TRUE(module_);
    interpret::Inputs now = inputs();
    Weights weights;
    for (int step = 0; step < 3; ++step) {
        const interpret::Outcome outcome = interpret::run_train_step(*module_, now);
        ASSERT_EQ(outcome.results.size(), 1U);
        EXPECT_NEAR(outcome.results[0].elements[0], train(weights, samples()), 1e-12);
        for (std::size_t j = 0; j < width; ++j) {
            EXPECT_NEAR(outcome.variables.at("a.w").elements[j], weights.a[j], 1e-12);
            EXPECT_NEAR(outcome.variables.at("b.w").elements[j], weights.b[j], 1e-12);
        }
        now.variables = outcome.variables;
    }
}

// Rank 0 holds two samples of each micro-batch; their columns 0 to 2 go to rank 2, the others to rank 3.
TEST_F(TwoRoles, are_counted_message_by_message) {
    const interpret::Outcome outcome = interpret::run_train_step(*module_, inputs());
    int transfers = 0;
    for (const interpret::CollectiveRecord &record : outcome.collectives) {
        if (record.kind != "transfer")
            continue;
        ++transfers;
        const bool forward = record.layer == "h";
        const planrt::Traffic sent{4 * 2, 4 * 2 * 6};
        for (std::size_t rank = 0; rank < 4; ++rank)
            EXPECT_EQ(record.traffic[rank], (rank < 2) == forward ? sent : planrt::Traffic{}) << record.layer << rank;
    }
    EXPECT_EQ(transfers, 2);
}

TEST_F(TwoRoles, survive_the_attribute) {
    const program::Program program = schedule::step_program(*module_);
    schedule::set_step_program(*module_, program);
    const program::Program again = schedule::step_program(*module_);
    EXPECT_EQ(again.actions, program.actions);
    EXPECT_EQ(again.roles.size(), 2U);
    EXPECT_EQ(again.roles[1].ranks.coordinates, (planrt::Box{{1, 2}, {0, 2}}));
    EXPECT_EQ(again.roles[1].slots, 2);
    EXPECT_EQ(again.transfers[1].scratch_offset, 704);
    EXPECT_EQ(again.loss, 5);
}

// The first stage wants its first gradient before it has sent anything.
TEST_F(TwoRoles, that_wait_for_each_other_are_found) {
    act({"0:0 receive gradient of h", "0:0 run first_forward", "0:0 send h", "0:0 wait h", "1:1 run first_forward",
         "1:1 send h", "1:1 receive gradient of h", "1:1 wait h", "2:0 run first_forward", "2:0 send h",
         "2:0 receive gradient of h", "2:0 wait h", "3:1 run first_forward", "3:1 send h", "3:1 receive gradient of h",
         "3:1 wait h", "3:1 run first_update"});
    EXPECT_EQ(failure(),
              "ranks wait for each other: rank 0 (first) waits for transfer of gradient of h, micro-batch 0, "
              "which rank 2 (second) is yet to begin; rank 2 (second) waits for transfer of h, micro-batch 0, "
              "which rank 0 (first) is yet to begin");
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(static_cast<void>(emit::emit_cpp(*module_, {})), "step program: ranks wait for each other: rank 0");
}

// Each stage waits until what it sent has left before it receives, and neither message leaves before that.
TEST_F(TwoRoles, whose_sends_wait_for_each_other_are_found) {
    program::Program program = schedule::step_program(*module_);
    program.micro_batches = {{0, 4}, {4, 4}};
    schedule::set_step_program(*module_, program);
    act({"0:0 run first_forward", "0:0 send h", "1:1 run first_forward", "1:1 send h", "1:1 wait h",
         "0:0 receive gradient of h", "1:1 receive gradient of h", "0:0 wait h"});
    act({"0:0 receive h", "0:0 run second_both", "0:0 send gradient of h", "0:0 wait gradient of h", "1:1 receive h",
         "1:1 run second_both", "1:1 send gradient of h", "1:1 wait gradient of h", "1:1 run second_update"},
        1);
    EXPECT_EQ(failure(),
              "ranks wait for each other: rank 0 (first) waits for transfer of h, micro-batch 1, which rank 2 "
              "(second) is yet to begin; rank 2 (second) waits for transfer of gradient of h, micro-batch 0, "
              "which rank 0 (first) is yet to begin");
    // A receive that has begun lets the message leave.
    act({"0:0 start h", "1:1 start h", "0:0 receive h", "0:0 run second_both", "0:0 send gradient of h",
         "0:0 wait gradient of h", "1:1 receive h", "1:1 run second_both", "1:1 send gradient of h",
         "1:1 wait gradient of h", "1:1 run second_update"},
        1);
    EXPECT_EQ(failure(), "");
}

TEST_F(TwoRoles, begin_and_wait_for_messages) {
    const messages::Events events = schedule::events_of_step(*module_, schedule::Bodies(*module_));
    ASSERT_EQ(events.ranks(), 4);
    EXPECT_EQ(events.table_of, (std::vector<int>{0, 0, 1, 1}));
    const messages::Operation &h = events.operations.front();
    ASSERT_EQ(h.messages_of(0).size(), 2U);
    EXPECT_EQ(h.messages_of(0)[1].peer, 3);
    EXPECT_EQ(h.messages_of(3)[0].peer, 0);
    for (const messages::Message &message : h.messages) {
        EXPECT_EQ(message.is_sent, message.rank < 2);
        EXPECT_EQ(message.bytes, 6 * 8);
    }
}

TEST_F(TwoRoles, that_do_not_receive_what_is_sent_are_found) {
    program::Program program = schedule::step_program(*module_);
    program.micro_batches = {{0, 4}, {4, 4}};
    schedule::set_step_program(*module_, program);
    act({"0:0 run first_forward", "0:0 send h", "0:0 wait h", "1:1 run first_forward", "1:1 send h", "1:1 wait h"});
    act({"0:0 receive h"}, 1);
    EXPECT_EQ(failure(),
              "rank 0 (first): transfer of h, micro-batch 1 is sent to rank 2 (second), which does not receive it");
    act({"1:1 receive h", "0:0 receive h"}, 1);
    EXPECT_EQ(failure(),
              "rank 0 (first): transfer of h, micro-batch 0 is sent to rank 2 (second), which receives transfer "
              "of h, micro-batch 1 instead");
    act({"0:0 receive h", "1:1 start h"}, 1);
    EXPECT_EQ(failure(), "rank 2 (second): transfer of h, micro-batch 1 is begun but never waited for");
}

TEST_F(TwoRoles, that_write_what_is_being_sent_are_found) {
    act({"0:0 run first_forward", "0:0 send h", "1:0 run first_forward"});
    EXPECT_EQ(failure(), "role first, action '1:0 run first_forward': value 'h' is still under way");
}

// Two kernels are beside each other on different stages, a transfer beside kernels: no rank is busy all the time, and
// the step takes less than one stage behind the other.
TEST_F(TwoRoles, have_a_timeline) {
    cost::Machine machine;
    machine.flops_per_second = 1e9;
    machine.memory_bytes_per_second = 1e9;
    machine.levels = {{0, {cost::Seconds(1e-7), 1e9}}};
    const timeline::Program program = timeline::read_schedule(*module_, machine);
    ASSERT_EQ(program.classes.size(), 2U);
    EXPECT_EQ(program.classes[0].ranks, 2);
    EXPECT_EQ(program.classes[1].first, 2);
    ASSERT_EQ(program.actions.size(), 2U);
    const timeline::Timeline timeline = timeline::simulate(program);
    cost::Seconds computing{};
    for (const timeline::RankTime &rank : timeline.ranks) {
        EXPECT_GT(rank.computing, cost::Seconds(0));
        EXPECT_LT(rank.computing, timeline.makespan);
        EXPECT_NEAR((rank.computing + rank.exposed + rank.idle).value, timeline.makespan.value, 1e-15);
        computing += rank.computing;
    }
    EXPECT_LT(timeline.makespan,
              timeline::simulate(timeline::without_overlap(program)).makespan + cost::Seconds(1e-12));
    EXPECT_GT(computing, cost::Seconds(0));
    // h: two messages of 48 bytes a rank and micro-batch at 1 GB/s, both at once after 0.1 us
    const auto h = std::find_if(program.collectives.begin(), program.collectives.end(),
                                [](const timeline::Collective &each) { return each.name == "transfer of h"; });
    ASSERT_NE(h, program.collectives.end());
    ASSERT_EQ(h->groups.size(), 1U);
    EXPECT_EQ(h->groups[0].members, (std::vector<int>{0, 1}));
    EXPECT_EQ(h->groups[0].senders, (std::vector<int>{0}));
    EXPECT_EQ(h->groups[0].receivers, (std::vector<int>{1}));
    EXPECT_NEAR(h->groups[0].seconds.value, 1e-7 + 96e-9, 1e-12);
}

} // namespace
} // namespace planc::test

// Step programs as plain tables: micro-batches, table makers, what is checked of any.
#include "program/check.h"
#include "program/makers.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace planc::program {

TEST(MicroBatches, differ_by_at_most_one_sample) {
    const std::vector<MicroBatch> parts = micro_batches(7, 3);
    EXPECT_EQ(parts, (std::vector<MicroBatch>{{0, 3}, {3, 2}, {5, 2}}));
    EXPECT_EQ(kinds(parts), (std::vector<MicroBatchKind>{{3, false}, {2, false}, {2, true}}));
    EXPECT_EQ(kinds(micro_batches(8, 4)), (std::vector<MicroBatchKind>{{2, false}, {2, true}}));
    EXPECT_EQ(kinds(micro_batches(5, 2)), (std::vector<MicroBatchKind>{{3, false}, {2, true}}));
    EXPECT_EQ(kinds(micro_batches(5, 1)), (std::vector<MicroBatchKind>{{5, true}}));
}

TEST(Makers, run_one_micro_batch_after_the_other) {
    Program program;
    program.roles = {{"all"}};
    for (const char *function : {"accumulate_forward", "accumulate_backward", "forward", "backward", "update"})
        program.bodies.push_back({function});
    program.micro_batches = micro_batches(6, 3);
    program.actions = accumulating(program.micro_batches, {{{2, false}, {0, 1}}, {{2, true}, {2, 3, 4}}});
    std::vector<std::string> texts;
    for (const Action &action : program.actions.front()) {
        texts.push_back(text(program, action));
        EXPECT_EQ(program::action(program, texts.back()), action);
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"0:0 run accumulate_forward", "0:0 run accumulate_backward",
                                               "1:0 run accumulate_forward", "1:0 run accumulate_backward",
                                               "2:0 run forward", "2:0 run backward", "2:0 run update"}));
    EXPECT_EQ(program.runs(0), 2);
    EXPECT_EQ(program.runs(4), 1);
    EXPECT_EQ(fault(program, {{2}}), "");
    // Two in flight: the last group has one.
    program.roles.front().slots = 2;
    program.roles.front().slot_bytes = 64;
    program.actions = in_flight(program.micro_batches, {{{2, false}, {0, 1}}, {{2, true}, {2, 3, 4}}}, 2);
    texts.clear();
    for (const Action &action : program.actions.front())
        texts.push_back(text(program, action));
    EXPECT_EQ(texts, (std::vector<std::string>{"0:0 run accumulate_forward", "1:1 run accumulate_forward",
                                               "0:0 run accumulate_backward", "1:1 run accumulate_backward",
                                               "2:0 run forward", "2:0 run backward", "2:0 run update"}));
    EXPECT_EQ(fault(program, {{2}}), "");
    EXPECT_EQ(trivial({{2, true}, {2, 3, 4}}).front().size(), 3U);
    EXPECT_THROW(static_cast<void>(accumulating(program.micro_batches, {{{2, true}, {2, 3, 4}}})),
                 std::invalid_argument);
}

namespace {

/// A producer on ranks 0 and 1 sends `x`, made by `make`, to a consumer on rank 2, which uses it.
class Faults : public testing::Test {
  protected:
    Faults() {
        program_.roles = {{"producer", {{{0, 2}}}, 2, 0, 64}, {"consumer", {{{2, 3}}}, 2, 0, 64}};
        program_.values = {{"x", 0, 0}, {"x", 1, 0}};
        program_.bodies = {{"make", 0, {}, {0}, {}}, {"use", 1, {1}, {}, {}}};
        program_.transfers = {{"x", 0, 1}};
        program_.micro_batches = micro_batches(4, 2);
        act({"0:0 run make", "0:0 send x", "1:1 run make", "1:1 send x", "0:0 wait x", "1:1 wait x"},
            {"0:0 receive x", "0:0 run use", "1:1 start x", "1:1 progress", "1:1 receive x", "1:1 run use"});
    }

    void act(const std::vector<std::string> &producer, const std::vector<std::string> &consumer) {
        program_.actions.assign(2, {});
        for (const std::string &each : producer)
            program_.actions[0].push_back(action(program_, each));
        for (const std::string &each : consumer)
            program_.actions[1].push_back(action(program_, each));
    }

    std::string found() { return fault(program_, {{3}}); }

    std::vector<std::string> sending_{"0:0 run make", "0:0 send x", "0:0 wait x"};
    Program program_;
};

} // namespace

TEST_F(Faults, are_none_where_all_is_well) {
    EXPECT_EQ(found(), "");
}

TEST_F(Faults, of_roles) {
    program_.roles[1].ranks.coordinates = {{1, 3}};
    EXPECT_EQ(found(), "rank 1 has 2 roles");
    program_.roles[1].ranks.coordinates = {{1, 2}};
    program_.roles[0].ranks.coordinates = {{0, 1}};
    EXPECT_EQ(found(), "rank 2 has 0 roles");
}

TEST_F(Faults, of_values_that_are_not_there) {
    act({"0:0 send x"}, {});
    EXPECT_EQ(found(), "role producer, action '0:0 send x': value 'x' is not there");
    act({"0:0 run make", "1:0 send x"}, {});
    EXPECT_EQ(found(), "role producer, action '1:0 send x': value 'x' is of micro-batch 0");
    act(sending_, {"0:0 start x", "0:0 run use"});
    EXPECT_EQ(found(), "role consumer, action '0:0 run use': value 'x' has not been received");
}

TEST_F(Faults, of_buffers_under_way) {
    act({"0:0 run make", "0:0 send x", "1:0 run make"}, {});
    EXPECT_EQ(found(), "role producer, action '1:0 run make': value 'x' is still under way");
}

TEST_F(Faults, of_several_transfers_of_one_value) {
    program_.values.push_back({"y", 1, 64});
    program_.transfers.push_back({"again", 0, 2});
    act({"0:0 run make", "0:0 send x", "0:0 send again", "0:0 wait again", "0:0 wait x"},
        {"0:0 receive x", "0:0 receive again"});
    EXPECT_EQ(found(), "");
    act({"0:0 run make", "0:0 send x", "0:0 wait again"}, {"0:0 receive x"});
    EXPECT_EQ(found(), "role producer, action '0:0 wait again': nothing was sent from there");
    program_.transfers[1] = {"again", 0, 1};
    act({"0:0 run make", "0:0 send x", "0:0 send again"}, {"0:0 start x", "0:0 receive again"});
    program_.actions[0].push_back(action(program_, "0:0 wait x"));
    program_.actions[0].push_back(action(program_, "0:0 wait again"));
    EXPECT_EQ(found(), "role consumer, action '0:0 receive again': another receive is under way there");
}

TEST_F(Faults, of_moves_within_a_role) {
    program_.values.push_back({"y", 0, 64});
    program_.transfers.push_back({"own", 0, 2});
    act({"0:0 run make", "0:0 move own"}, {});
    EXPECT_EQ(found(), "");
    act({"0:0 move own"}, {});
    EXPECT_EQ(found(), "role producer, action '0:0 move own': value 'x' is not there");
    act({"0:0 run make", "0:0 send own"}, {});
    EXPECT_EQ(found(), "role producer, action '0:0 send own': it stays in its role");
    act({"0:0 run make", "0:0 move x"}, {});
    EXPECT_EQ(found(), "role producer, action '0:0 move x': it goes to another role");
}

TEST_F(Faults, of_references_and_names) {
    program_.transfers.push_back({"x", 0, 1});
    EXPECT_EQ(found(), "two transfers are called 'x'");
    program_.transfers.pop_back();
    program_.transfers[0].to = 2;
    EXPECT_EQ(found(), "transfer 'x' names a value that does not exist");
    program_.transfers[0].to = 1;
    program_.bodies[0].gives = {7};
    EXPECT_EQ(found(), "body 'make' names a role or a value that does not exist");
    program_.bodies[0].gives = {0};
    program_.roles[0].slot_bytes = 0;
    EXPECT_EQ(found(), "role 'producer' has slots without a size");
    program_.roles[0].slot_bytes = 64;
    program_.roles[0].ranks.coordinates = {{0, 0}};
    EXPECT_EQ(found(), "role 'producer' is not a part of the mesh");
}

TEST_F(Faults, of_micro_batches_out_of_order) {
    program_.micro_batches[1].first = 3;
    EXPECT_EQ(found(), "micro-batch 1 doesn't follow the one before it");
    program_.micro_batches[1] = {2, 2, 2};
    EXPECT_EQ(found(), "micro-batch 1 doesn't follow the one before it");
}

TEST_F(Faults, of_other_roles_and_missing_slots) {
    act({"0:0 run use"}, {});
    EXPECT_EQ(found(), "role producer, action '0:0 run use': the body is another role's");
    act({"0:0 receive x"}, {});
    EXPECT_EQ(found(), "role producer, action '0:0 receive x': this role sends it");
    act({"0:2 run make"}, {});
    EXPECT_EQ(found(), "role producer, action '0:2 run make': there is no such micro-batch or slot");
    EXPECT_THROW(static_cast<void>(action(program_, "0:0 run nothing")), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(action(program_, "send x")), std::invalid_argument);
}

/// Three updates of a batch of 9: of 4, 4 and 1 micro-batches. In the second the weights are those before the first.
TEST(MicroBatches, take_turns_with_two_versions) {
    const auto all = micro_batches(9, 9, {pipeline::Weights::two_versions, 4});
    const auto kind = [&](std::size_t i) { return kind_of(all, i, pipeline::Weights::two_versions); };
    EXPECT_EQ(all[3].update, 0);
    EXPECT_EQ(all[8].update, 2);
    EXPECT_TRUE(kind(0).begins && !kind(0).updates && kind(3).updates && !kind(3).begins);
    EXPECT_TRUE(kind(8).begins && kind(8).updates);
    EXPECT_EQ(kind(3).update_samples, 4);
    EXPECT_EQ(kind(8).update_samples, 1);
    EXPECT_EQ(kind(3).versions, (Versions{0, 0, 1}));
    EXPECT_EQ(kind(7).versions, (Versions{0, 1, 0}));
    EXPECT_EQ(kind(8).versions, (Versions{1, 0, 0})) << "the newest version is in the variable between steps";
    EXPECT_EQ(kind(0), kind(4)) << "both begin, with the weights from before the step";
    EXPECT_EQ(kinds(all, pipeline::Weights::two_versions).size(), 5U);
}

TEST(MicroBatches, with_one_update_are_those_of_other_steps) {
    const auto all = micro_batches(7, 3, {pipeline::Weights::two_versions, 3});
    EXPECT_EQ(all, micro_batches(7, 3));
    EXPECT_EQ(kinds(all, pipeline::Weights::two_versions), kinds(all));
}

} // namespace planc::program

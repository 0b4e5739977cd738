// What the proof says of each kind of fault, and what it accepts.
#include "messages/fold.h"
#include "messages/prove.h"

#include <gtest/gtest.h>

#include <sstream>

namespace planc::messages {

namespace {

/// Ranks with tables of their own; operations 0 and 1 are `a` from rank 0 to rank 1 and `b` back.
class Faults : public testing::Test {
  protected:
    Faults() {
        events_.operations = {{"a", {{0, 1, true, 0, 5, 64}, {1, 0, false, 0, 5, 64}}},
                              {"b", {{0, 1, false, 0, 6, 32}, {1, 0, true, 0, 6, 32}}}};
        events_.communicators = {{0, 1}};
        events_.groups = {{0, 0}};
        for (const char *name : {"x", "y"})
            events_.operations.push_back({name, {}, 0, -1, planrt::CollectiveKind::all_reduce, {16}});
    }

    /// Each text is the list of a rank: "a0 -a0" begins a of micro-batch 0, in the slot of that number, and waits.
    std::string found(const std::vector<std::string> &lists) {
        events_.tables.clear();
        events_.table_of.clear();
        for (const std::string &list : lists) {
            events_.table_of.push_back(static_cast<int>(events_.tables.size()));
            Table &table = events_.tables.emplace_back(Table{"stage " + std::to_string(events_.tables.size())});
            std::istringstream words(list);
            for (std::string word; words >> word;) {
                const bool waits = word.front() == '-';
                const int number = word.back() - '0';
                const char name = word[waits ? 1 : 0];
                const int operation = name == 'a' ? 0 : name == 'b' ? 1 : name == 'x' ? 2 : 3;
                table.events.push_back({waits, operation, number, number});
            }
        }
        const Fault fault = prove(events_);
        kind_ = fault.kind;
        return fault.text;
    }

    Events events_;
    FaultKind kind_ = FaultKind::none;
};

} // namespace

TEST_F(Faults, are_none_where_all_is_well) {
    EXPECT_EQ(found({"a0 a1 -a1 -a0 b0 -b0", "a0 -a0 a1 -a1 b0 -b0"}), "");
    EXPECT_EQ(found({"x0 y0 -y0 -x0", "x0 -x0 y0 -y0"}), "");
    EXPECT_EQ(found({"", ""}), "");
}

TEST_F(Faults, of_requests) {
    EXPECT_EQ(found({"-a0", ""}), "rank 0 (stage 0): a, micro-batch 0 is waited for but not begun");
    EXPECT_EQ(kind_, FaultKind::not_begun);
    EXPECT_EQ(found({"a0 a0", ""}), "rank 0 (stage 0): a, micro-batch 0 is begun again before it was waited for");
    EXPECT_EQ(kind_, FaultKind::begun_twice);
    EXPECT_EQ(found({"a0 -a0", "a0"}), "rank 1 (stage 1): a, micro-batch 0 is begun but never waited for");
    EXPECT_EQ(kind_, FaultKind::left_open);
}

TEST_F(Faults, of_messages) {
    EXPECT_EQ(found({"a0 -a0 a1 -a1", "a0 -a0"}),
              "rank 0 (stage 0): a, micro-batch 1 is sent to rank 1 (stage 1), which does not receive it");
    EXPECT_EQ(kind_, FaultKind::unmatched_send);
    EXPECT_EQ(found({"a0 -a0 b0 -b0 b1 -b1", "a0 -a0 b1 -b1"}),
              "rank 0 (stage 0): b, micro-batch 0 is received from rank 1 (stage 1), which does not send it");
    EXPECT_EQ(kind_, FaultKind::unmatched_receive);
    EXPECT_EQ(
        found({"a0 -a0 a1 -a1", "a1 -a1 a0 -a0"}),
        "rank 0 (stage 0): a, micro-batch 0 is sent to rank 1 (stage 1), which receives a, micro-batch 1 instead");
    EXPECT_EQ(kind_, FaultKind::wrong_micro_batch);
    events_.operations[0].messages[1].bytes = 60;
    EXPECT_EQ(found({"a0 -a0", "a0 -a0"}),
              "rank 0 (stage 0): a, micro-batch 0 is sent to rank 1 (stage 1), which receives 60 bytes instead of 64");
    EXPECT_EQ(kind_, FaultKind::wrong_size);
    events_.operations[0].messages[1].tag = 7;
    EXPECT_EQ(found({"a0 -a0", "a0 -a0"}), "rank 0 (stage 0): a, micro-batch 0 is sent to rank 1 (stage 1), which does "
                                           "not receive it: there the tag is 7 instead of 5");
    EXPECT_EQ(kind_, FaultKind::wrong_tag);
    events_.operations[0].messages[1].communicator = 1;
    EXPECT_EQ(found({"a0 -a0", "a0 -a0"}), "rank 0 (stage 0): a, micro-batch 0 is sent to rank 1 (stage 1), which does "
                                           "not receive it: there the communicator is 1 instead of 0");
    EXPECT_EQ(kind_, FaultKind::wrong_communicator);
    events_.operations[0].messages[0].peer = 9;
    EXPECT_EQ(found({"a0 -a0", ""}), "rank 0 (stage 0): a, micro-batch 0 is sent to rank 9, which does not receive it");
}

TEST_F(Faults, of_collectives) {
    EXPECT_EQ(found({"x0 -x0 y0 -y0", "y0 -y0 x0 -x0"}), "rank 1 (stage 1): y, micro-batch 0 (16 bytes) meets rank 0 "
                                                         "(stage 0): x, micro-batch 0 (16 bytes)");
    EXPECT_EQ(kind_, FaultKind::wrong_collective);
    EXPECT_EQ(found({"x0 -x0", ""}), "rank 0 (stage 0): x, micro-batch 0: only 1 of 2 members of the group take part");
    EXPECT_EQ(kind_, FaultKind::missing_collective);
    events_.operations[2].bytes = {16, 20};
    EXPECT_EQ(found({"x0 -x0", "x0 -x0"}), "rank 1 (stage 1): x, micro-batch 0 (20 bytes) meets rank 0 (stage 0): x, "
                                           "micro-batch 0 (16 bytes)");
    EXPECT_EQ(kind_, FaultKind::wrong_collective);
    events_.groups = {{0, -1}};
    EXPECT_EQ(found({"x0 -x0", "x0 -x0"}), "rank 1 (stage 1) is in no group of x, micro-batch 0");
    EXPECT_EQ(kind_, FaultKind::no_member);
}

// Each waits for its own send before it receives: MPI would have to buffer one of them.
TEST_F(Faults, of_order) {
    EXPECT_EQ(
        found({"a0 -a0 b0 -b0", "b0 -b0 a0 -a0"}),
        "ranks wait for each other: rank 0 (stage 0) waits for a, micro-batch 0, which rank 1 (stage 1) is yet to "
        "begin; rank 1 (stage 1) waits for b, micro-batch 0, which rank 0 (stage 0) is yet to begin");
    EXPECT_EQ(kind_, FaultKind::cycle);
    EXPECT_EQ(found({"a0 b0 -a0 -b0", "b0 -b0 a0 -a0"}), "");
    EXPECT_EQ(
        found({"x0 -x0 a0 -a0", "a0 -a0 x0 -x0"}),
        "ranks wait for each other: rank 0 (stage 0) waits for x, micro-batch 0, which rank 1 (stage 1) is yet to "
        "begin; rank 1 (stage 1) waits for a, micro-batch 0, which rank 0 (stage 0) is yet to begin");
    EXPECT_EQ(found({"x0 a0 -x0 -a0", "a0 -a0 x0 -x0"}), "");
}

// Ranks 0 and 1 are one class, 2 and 3 another; 0 sends to 2 and 3 to 1. Rank by rank this ends, although no class
// could go on as a whole.
TEST(Folding, rejects_nothing_that_ranks_finish) {
    Events events;
    events.operations = {{"a", {{0, 2, true, 0, 1, 8}, {2, 0, false, 0, 1, 8}}},
                         {"b", {{1, 3, false, 0, 2, 8}, {3, 1, true, 0, 2, 8}}}};
    events.tables = {{"first", {{false, 1, 0, 0}, {true, 1, 0, 0}, {false, 0, 0, 0}, {true, 0, 0, 0}}},
                     {"second", {{false, 0, 0, 0}, {true, 0, 0, 0}, {false, 1, 0, 0}, {true, 1, 0, 0}}}};
    events.table_of = {0, 0, 1, 1};
    const std::optional<Events> folded = fold(events);
    ASSERT_TRUE(folded);
    EXPECT_EQ(prove_each_rank(*folded).kind, FaultKind::cycle);
    EXPECT_EQ(prove(events).text, "");
}

} // namespace planc::messages

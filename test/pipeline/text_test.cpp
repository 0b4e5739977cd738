// Schedules as text and as CSV: round trips, and what is said about what cannot be read.
#include "pipeline/text.h"

#include "pipeline/csv.h"
#include "pipeline/makers.h"
#include "pipeline/measure.h"
#include "pipeline/random_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace planc::pipeline {

namespace {

template <class Read> std::string refused(Read read) {
    try {
        static_cast<void>(read());
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}
std::string refused_text(std::string_view text) {
    return refused([&] { return read_text(text); });
}
std::string refused_csv(std::string_view text) {
    return refused([&] { return read_csv(text, ""); });
}

/// Expects that text and CSV give the schedule back; CSV has neither its name nor its weights.
void expect_round_trips(const Schedule &schedule) {
    const std::string as_text = text(schedule);
    SCOPED_TRACE(as_text);
    EXPECT_EQ(read_text(as_text), schedule);
    EXPECT_EQ(text(read_text(as_text)), as_text);
    Schedule bare = schedule;
    bare.weights = Weights::synchronous;
    bare.accumulated = 0;
    const std::string as_csv = csv(schedule);
    EXPECT_EQ(read_csv(as_csv, schedule.name), bare);
    EXPECT_EQ(csv(read_csv(as_csv, "")), as_csv);
}

} // namespace

TEST(Text, of_small_schedules) {
    EXPECT_EQ(text(zero_bubble(2, 2)), "name: ZB-H1\n0: F0 F1 I0 W0 I1 W1\n1: F0 I0 F1 I1 W0 W1\n");
    EXPECT_EQ(text(interleaved(2, 2, 2)), "name: interleaved 1F1B\n"
                                          "0: F0.0 F1.0 F0.2 F1.2 B0.2 B1.2 B0.0 B1.0\n"
                                          "1: F0.1 F1.1 F0.3 B0.3 F1.3 B1.3 B0.1 B1.1\n");
    EXPECT_EQ(text(pipedream_2bw(1, 2, 4)),
              "name: PipeDream-2BW\nweights: two versions, 4 accumulated\n0: F0 B0 F1 B1\n");
    EXPECT_EQ(csv(one_f_one_b(2, 2)), "0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n");
}

TEST(Text, and_csv_give_every_schedule_back) {
    for (int d = 1; d <= 6; ++d) {
        for (int n = 1; n <= 8; ++n) {
            for (const Schedule &schedule : {gpipe(d, n), one_f_one_b(d, n), zero_bubble(d, n), zero_bubble_2(d, n),
                                             zb_v(d, n), interleaved(d, 3, n), pipedream(d, n), pipedream_2bw(d, n, d)})
                expect_round_trips(schedule);
            if (d % 2 == 0)
                expect_round_trips(chimera(d, n));
        }
    }
    std::mt19937 random(2); // NOLINT: the same schedules in each run
    for (int i = 0; i < 500; ++i)
        expect_round_trips(random_schedule(random));
}

TEST(Text, is_read_freely) {
    const Schedule schedule = read_text("# by hand\n\n  name:  two words \n weights: synchronous\r\n0:F0  F1\tB0.0 B1\n"
                                        "\n1: F0 B0 F1.1 B1");
    EXPECT_EQ(schedule.name, "two words");
    EXPECT_EQ(schedule.actions, one_f_one_b(2, 2).actions);
    EXPECT_EQ(read_text("weights: stashed\n0: F0 B0\n").weights, Weights::stashed);
}

TEST(Text, that_cannot_be_read) {
    const std::string form =
        " is no action: F, B, I or W, a micro-batch, and perhaps a point and a stage, as in F3 or F3.5";
    EXPECT_EQ(refused_text("0: F0 X0 B0\n"), "line 1, column 7: 'X0'" + form);
    EXPECT_EQ(refused_text("name: a\n\n 0: F0  B\n"), "line 3, column 9: 'B'" + form);
    EXPECT_EQ(refused_text("0: F0 B0.\n"), "line 1, column 7: 'B0.'" + form);
    EXPECT_EQ(refused_text("0: F0 B0x\n"), "line 1, column 7: 'B0x'" + form);
    EXPECT_EQ(refused_text("0: F-1\n"), "line 1, column 4: 'F-1'" + form);
    EXPECT_EQ(refused_text("0: F99999999999\n"), "line 1, column 4: 'F99999999999'" + form);
    EXPECT_EQ(refused_text("0: F0 B0\n2: F0 B0\n"), "line 2, column 1: '2' is not the next rank, 1");
    EXPECT_EQ(refused_text("nam: x\n"), "line 1, column 1: 'nam' is not the next rank, 0, nor name or weights");
    EXPECT_EQ(refused_text("0: F0 B0\nname: x\n"), "line 2, column 1: 'name' is not the next rank, 1");
    EXPECT_EQ(refused_text("0: F0 B0\n  F1 B1\n"), "line 2, column 3: 'F1' is not followed by ':', as in '0: F0 B0'");
    EXPECT_EQ(refused_text("weights: old\n"),
              "line 1, column 10: 'old' is not synchronous, stashed, or 'two versions, 4 accumulated'");
    EXPECT_EQ(refused_text("weights: two versions, 0 accumulated\n"),
              "line 1, column 10: 'two versions, 0 accumulated' is not of the form 'two versions, 4 accumulated'");
    EXPECT_EQ(refused_text("# nothing\n"), "a pipeline schedule has a line for each rank, as in '0: F0 B0'");
    EXPECT_EQ(refused_text(""), "a pipeline schedule has a line for each rank, as in '0: F0 B0'");
    EXPECT_EQ(refused_text("0: F0 B0 F0\n"), "line 1, column 10: 'F0' occurs twice");
    EXPECT_EQ(refused_text("0: F0 B0\n1: F0 B0 B0\n"), "line 2, column 10: 'B0' occurs twice");
    EXPECT_EQ(refused_text("0: F0 B0\n1: F0 B0 F0.0\n"), "line 2, column 10: 'F0.0' occurs twice");
    EXPECT_EQ(refused_text("0: F0.0\n1: F0.1 B0.1 B0.0\n"), "line 2, column 14: 'B0.0' is on rank 1, its F on rank 0");
    EXPECT_EQ(refused_text("0: F0 B0 B1000000\n"), "F of stage 0, micro-batch 1 is missing");
    EXPECT_EQ(refused_text("0: F0\n1: F0 B0\n"), "rank 0: B of stage 0, micro-batch 0 is missing");
    EXPECT_EQ(refused_text("0: B0 F0\n"), "rank 0: B of stage 0, micro-batch 0 waits for ever for stage 0 on rank 0");
    EXPECT_EQ(refused_text("0:\n1: F0.0 B0.0\n"), "rank 0 has no stage");
}

TEST(Csv, is_read_as_pytorch_writes_it) {
    // Lines end with \r\n, idle steps are empty, communication is listed in some files, overlaps in others.
    EXPECT_EQ(read_csv("0F0,0F1,,,0I0,0W0,0B1\r\n,1F0,1B0,1F1,1B1\r\n", "").actions,
              read_text("0: F0 F1 I0 W0 B1\n1: F0 B0 F1 B1\n").actions);
    EXPECT_EQ(read_csv("0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1,0REDUCE_GRAD,0RESHARD\n"
                       "1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1,1RESHARD\n",
                       "")
                  .actions,
              one_f_one_b(2, 2).actions);
    EXPECT_EQ(read_csv("0F0,\"0F1\", (0B0;0F2)OVERLAP_F_B ,0B1,0B2", "").actions,
              read_text("0: F0 F1 B0 F2 B1 B2").actions);
    EXPECT_EQ(read_csv("0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n", "V").placement,
              (std::vector<std::vector<int>>{{0, 1, 1, 0}}));
}

TEST(Csv, of_older_files_has_other_letters) {
    EXPECT_EQ(read_csv("0F0,0F1,0BW0,0BW1\n1F0,1B0,1F1,1B1,1W0,1W1\n", "").actions,
              read_text("0: F0 F1 B0 B1\n1: F0 I0 F1 I1 W0 W1\n").actions);
    EXPECT_EQ(refused_csv("0F0,0I0,0W0,0B0\n"),
              "rank 0: B of stage 0, micro-batch 0 occurs beside I or W, which it contains");
}

/// Changed texts are refused with a message, or mean a schedule without a fault, which is read back.
TEST(Text, and_csv_with_random_changes) {
    std::mt19937 random(5); // NOLINT: the same changes in each run
    const std::string letters = "0123FBIW.,:; \n()\"#";
    int sound = 0;
    for (int i = 0; i < 4000; ++i) {
        const Schedule schedule = random_schedule(random, {3, 2, 3});
        std::string changed = i % 2 == 0 ? text(schedule) : csv(schedule);
        for (unsigned changes = 1 + random() % 2; changes > 0; --changes) {
            const std::size_t at = random() % changed.size();
            changed.replace(at, random() % 3, std::string(random() % 2, letters[random() % letters.size()]));
        }
        const auto read = [&] { return i % 2 == 0 ? read_text(changed) : read_csv(changed, "random"); };
        if (refused(read).empty()) {
            ++sound;
            expect_round_trips(read());
        }
    }
    EXPECT_GT(sound, 100);
}

TEST(Csv, that_cannot_be_read) {
    const std::string form = " is no action: a stage, F, B, I, W or a communication, and a micro-batch, as in 2F0";
    EXPECT_EQ(refused_csv("0F0,0B0\n1F0,,1Q0\n"), "line 2, column 6: '1Q0'" + form);
    EXPECT_EQ(refused_csv("F0\n"), "line 1, column 1: 'F0'" + form);
    EXPECT_EQ(refused_csv("0F\n"), "line 1, column 1: '0F'" + form);
    EXPECT_EQ(refused_csv("0FORWARD0\n"), "line 1, column 1: '0FORWARD0'" + form);
    EXPECT_EQ(refused_csv("0F0,0SEND_F0x\n"), "line 1, column 5: '0SEND_F0x'" + form);
    EXPECT_EQ(refused_csv("0F0,(0F1;0B)OVERLAP_F_B\n"), "line 1, column 10: '0B'" + form);
    EXPECT_EQ(refused_csv("0F0, (0F1;0B0)\n"),
              "line 1, column 6: '(0F1;0B0)' is no overlap of actions, as in (0F1;3B0)OVERLAP_F_B");
    EXPECT_EQ(refused_csv(""), "a pipeline schedule has a row for each rank");
    EXPECT_EQ(refused_csv("0F0,0B0,0F0\n"), "line 1, column 9: '0F0' occurs twice");
    EXPECT_EQ(refused_csv("0F0,1B0,0B0\n1F0\n"), "line 1, column 5: '1B0' is on rank 0, its F on rank 1");
}

/// Every action is in a later column than what it needs, as the reader of PyTorch expects.
TEST(Csv, has_a_column_for_each_step) {
    const Schedule schedule = zb_v(4, 8);
    Durations steps = equal_durations(schedule.stages);
    steps.backward = steps.input;
    const std::string as_csv = csv(schedule);
    std::size_t columns = 0;
    for (std::size_t begin = 0; begin < as_csv.size();) {
        const std::size_t end = as_csv.find('\n', begin);
        const std::string row = as_csv.substr(begin, end - begin);
        columns = std::max(columns, static_cast<std::size_t>(std::count(row.begin(), row.end(), ',')) + 1);
        begin = end + 1;
    }
    EXPECT_EQ(static_cast<double>(columns), makespan(schedule, steps));
}

} // namespace planc::pipeline

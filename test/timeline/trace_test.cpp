// A pipeline of two stages in whole seconds: its runs in time, drawn, as a trace, and beside a measured trace.
#include "timeline/read_trace.h"
#include "timeline/simulate.h"

#include <gtest/gtest.h>

namespace planc::timeline {

namespace {

/// Two micro-batches: stage 0 takes 2 s forward and 4 s backward, stage 1 as long; transfers take no time. What a stage
/// waits for it starts right before.
Program pipeline() {
    Program program;
    program.classes = {{0, 1, 0}, {1, 1, 1}};
    program.kernels = {{"forward", "a", "forward", {Seconds(2), Seconds(2)}},
                       {"backward", "a", "input gradient", {Seconds(4), Seconds(4)}}};
    const auto transfer = [](const std::string &name, int micro_batch) {
        Collective result{"transfer of " + name, name, "transfer", {{{0, 1}, {}, 1, {}, {}}}, {0, 0}};
        result.between_roles = true;
        result.micro_batch = micro_batch;
        return result;
    };
    program.collectives = {transfer("h", 0), transfer("h", 1), transfer("g", 0), transfer("g", 1)};
    using enum ActionKind;
    program.actions = {{{compute, 0, 0},
                        {start, 0},
                        {compute, 0, 1},
                        {start, 1},
                        {start, 2},
                        {wait, 2},
                        {compute, 1, 2},
                        {start, 3},
                        {wait, 3},
                        {compute, 1, 3},
                        {wait, 0},
                        {wait, 1}},
                       {{start, 0},
                        {wait, 0},
                        {compute, 0, 4},
                        {compute, 1, 5},
                        {start, 2},
                        {start, 1},
                        {wait, 1},
                        {compute, 0, 6},
                        {compute, 1, 7},
                        {start, 3},
                        {wait, 2},
                        {wait, 3}}};
    using planrt::BodyKind;
    for (int stage = 0; stage < 2; ++stage)
        for (const auto &[kind, micro_batch] : stage == 0
                                                   ? std::vector<std::pair<BodyKind, int>>{{BodyKind::forward, 0},
                                                                                           {BodyKind::forward, 1},
                                                                                           {BodyKind::backward, 0},
                                                                                           {BodyKind::backward, 1}}
                                                   : std::vector<std::pair<BodyKind, int>>{{BodyKind::forward, 0},
                                                                                           {BodyKind::backward, 0},
                                                                                           {BodyKind::forward, 1},
                                                                                           {BodyKind::backward, 1}})
            program.runs.push_back({planrt::run_name(kind, micro_batch, {}), kind, stage, micro_batch});
    program.roles = {"stage 0", "stage 1"};
    program.micro_batches = 2;
    return program;
}

ReportOptions options() {
    return {{"n", "staged", {{"stage", "2"}}, 2}, "n on 2 ranks", {}, {}};
}

Trace predicted() {
    const Program program = pipeline();
    return predicted_trace(program, simulate(program), options());
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

/// The prediction as if a program had measured it in its step 7.
std::string as_measured() {
    const Program program = pipeline();
    const std::string text = chrome_trace(program, simulate(program), options());
    return replaced(replaced(text, "\"predicted\"", "\"measured\""), "{\"event\"", "{\"step\": 7, \"event\"");
}

std::string complaint(const std::string &json) {
    const auto read = read_trace(json);
    const auto *wrong = std::get_if<std::string>(&read);
    return wrong == nullptr ? "" : *wrong;
}

std::string difference_of(const std::string &json) {
    const auto read = read_trace(json);
    const auto *trace = std::get_if<Trace>(&read);
    return trace == nullptr ? "not read" : difference(predicted(), *trace);
}

TEST(Runs, begin_and_end_with_their_work) {
    const Timeline timeline = simulate(pipeline());
    std::string text;
    for (const RankTime &rank : timeline.ranks)
        for (const RunTime &run : rank.runs)
            text += std::to_string(run.run) + ":" + std::to_string(static_cast<int>(run.begin.value)) + "-" +
                    std::to_string(static_cast<int>(run.end.value)) + " ";
    EXPECT_EQ(text, "0:0-2 1:2-4 2:8-12 3:14-18 4:2-4 5:4-8 6:8-10 7:10-14 ");
    EXPECT_EQ(timeline.makespan, Seconds(18));
}

// 18 s on at least 96 columns: 5.33 columns for each second.
TEST(ScheduleChart, shows_runs_micro_batches_and_waiting) {
    const Program program = pipeline();
    const std::string chart = schedule_chart(program, simulate(program));
    EXPECT_EQ(
        chart.substr(chart.find("stage 0")),
        "stage 0  F0fffffffffF1ffffffff......................B0bbbbbbbbbbbbbbbbbbb...........B1bbbbbbbbbbbbbbbbbbb\n"
        "stage 1  ...........F0ffffffffB0bbbbbbbbbbbbbbbbbbbbF1ffffffffB1bbbbbbbbbbbbbbbbbbbb.....................\n"
        "F forward, B backward, with the micro-batch where there is room; . waits\n");
}

TEST(Trace, has_a_row_for_each_stage) {
    const Trace trace = predicted();
    ASSERT_EQ(trace.rows.size(), 2U);
    EXPECT_EQ(trace.rows[0].name, "stage 0: rank 0");
    EXPECT_EQ(trace.rows[0].runs(), (std::vector<std::string>{"F0", "F1", "B0", "B1"}));
    EXPECT_EQ(trace.rows[1].runs(), (std::vector<std::string>{"F0", "B0", "F1", "B1"}));
    EXPECT_EQ(trace.rows[1].busy(), Seconds(12));
    EXPECT_EQ(trace.bubble(), Seconds(6));
    EXPECT_EQ(trace.rows[0].compute[1].name, "a: forward");
    EXPECT_EQ(trace.rows[0].compute[3].micro_batch, 1);
}

// A run that waits for 1 of its 3 s is busy for 2; waiting between runs counts for none.
TEST(Trace, busy_is_without_waits) {
    TraceRow row;
    const auto add = [&](TraceEvent::Kind kind, double begin, double end) {
        row.compute.push_back({kind, "", "", Seconds(begin), Seconds(end)});
    };
    add(TraceEvent::Kind::run, 0, 3);
    add(TraceEvent::Kind::wait, 1, 2);
    add(TraceEvent::Kind::wait, 3, 5);
    add(TraceEvent::Kind::run, 5, 6);
    add(TraceEvent::Kind::samples, 6, 7);
    EXPECT_EQ(row.busy(), Seconds(3));
}

TEST(ReadTrace, reads_what_a_program_of_the_same_plan_writes) {
    const auto read = read_trace(as_measured());
    const auto *trace = std::get_if<Trace>(&read);
    ASSERT_NE(trace, nullptr) << std::get<std::string>(read);
    EXPECT_EQ(trace->title, "step 7");
    EXPECT_NEAR(trace->step.value, 18, 1e-9);
    EXPECT_EQ(trace->rows[1].runs(), predicted().rows[1].runs());
    EXPECT_NEAR(trace->rows[1].busy().value, 12, 1e-9);
    EXPECT_EQ(difference(predicted(), *trace), "");
}

TEST(ReadTrace, takes_the_step_with_the_median_time) {
    const auto event = [](int step, double begin, double seconds) {
        return "{\"name\": \"F0\", \"cat\": \"forward\", \"ph\": \"X\", \"pid\": 0, \"tid\": 0, \"ts\": " +
               std::to_string(1e6 * begin) + ", \"dur\": " + std::to_string(1e6 * seconds) +
               ", \"args\": {\"step\": " + std::to_string(step) +
               ", \"event\": \"run\", \"stage\": 0, \"micro_batch\": 0}}";
    };
    const auto read = read_trace("{\"otherData\": {\"source\": \"measured\", \"network\": \"n\", \"layout\": \"l\", "
                                 "\"mesh\": {}, \"micro_batches\": 1}, \"traceEvents\": [" +
                                 event(1, 0, 9) + ", " + event(2, 10, 2) + ", " + event(3, 20, 3) + "]}");
    const auto *trace = std::get_if<Trace>(&read);
    ASSERT_NE(trace, nullptr) << std::get<std::string>(read);
    EXPECT_EQ(trace->title, "step 3");
    EXPECT_EQ(trace->step, Seconds(3));
    EXPECT_EQ(trace->rows[0].compute[0].begin, Seconds(0));
}

TEST(ReadTrace, says_where_the_json_is_wrong) {
    EXPECT_EQ(complaint("{\n  \"a\": }"), "[2:8, byte=10]: Invalid JSON value");
    EXPECT_EQ(complaint("[]"), "expected object when parsing trace");
    EXPECT_EQ(complaint("{}"), "missing value at trace.otherData");
    const std::string text = as_measured();
    EXPECT_EQ(complaint(replaced(text, "\"measured\"", "\"predicted\"")),
              "expected 'measured': only programs measure (--trace) at trace.otherData.source");
    EXPECT_EQ(complaint(replaced(text, "\"ts\": 0,", "\"ts\": \"0\",")), "expected number at trace.traceEvents[2].ts");
    EXPECT_EQ(complaint(replaced(text, "\"event\": \"run\"", "\"event\": \"walk\"")),
              "expected a kind of event at trace.traceEvents[2].args.event");
    EXPECT_EQ(complaint(replaced(text, "\"traceEvents\": [", "\"traceEvents\": [], \"more\": [")),
              "there is no step in it");
}

TEST(ReadTrace, says_in_what_the_plans_differ) {
    const std::string text = as_measured();
    EXPECT_EQ(difference_of(replaced(text, "\"network\": \"n\"", "\"network\": \"m\"")),
              "it is of network m, and this one is n");
    EXPECT_EQ(difference_of(replaced(text, "\"layout\": \"staged\"", "\"layout\": \"other\"")),
              "it is of layout other, and this one is staged");
    EXPECT_EQ(difference_of(replaced(text, "\"stage\": 2}", "\"stage\": 4}")),
              "it is of mesh stage 4, and this one is stage 2");
    EXPECT_EQ(difference_of(replaced(text, "\"micro_batches\": 2", "\"micro_batches\": 3")),
              "it has 3 micro-batches a step, this plan 2");
    EXPECT_EQ(difference_of(replaced(text, "\"name\": \"B0\"", "\"name\": \"I0\"")),
              "rank 0 runs B1 where this plan has B0 B1");
    EXPECT_EQ(difference_of(replaced(text, "\"pid\": 1", "\"pid\": 3")),
              "rank 1 runs nothing where this plan has F0 B0 F1 B1");
}

} // namespace

} // namespace planc::timeline

// The measured trace: which steps are kept, what their events are called, and on whose clock they are.
#include "count/trace_file.h"
#include "count/trace_recorder.h"
#include "support/json.h"

#include <gtest/gtest.h>

namespace planrt {
namespace {

using Kind = TraceRecorder::Kind;
using Span = TraceRecorder::Span;

double time_now = 0; // s

double now() {
    return time_now;
}

class Trace : public testing::Test {
  protected:
    Trace() { time_now = 0; }

    /// A program of two stages on a rank each, with one transfer and one collective of the second stage.
    static Program two_stages() {
        static constexpr Body bodies[] = {{nullptr, {}, BodyKind::forward, 0},
                                          {nullptr, {}, BodyKind::forward, 1},
                                          {nullptr, {}, BodyKind::update, 1}};
        static constexpr Action first[] = {{ActionKind::run, 0, 0, 0}, {ActionKind::send, 1, 0, 0}};
        static constexpr Action second[] = {
            {ActionKind::receive, 1, 0, 0}, {ActionKind::run, 1, 0, 0}, {ActionKind::run, 2, 0, 0}};
        static constexpr RoleProgram roles[] = {{"stage 0", {}, first}, {"stage 1", {}, second}};
        static constexpr TrafficRow traffic[] = {{"y", "weight gradient", "gradient of y.w, gradient of y.b"},
                                                 {"h to stage 1", "transfer", "h to stage 1"}};
        static const Collective collectives[] = {
            {CollectiveKind::all_reduce, 0, {}, {}, 0, 0, {}, 0, Algorithm::mpi, {}, 1},
            {CollectiveKind::exchange, 1, {}, {}, 0, 0, {}, 0, Algorithm::mpi, {}, 0, 1}};
        static constexpr MicroBatches micro_batches[] = {{1, 8}};
        Program program{};
        program.name = "n";
        program.traffic = traffic;
        program.collectives = collectives;
        program.training_collectives = 2;
        program.bodies = bodies;
        program.micro_batches = micro_batches;
        program.roles = roles;
        return program;
    }

    static void record(TraceRecorder &recorder, Kind kind, int index, double begin, double end) {
        time_now = begin;
        const Span span(&recorder, kind, index, 0);
        time_now = end;
    }

    /// The events of a rank, parsed; metadata left out unless asked for.
    static std::vector<JsonValue> events(const std::string &text, const std::string &phase) {
        std::vector<JsonValue> found;
        for (const JsonValue &event : parse_json("[" + text + "]").values)
            if (event.member("ph")->string == phase)
                found.push_back(event);
        return found;
    }

    static std::string words(const JsonValue &event) {
        return event.member("name")->string + " on " + std::to_string(static_cast<int>(event.member("tid")->number)) +
               " from " + std::to_string(static_cast<int>(event.member("ts")->number)) + " for " +
               std::to_string(static_cast<int>(event.member("dur")->number));
    }
};

TEST_F(Trace, WithoutARecorderNothingHappens) {
    const Span span(nullptr, Kind::run, 0, 0);
}

TEST_F(Trace, TheLastStepsAreKept) {
    TraceRecorder recorder(2, 3, now);
    EXPECT_TRUE(recorder.steps().empty());
    for (int step = 10; step < 15; ++step) {
        recorder.begin_step(step);
        record(recorder, Kind::run, 0, step, step + 0.5);
    }
    const std::vector<TraceRecorder::Step> steps = recorder.steps();
    ASSERT_EQ(steps.size(), 3U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(steps[i].number, 12 + i);
        ASSERT_EQ(steps[i].records.size(), 1U);
        EXPECT_EQ(steps[i].records[0].begin, 12 + i);
        EXPECT_EQ(steps[i].records[0].end, 12.5 + i);
    }
}

TEST_F(Trace, AStepHasNoMoreRecordsThanItsMemory) {
    TraceRecorder recorder(2, 2, now);
    recorder.begin_step(0);
    for (int i = 0; i < 5; ++i)
        record(recorder, Kind::run, i, i, i + 1);
    recorder.begin_step(1);
    record(recorder, Kind::run, 7, 9, 10);
    const std::vector<TraceRecorder::Step> steps = recorder.steps();
    ASSERT_EQ(steps.size(), 2U);
    ASSERT_EQ(steps[0].records.size(), 2U);
    EXPECT_EQ(steps[0].records[1].index, 1);
    ASSERT_EQ(steps[1].records.size(), 1U);
    EXPECT_EQ(steps[1].records[0].index, 7);
}

TEST_F(Trace, MemoryIsForAllRecordsOfARole) {
    const Program program = two_stages();
    EXPECT_EQ(most_records(program, 0), 3U * 2 + 2 * 1);
    EXPECT_EQ(most_records(program, 1), 3U * 3 + 2 * 2);
}

TEST_F(Trace, EventsHaveTheNamesOfThePrediction) {
    TraceRecorder recorder(20, 1, now);
    recorder.begin_step(4);
    record(recorder, Kind::work, 1, 10, 11);
    record(recorder, Kind::wait, 1, 11, 14);
    time_now = 14;
    {
        const Span run(&recorder, Kind::run, 1, 0);
        record(recorder, Kind::work, 0, 15, 16);
        record(recorder, Kind::wait, 0, 18, 19);
        time_now = 20;
    }
    record(recorder, Kind::run, 2, 20, 22);
    const std::string text = trace_events(two_stages(), 1, 1, recorder, AlignedClock(), 10);
    std::vector<std::string> found;
    for (const JsonValue &event : events(text, "X"))
        found.push_back(words(event));
    EXPECT_EQ(found, (std::vector<std::string>{
                         "works for transfer of h to stage 1 on 0 from 0 for 1000000",
                         "waits for transfer of h to stage 1 on 0 from 1000000 for 3000000",
                         "F0 on 0 from 4000000 for 6000000",
                         "y: works for all-reduce of gradient of y.w, gradient of y.b on 0 from 5000000 for 1000000",
                         "y: waits for all-reduce of gradient of y.w, gradient of y.b on 0 from 8000000 for 1000000",
                         "U on 0 from 10000000 for 2000000", "transfer of h to stage 1 on 1 from 0 for 4000000",
                         "y: all-reduce of gradient of y.w, gradient of y.b on 1 from 5000000 for 4000000"}));
    const JsonValue run = events(text, "X")[2];
    EXPECT_EQ(run.member("cat")->string, "forward");
    EXPECT_EQ(run.member("pid")->number, 1);
    EXPECT_EQ(run.member("args")->member("step")->number, 5);
    EXPECT_EQ(run.member("args")->member("stage")->number, 1);
    EXPECT_EQ(run.member("args")->member("micro_batch")->number, 0);
    EXPECT_EQ(events(text, "M")[0].member("args")->member("name")->string, "stage 1: rank 1");
}

TEST_F(Trace, WhatIsUnderWayAtOneTimeLiesOnLanesOfItsOwn) {
    TraceRecorder recorder(20, 1, now);
    recorder.begin_step(0);
    record(recorder, Kind::work, 0, 0, 1);
    record(recorder, Kind::work, 1, 1, 2);
    record(recorder, Kind::wait, 0, 2, 3);
    record(recorder, Kind::wait, 1, 3, 4);
    std::vector<double> lanes;
    for (const JsonValue &event : events(trace_events(two_stages(), 1, 1, recorder, AlignedClock(), 0), "X"))
        if (event.member("args")->member("event")->string == "transfer")
            lanes.push_back(event.member("tid")->number);
    EXPECT_EQ(lanes, (std::vector<double>{1, 2}));
}

// 100 s apart at 0, 102 s at 10: the clock of the rank loses a fifth of a second each second.
TEST_F(Trace, ClocksAreAlignedAlongALine) {
    const AlignedClock clock({0, 100, 0.1}, {10, 102, 0.3});
    EXPECT_DOUBLE_EQ(clock.of(0), 100);
    EXPECT_DOUBLE_EQ(clock.of(5), 106);
    EXPECT_DOUBLE_EQ(clock.of(10), 112);
    EXPECT_DOUBLE_EQ(clock.error(), 0.3);
    EXPECT_DOUBLE_EQ(AlignedClock().of(3), 3);
}

TEST(TraceNames, Runs) {
    EXPECT_EQ(run_name(BodyKind::forward, 3, {}), "F3");
    EXPECT_EQ(run_name(BodyKind::input_gradient, 12, 5), "I12.5");
    EXPECT_EQ(run_name(BodyKind::update, 7, {}), "U");
    EXPECT_EQ(run_name(BodyKind::update, 7, 1), "U.1");
    EXPECT_EQ(row_name("stage 0", 4), "stage 0: rank 4");
    EXPECT_EQ(row_name("", 4), "rank 4");
}

TEST(TraceNames, ListsAreShortened) {
    EXPECT_EQ(first_ones(""), "");
    EXPECT_EQ(first_ones("a"), "a");
    EXPECT_EQ(first_ones("a, b, c"), "a, b, c");
    EXPECT_EQ(first_ones("a, b, c, d, e"), "a, b, c and 2 more");
    EXPECT_EQ(collective_name(CollectiveKind::all_reduce, "a, b, c, d"), "all-reduce of a, b, c and 1 more");
    EXPECT_EQ(event_name(Communicating::waits, transfer_name("h")), "waits for transfer of h");
}

} // namespace
} // namespace planrt

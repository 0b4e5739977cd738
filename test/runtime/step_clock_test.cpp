// Time is booked to one account at a time. Lower bounds only: a busy machine makes everything longer.
#include "count/cores.h"
#include "count/step_clock.h"
#include "run/training/reference.h"

#include <gtest/gtest.h>

#include <chrono>

namespace planrt {
namespace {

void pass(double seconds) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) {
    }
}

TEST(StepClock, BooksTimeWhereItPasses) {
    StepClock clock(2, 1);
    clock.begin_step();
    clock.enter(StepClock::samples);
    pass(1e-3);
    clock.enter_work(1);
    pass(2e-3);
    {
        const StepClock::Communication booked(&clock, 0);
        pass(3e-3);
    }
    pass(1e-3); // of row 1 again
    clock.end_step();
    ASSERT_EQ(clock.steps(), 1);
    const auto account = [&clock](int index) { return clock.median(index, index + 1); };
    EXPECT_GE(account(StepClock::samples), 1e-3);
    EXPECT_EQ(account(clock.first_work()), 0);
    EXPECT_GE(account(clock.first_work() + 1), 3e-3);
    EXPECT_GE(account(clock.first_collective()), 3e-3);
    EXPECT_NEAR(clock.median(0, clock.accounts()),
                account(0) + account(1) + account(clock.first_work() + 1) + account(clock.first_collective()), 1e-9);
}

TEST(StepClock, LeavesColdStepsAndOldOnesOut) {
    StepClock clock(1, 0);
    const auto run = [&clock](int steps) {
        for (int step = 0; step < steps; ++step) {
            clock.begin_step();
            clock.end_step();
        }
        return clock.steps();
    };
    EXPECT_EQ(clock.steps(), 0);
    EXPECT_EQ(clock.median(0, clock.accounts()), 0);
    EXPECT_EQ(run(2), 2);
    EXPECT_EQ(run(1), 2);
    EXPECT_EQ(run(27), 25);
    EXPECT_EQ(run(1000), 256);
}

TEST(Reference, RunsSeldom) {
    EXPECT_FALSE(Reference::due(100.5, 100));
    EXPECT_TRUE(Reference::due(101, 100));
}

TEST(TooFewCores, AreSaid) {
    EXPECT_EQ(too_few_cores({4, 4, 4}), "");
    EXPECT_EQ(too_few_cores({2, 4, 8}), "");
    EXPECT_EQ(
        too_few_cores({4, 4, 2}),
        "4 ranks share 2 cores: each computes for 0.50 of the time at most, and waits for others that do not run\n"
        "meanwhile; predictions assume a core for each thread\n");
    EXPECT_TRUE(too_few_cores({2, 4, 1}).starts_with("2 ranks with 4 threads share 1 core: each computes for 0.25 of"));
}

} // namespace
} // namespace planrt

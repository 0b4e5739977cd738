// A hand-written classifier trained on several ranks: losses, weights, logs.
#include "points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

class Training : public PointsTest {};

TEST_F(Training, LossesAreTheSameUnderEveryLayout) {
    ASSERT_EQ(run(1, "--log " + directory_.file("plain1")).exit_code, 0);
    const std::vector<double> wanted = losses("plain1");
    for (const char *layout : {"zero", "parts"})
        for (const int ranks : {1, 2, 3}) {
            layout_ = layout;
            const std::string name = layout + std::to_string(ranks);
            const Outcome outcome = run(ranks, "--quiet --log " + directory_.file(name) + " --comm-report " +
                                                   directory_.file(name + ".json"));
            ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
            expect_near(losses(name), wanted);
            const planrt::JsonValue report = planrt::parse_json(directory_.read(name + ".json"));
            const planrt::JsonValue &memory = *report.member("memory");
            EXPECT_EQ(memory.member("measured")->values[0].number, memory.member("predicted")->number);
        }
}

TEST_F(Training, LossesWeightsAndAccuracyAreThoseOfOneRank) {
    const Outcome one = run(1, "--log " + directory_.file("1.json") + " --save " + directory_.file("1.safetensors") +
                                   " --save-init " + directory_.file("init1.safetensors"));
    ASSERT_EQ(one.exit_code, 0) << one.output;
    const auto steps = logged("1.json", "step");
    ASSERT_EQ(steps.size(), 5U * (240 / 7));
    EXPECT_EQ(steps.back().member("epoch")->number, 5);
    EXPECT_LT(steps.back().member("loss")->number, 0.5 * steps.front().member("loss")->number);
    const auto evaluations = logged("1.json", "accuracy");
    ASSERT_EQ(evaluations.size(), 5U);
    EXPECT_GT(evaluations.back().member("accuracy")->number, 0.95);
    EXPECT_EQ(evaluations.back().member("samples")->number, 60);
    for (const int ranks : {2, 3, 4}) {
        const std::string name = std::to_string(ranks);
        const Outcome several =
            run(ranks, "--quiet --comm-report " + directory_.file("report.json") + " --log " +
                           directory_.file(name + ".json") + " --save " + directory_.file(name + ".safetensors") +
                           " --save-init " + directory_.file("init" + name + ".safetensors"));
        ASSERT_EQ(several.exit_code, 0) << several.output;
        const auto others = logged(name + ".json", "step");
        ASSERT_EQ(others.size(), steps.size());
        for (std::size_t i = 0; i < 20; ++i) {
            const double loss = steps[i].member("loss")->number;
            EXPECT_NEAR(others[i].member("loss")->number, loss, 1e-5 * std::abs(loss));
        }
        EXPECT_NEAR(logged(name + ".json", "accuracy").back().member("accuracy")->number,
                    evaluations.back().member("accuracy")->number, 1e-9);
        EXPECT_EQ(directory_.read("init" + name + ".safetensors"), directory_.read("init1.safetensors"));
        EXPECT_EQ(directory_.read(name + ".safetensors").size(), directory_.read("1.safetensors").size());
    }
}

TEST_F(Training, StartsFromSavedWeights) {
    ASSERT_EQ(run(1, "--save " + directory_.file("w")).exit_code, 0);
    const Outcome again = run(3, "--steps 1 --seed 5 --init " + directory_.file("w") + " --save-init " +
                                     directory_.file("same") + " --log " + directory_.file("log"));
    ASSERT_EQ(again.exit_code, 0) << again.output;
    EXPECT_EQ(directory_.read("same"), directory_.read("w"));
    EXPECT_LT(logged("log", "step")[0].member("loss")->number, 0.2);
}

TEST_F(Training, StepsEpochsAndSeed) {
    ASSERT_EQ(run(2, "--steps 3 --log " + directory_.file("a")).exit_code, 0);
    EXPECT_EQ(logged("a", "step").size(), 3U);
    EXPECT_EQ(logged("a", "accuracy").size(), 1U);
    ASSERT_EQ(run(1, "--epochs 2 --log " + directory_.file("b")).exit_code, 0);
    EXPECT_EQ(logged("b", "step").size(), 68U);
    ASSERT_EQ(run(1, "--steps 3 --seed 2 --log " + directory_.file("c")).exit_code, 0);
    EXPECT_NE(logged("a", "step")[0].member("loss")->number, logged("c", "step")[0].member("loss")->number);
}

TEST_F(Training, SaysWhatItDoes) {
    const Outcome outcome = run(2, "--epochs 1");
    EXPECT_TRUE(outcome.output.starts_with("softmax (softmax.plan): 2 ranks, mesh rows 2, layout data_parallel; "
                                           "OpenBLAS for "))
        << outcome.output;
    EXPECT_NE(outcome.output.find("\n240 samples to train on, 60 to test; 34 steps of 7 samples\nepoch 1/1  loss 0."),
              std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("\ntest accuracy 100.00 % after 34 steps in "), std::string::npos) << outcome.output;
    const Outcome help = run(3, "--help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.output.find("usage:"), help.output.rfind("usage:"));
}

} // namespace

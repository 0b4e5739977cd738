// Every kind of collective between random placements, on real ranks: every element compared, and every byte that goes
// into MPI with what traffic() predicts.
#include "launch.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

namespace {

struct Grid {
    const char *mesh;
    int ranks;
};

class Collectives : public testing::TestWithParam<Grid> {};

TEST_P(Collectives, AsPlacedAndAsPredicted) {
    const ScratchDirectory directory;
    const Outcome outcome =
        launch(GetParam().ranks, "planrt_collectives_program",
               "--quiet --watchdog 60 --comm-report " + directory.file("report.json"),
               {{"PLANRT_TEST_MESH", GetParam().mesh}, {"PLANRT_TEST_SEED", std::to_string(GetParam().ranks)}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_TRUE(outcome.output.starts_with("loss 1 after 3 steps")) << outcome.output;
    EXPECT_NE(directory.read("report.json").find("\"equal\": true"), std::string::npos);
}

TEST_P(Collectives, ByMessagesAsPlacedAndAsPredicted) {
    const ScratchDirectory directory;
    const Outcome outcome = launch(GetParam().ranks, "planrt_collectives_program",
                                   "--quiet --watchdog 60 --comm-report " + directory.file("report.json"),
                                   {{"PLANRT_TEST_MESH", GetParam().mesh},
                                    {"PLANRT_TEST_MESSAGES", "1"},
                                    {"PLANRT_TEST_SEED", std::to_string(GetParam().ranks)}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_TRUE(outcome.output.starts_with("loss 1 after 3 steps")) << outcome.output;
    EXPECT_NE(directory.read("report.json").find("\"equal\": true"), std::string::npos);
    if (GetParam().ranks > 1) {
        EXPECT_NE(directory.read("report.json").find("\"sent_bytes\""), std::string::npos);
    }
}

INSTANTIATE_TEST_SUITE_P(Meshes, Collectives,
                         testing::Values(Grid{"1", 1}, Grid{"2", 2}, Grid{"3", 3}, Grid{"5", 5}, Grid{"2x2", 4},
                                         Grid{"2x3", 6}, Grid{"7", 7}, Grid{"2x1x2", 4}, Grid{"2x2x2", 8}),
                         [](const auto &grid) { return "Mesh" + std::string(grid.param.mesh); });

TEST(MoreElementsThanMpiCounts, GoInPartsAndCountTheSame) {
    const Outcome outcome = launch(4, "planrt_counted_program", "", {});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_TRUE(outcome.output.starts_with("as MPI counts")) << outcome.output;
}

TEST(CommunicationReport, DifferenceOfMessagesIsExitCode3) {
    const ScratchDirectory directory;
    const Outcome outcome =
        launch(2, "planrt_collectives_program", "--comm-report " + directory.file("report.json"),
               {{"PLANRT_TEST_MESH", "2"}, {"PLANRT_TEST_MESSAGES", "1"}, {"PLANRT_TEST_FAULT", "messages"}});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].starts_with("layer layer: reduce-scatter of tensor (forward): rank 1 made 3 calls "
                                              "with 84 bytes in 3 messages with 48 bytes, "
                                              "predicted were 3 calls with 84 bytes in 3 messages with 60 bytes ("))
        << outcome.errors[0];
}

TEST(CommunicationReport, DifferenceIsExitCode3) {
    const ScratchDirectory directory;
    const Outcome outcome = launch(2, "planrt_collectives_program", "--comm-report " + directory.file("report.json"),
                                   {{"PLANRT_TEST_MESH", "2"}, {"PLANRT_TEST_FAULT", "predict"}});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].starts_with("layer layer: all-gather of tensor (forward): rank 1 made 3 calls"))
        << outcome.errors[0];
    EXPECT_NE(directory.read("report.json").find("\"equal\": false"), std::string::npos);
}

} // namespace

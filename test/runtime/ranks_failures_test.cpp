// What goes wrong at run time: one clear line, an exit code that is not 0, no hang.
#include "checkpoint/lock.h"
#include "points.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace {

class Failures : public PointsTest {
  protected:
    static void expect_one_line(const Outcome &outcome, int exit_code, const std::string &line) {
        EXPECT_EQ(outcome.exit_code, exit_code) << outcome.output;
        ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
        EXPECT_EQ(outcome.errors[0], line);
    }
};

TEST_F(Failures, WrongNumberOfRanks) {
    expect_one_line(run(3, "", "", 4), 2, "this program was compiled for 4 ranks (mesh rows 4); mpirun started 3");
    expect_one_line(run(2, "", "", 1), 2, "this program was compiled for 1 rank (mesh rows 1); mpirun started 2");
}

TEST_F(Failures, WrongUsage) {
    expect_one_line(run(2, "--stpes 3"), 2, "unknown option '--stpes'; --help lists the options");
}

TEST_F(Failures, MissingData) {
    expect_one_line(run(3, "--data /nonexistent"), 1,
                    "cannot read /nonexistent/points.csv: No such file or directory (--data DIR reads data elsewhere)");
}

TEST_F(Failures, BrokenData) {
    const std::string path = directory_.write("points.csv", points(40) + "1,2\n");
    expect_one_line(run(3, ""), 1, path + ":41: expected 3 columns as above, got 2");
}

TEST_F(Failures, MissingWeights) {
    expect_one_line(run(2, "--init " + directory_.file("none")), 1,
                    "cannot read " + directory_.file("none") + ": No such file or directory");
}

TEST_F(Failures, LossThatIsNoNumber) {
    const Outcome outcome = run(2, "", "nan");
    expect_one_line(outcome, 1, "step 3 (epoch 1): the loss is nan; try a smaller rate");
}

TEST_F(Failures, FullDiskForTheLog) {
    expect_one_line(run(2, "--log /dev/full"), 1, "rank 0: cannot write /dev/full: No space left on device");
}

TEST_F(Failures, FullDiskForWeights) {
    expect_one_line(run(3, "--save /dev/full"), 1, "cannot write /dev/full: No space left on device");
    expect_one_line(run(2, "--save-init /dev/full"), 1, "cannot write /dev/full: No space left on device");
}

TEST_F(Failures, FullDiskForTheReport) {
    expect_one_line(run(2, "--comm-report /dev/full"), 1, "rank 0: cannot write /dev/full: No space left on device");
}

TEST_F(Failures, NoPlaceForWeightsIsToldBeforeTraining) {
    const Outcome outcome = run(2, "--save /nonexistent/weights");
    expect_one_line(outcome, 1, "rank 0: cannot write /nonexistent/weights: No such file or directory");
    EXPECT_EQ(outcome.output.find("epoch"), std::string::npos) << outcome.output;
}

TEST_F(Failures, BufferBehindTheArena) {
    expect_one_line(run(2, "--quiet --comm-report " + directory_.file("report"), "memory"), 3,
                    "memory: 997 bytes of buffers were used, predicted were 996 (" + directory_.file("report") + ")");
}

TEST_F(Failures, ResumeOfAnotherRun) {
    const std::string checkpoints = directory_.file("checkpoints");
    ASSERT_EQ(run(2, "--steps 4 --checkpoint " + checkpoints).exit_code, 0);
    const std::string path = checkpoints + "/step-00000004.safetensors";
    expect_one_line(run(2, "--seed 9 --resume " + checkpoints), 1, path + ": is of a run with seed 1; this one has 9");
    expect_one_line(run(2, "--checkpoint " + checkpoints), 1,
                    "rank 0: " + checkpoints +
                        " holds checkpoints already, the last one of step 4: --resume goes on from it");
    directory_.write("points.csv", points(299));
    expect_one_line(run(2, "--resume " + checkpoints), 1,
                    path + ": is of a run with a number of training samples of 240; this one has 239");
}

TEST_F(Failures, NoPlaceForCheckpoints) {
    directory_.write("file", "");
    expect_one_line(run(2, "--checkpoint " + directory_.file("file")), 1,
                    "rank 0: cannot write " + directory_.file("file") + ": Not a directory");
}

TEST_F(Failures, OneRunADirectory) {
    const std::string checkpoints = directory_.file("checkpoints");
    std::filesystem::create_directory(checkpoints);
    const planrt::DirectoryLock other(checkpoints);
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const std::string line = "rank 0: " + checkpoints + ": another run writes its checkpoints there (process " +
                             std::to_string(getpid()) + " on " + host.data() + ")";
    expect_one_line(run(2, "--resume --checkpoint " + checkpoints), 1, line);
}

TEST_F(Failures, ResumeWithoutAWholeCheckpoint) {
    const std::string checkpoints = directory_.file("checkpoints");
    expect_one_line(run(2, "--resume " + checkpoints), 1, checkpoints + ": holds no checkpoint");
    ASSERT_EQ(run(2, "--steps 4 --checkpoint " + checkpoints).exit_code, 0);
    const std::string path = checkpoints + "/step-00000004.safetensors";
    std::filesystem::rename(path, checkpoints + "/step-00000009.safetensors");
    const Outcome outcome = run(2, "--resume --checkpoint " + checkpoints);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.errors,
              (std::vector<std::string>{checkpoints + "/step-00000009.safetensors: has been renamed: it is of step 4",
                                        "rank 0: " + checkpoints + ": holds checkpoints, but none that is whole"}));
}

TEST_F(Failures, WeightsOfADamagedCheckpoint) {
    ASSERT_EQ(run(2, "--steps 4 --checkpoint " + directory_.file("checkpoints")).exit_code, 0);
    const std::string path = "checkpoints/step-00000004.safetensors";
    std::string content = directory_.read(path);
    content.back() = static_cast<char>(content.back() ^ 1);
    directory_.write(path, content);
    const Outcome outcome = run(2, "--init " + directory_.file(path));
    EXPECT_EQ(outcome.exit_code, 1);
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].starts_with("rank 0: " + directory_.file(path) + ": is damaged: its checksum is "));
}

TEST_F(Failures, PredictionWithoutWhatItNeeds) {
    expect_one_line(run(2, "--predict /nonexistent/x --output y --init w"), 1,
                    "cannot read /nonexistent/x: No such file or directory");
    const std::string arguments = "--predict " + directory_.file("points.csv") + " --output " + directory_.file("y");
    expect_one_line(run(2, arguments + " --resume " + directory_.file("none")), 1,
                    directory_.file("none") + ": holds no checkpoint");
    directory_.write("points.csv", "1,2\n3\n");
    expect_one_line(run(2, arguments + " --init w"), 1,
                    directory_.file("points.csv") + ":2: expected 2 columns as above, got 1");
}

TEST_F(Failures, WatchdogNamesTheCollective) {
    const Outcome outcome = run(2, "--watchdog 1", "hang");
    expect_one_line(outcome, 1,
                    "rank 0: layer loss: all-reduce of loss (forward): not complete after 1 s; a rank does not take "
                    "part");
}

} // namespace

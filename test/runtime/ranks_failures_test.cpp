// What goes wrong at run time: one clear line, an exit code that is not 0, no hang.
#include "checkpoint/lock.h"
#include "points.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace {

class Failures : public PointsTest {
  protected:
    static void expect_one_line(const Outcome &outcome, int exit_code, const std::string &line) {
        EXPECT_EQ(outcome.exit_code, exit_code) << outcome.output;
        ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
        EXPECT_EQ(outcome.errors[0], line);
        // The launcher has nothing to add.
        EXPECT_EQ(outcome.output.find("-----"), std::string::npos) << outcome.output;
        EXPECT_EQ(outcome.output.find("mpirun detected"), std::string::npos) << outcome.output;
    }

    /// Makes a pipe, from which nobody would ever read anything.
    [[nodiscard]] std::string make_pipe(const std::string &name) const {
        std::filesystem::remove(directory_.file(name));
        EXPECT_EQ(mkfifo(directory_.file(name).c_str(), 0666), 0);
        return directory_.file(name);
    }
};

TEST_F(Failures, WrongNumberOfRanks) {
    expect_one_line(run(3, "", "", 4), 2, "this program was compiled for 4 ranks (mesh rows 4); mpirun started 3");
    expect_one_line(run(2, "", "", 1), 2, "this program was compiled for 1 rank (mesh rows 1); mpirun started 2");
}

TEST_F(Failures, WrongUsage) {
    expect_one_line(run(2, "--stpes 3"), 2, "unknown option '--stpes'; --help lists the options");
}

TEST_F(Failures, WrongUsageOfOneRank) {
    expect_one_line(run_apart("", "--stpes 3"), 2, "rank 1: unknown option '--stpes'; --help lists the options");
    expect_one_line(run_apart("--steps", ""), 2,
                    "rank 0: option --steps: its value is missing; --help lists the options");
}

TEST_F(Failures, RanksWithOtherOptions) {
    const std::string complaint = "the ranks were started with different options: ";
    expect_one_line(run_apart("--steps 3", "--steps 4"), 2, complaint + "--steps: 3 on rank 0, 4 on rank 1");
    expect_one_line(run_apart("", "--seed=7"), 2, complaint + "--seed: none on rank 0, 7 on rank 1");
    expect_one_line(run_apart("--checkpoint a", ""), 2, complaint + "--checkpoint: a on rank 0, none on rank 1");
    expect_one_line(run_apart("", "--help"), 2, complaint + "--help: none on rank 0, given on rank 1");
    EXPECT_EQ(run_apart("--steps=3 --quiet", "--quiet --steps 3").exit_code, 0);
}

TEST_F(Failures, RanksWithOtherPrograms) {
    const std::string complaint = "the ranks run different programs: ";
    expect_one_line(run_apart("", "", "-x PLANRT_TEST_LAYOUT=zero"), 2,
                    complaint + "layout: data_parallel on rank 0, zero on rank 1");
    const std::string other = directory_.file("other");
    std::filesystem::copy_file(PROGRAMS "/planrt_softmax_program", other);
    std::ofstream(other, std::ios::app) << "more";
    const Outcome outcome = run(1, " : -n 1 '" + other + "'", "", 2);
    EXPECT_EQ(outcome.exit_code, 2);
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].starts_with(complaint + "checksum of the executable: ")) << outcome.errors[0];
}

TEST_F(Failures, RanksWithOtherData) {
    const std::string complaint = "the ranks have read different data: ";
    const ScratchDirectory other;
    const std::string arguments = "--data " + other.path();
    other.write("points.csv", points(600));
    expect_one_line(run_apart("", arguments), 1, complaint + "samples to train on: 240 on rank 0, 480 on rank 1");
    std::string changed = points(300);
    changed[changed.find('.') + 1] ^= 1; // a digit
    other.write("points.csv", changed);
    const Outcome outcome = run_apart("", arguments);
    EXPECT_EQ(outcome.exit_code, 1);
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].starts_with(complaint + "checksum of x: ")) << outcome.errors[0];
    other.write("points.csv", points(300)); // the same elsewhere
    EXPECT_EQ(run_apart("--quiet", "--quiet " + arguments).exit_code, 0);
}

TEST_F(Failures, RanksWithOtherWeights) {
    const ScratchDirectory other;
    ASSERT_EQ(run(1, "--steps 1 --save " + directory_.file("w")).exit_code, 0);
    ASSERT_EQ(run(1, "--steps 2 --save " + other.file("w")).exit_code, 0);
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(directory_.path());
    const std::string arguments = "--quiet --steps 3 --init w";
    const Outcome outcome = run_apart(arguments, arguments, "-wdir " + other.path());
    const Outcome same = run_apart(arguments, arguments, "-wdir " + directory_.path());
    std::filesystem::current_path(before);
    EXPECT_EQ(outcome.exit_code, 1);
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].starts_with("w is not the same file on all ranks: checksum: ")) << outcome.errors[0];
    EXPECT_EQ(same.exit_code, 0) << same.output;
}

TEST_F(Failures, ATraceIsReplacedOnlyByACompleteOne) {
    const std::string file = directory_.write("trace", "an older trace");
    EXPECT_EQ(run(2, "--trace " + file, "nan").exit_code, 1);
    EXPECT_EQ(directory_.read("trace"), "an older trace");
    EXPECT_EQ(run(2, "--steps 2 --trace " + file).exit_code, 0);
    EXPECT_NE(directory_.read("trace").find("\"ph\": \"X\""), std::string::npos);
    expect_one_line(run(2, "--trace /nonexistent/trace"), 1,
                    "rank 0: cannot write /nonexistent/trace: No such file or directory");
}

TEST_F(Failures, MoreEpochsThanCanBeCounted) {
    expect_one_line(run(2, "--epochs 9223372036854775807"), 2,
                    "9223372036854775807 epochs of 34 steps are more than can be counted");
    EXPECT_EQ(run(1, "--epochs 9223372036854775807 --steps 3").exit_code, 0);
}

TEST_F(Failures, OneFileForTwoOutputs) {
    const std::string file = directory_.file("one");
    const std::string same = directory_.file("./one");
    expect_one_line(run(2, "--save " + file + " --log " + same), 2,
                    "--save and --log would write the same file " + same);
    expect_one_line(run(2, "--save " + file + " --save-init " + file), 2,
                    "--save and --save-init would write the same file " + file);
    const std::string points = directory_.file("points.csv");
    expect_one_line(run(2, "--log " + points), 2,
                    "--log would replace " + points + ", which is read: it is data points");
    ASSERT_EQ(run(1, "--steps 1 --save " + file).exit_code, 0);
    expect_one_line(run(2, "--init " + file + " --save " + file), 2,
                    "--save would replace " + file + ", which is read: it is --init");
    expect_one_line(run(2, "--init " + file + " --predict " + points + " --output " + points), 2,
                    "--output would replace " + points + ", which is read: it is --predict");
    const std::string kept = directory_.file("kept");
    expect_one_line(run(2, "--checkpoint " + kept + " --save " + kept + "/step-00000170.safetensors"), 2,
                    "--save would replace " + kept + "/step-00000170.safetensors, a name of the checkpoints in " +
                        kept);
    EXPECT_EQ(run(2, "--quiet --save /dev/null --save-init /dev/null --log /dev/null").exit_code, 0);
}

TEST_F(Failures, PipesAreNotReadFrom) {
    const std::string weights = make_pipe("weights");
    const std::string pipe = ": it is a pipe, not a file";
    expect_one_line(run(2, "--init " + weights), 1, "cannot read " + weights + pipe);
    const std::string arguments = " --init " + weights + " --output " + directory_.file("y");
    expect_one_line(run(2, "--predict " + weights + arguments), 1, "cannot read " + weights + pipe);
    expect_one_line(run(2, "--predict /dev/zero" + arguments), 1, "cannot read /dev/zero: it is a device, not a file");
    const std::string data = make_pipe("points.csv");
    expect_one_line(run(2, ""), 1, "cannot read " + data + pipe);
}

TEST_F(Failures, LossThatGrowsIsToldOnce) {
    const Outcome outcome = run(2, "--quiet", "growth");
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(outcome.errors[0].starts_with("warning: step 3: the loss has grown to 1e+20, from ")) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].ends_with(" in the first step; try a smaller rate")) << outcome.output;
}

TEST_F(Failures, SignalWithoutACheckpoint) {
    const Outcome outcome = run(2, "--quiet --epochs 1000000", "SIGINT");
    EXPECT_EQ(outcome.exit_code, 130);
    ASSERT_EQ(outcome.errors.size(), 1U) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].starts_with("SIGINT: stopped after step ")) << outcome.output;
    EXPECT_TRUE(outcome.errors[0].ends_with("; the state is not saved, because --checkpoint DIR is not given"))
        << outcome.output;
}

TEST_F(Failures, PredictionFromDataWithoutTheirHeader) {
    header_ = "yes";
    const std::string named = "x,y,class\n";
    directory_.write("points.csv", named + points(300));
    ASSERT_EQ(run(2, "--quiet --save " + directory_.file("w")).exit_code, 0);
    const std::string samples = directory_.write("samples.csv", points(300));
    const std::string arguments =
        "--quiet --init " + directory_.file("w") + " --predict " + samples + " --output " + directory_.file("y.csv");
    expect_one_line(run(2, arguments), 1,
                    samples + ":1: expected a line of names, for data points has header = true, but got numbers only; "
                              "put the names of the columns above them");
    directory_.write("samples.csv", named + points(300));
    ASSERT_EQ(run(2, arguments).exit_code, 0);
    const std::string rows = directory_.read("y.csv");
    EXPECT_EQ(std::ranges::count(rows, '\n'), 300);
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

TEST_F(Failures, BlocksOfMatricesThatAreNotAsPredicted) {
    expect_one_line(run(2, "--quiet --comm-report " + directory_.file("report"), "matrices"), 3,
                    "memory: 0 bytes of blocks of matrices were made, predicted were 1 (" + directory_.file("report") +
                        ")");
}

TEST_F(Failures, ResumeOfAnotherRun) {
    const std::string checkpoints = directory_.file("checkpoints");
    ASSERT_EQ(run(2, "--steps 4 --checkpoint " + checkpoints).exit_code, 0);
    const std::string path = checkpoints + "/step-00000004.safetensors";
    expect_one_line(run(2, "--seed 9 --resume " + checkpoints), 1,
                    path + ": belongs to a run with seed 1; this one has 9");
    expect_one_line(run(2, "--checkpoint " + checkpoints), 1,
                    "rank 0: " + checkpoints +
                        " already has checkpoints, the last one of step 4: --resume continues from it");
    directory_.write("points.csv", points(299));
    expect_one_line(run(2, "--resume " + checkpoints), 1,
                    path + ": belongs to a run with a number of training samples of 240; this one has 239");
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
                                        "rank 0: " + checkpoints + ": has checkpoints, but none is complete"}));
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

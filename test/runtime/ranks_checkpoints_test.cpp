// Checkpoints and going on from them, and prediction with what was trained.
#include "points.h"
#include "support/checksum.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace {

class Checkpoints : public PointsTest {
  protected:
    /// Names of the files in the directory of checkpoints, ascending.
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> result;
        for (const auto &entry : std::filesystem::directory_iterator(checkpoints_))
            result.push_back(entry.path().filename().string());
        std::ranges::sort(result);
        return result;
    }

    void train(int ranks, const std::string &arguments) const {
        const Outcome outcome = run(ranks, "--quiet " + arguments);
        ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    }

    std::string checkpoints_ = directory_.file("checkpoints");
    std::string log_ = " --log " + directory_.file("log");
};

TEST_F(Checkpoints, GoingOnIsTheUnbrokenRunToTheLastBit) {
    for (const char *layout : {"plain", "zero", "parts"}) {
        layout_ = layout;
        checkpoints_ = directory_.file(layout);
        train(3, "--save " + directory_.file("unbroken") + " --log " + directory_.file("whole"));
        // The run ends behind its last checkpoint: what it logged since is written again.
        train(3, "--steps 50 --checkpoint-every 20 --checkpoint " + checkpoints_ + log_);
        std::filesystem::remove(checkpoints_ + "/step-00000050.safetensors");
        train(3, "--resume --checkpoint " + checkpoints_ + log_ + " --save " + directory_.file("resumed"));
        EXPECT_EQ(losses("log"), losses("whole"));
        EXPECT_EQ(logged("log", "accuracy").size(), 5U);
        EXPECT_EQ(directory_.read("resumed"), directory_.read("unbroken"));
    }
}

TEST_F(Checkpoints, GoingOnOnOtherRanksAndLayouts) {
    train(2, "--log " + directory_.file("whole"));
    struct Part {
        const char *layout;
        int ranks;
        int until;
    };
    for (const Part &part :
         {Part{"plain", 2, 30}, {"zero", 3, 61}, {"parts", 1, 62}, {"zero", 2, 130}, {"plain", 4, 170}}) {
        layout_ = part.layout;
        train(part.ranks,
              "--resume --keep 1 --checkpoint " + checkpoints_ + log_ + " --steps " + std::to_string(part.until));
    }
    expect_near(losses("log"), losses("whole"));
    EXPECT_EQ(files(), std::vector<std::string>{"step-00000170.safetensors"});
}

TEST_F(Checkpoints, EveryEpochByDefaultAndTheLastOnesAreKept) {
    train(2, "--keep 2 --checkpoint " + checkpoints_);
    EXPECT_EQ(files(), (std::vector<std::string>{"step-00000136.safetensors", "step-00000170.safetensors"}));
    checkpoints_ = directory_.file("by/minutes");
    train(2, "--steps 3 --checkpoint-minutes 0 --keep 9 --checkpoint " + checkpoints_);
    EXPECT_EQ(files().size(), 3U);
}

TEST_F(Checkpoints, DamagedOnesAreToldAndPassedOver) {
    train(2, "--checkpoint-every 10 --steps 30 --checkpoint " + checkpoints_ + log_);
    const std::string newest = "checkpoints/step-00000030.safetensors";
    std::string content = directory_.read(newest);
    content.back() = static_cast<char>(content.back() ^ 1);
    directory_.write(newest, content);
    directory_.write("checkpoints/step-00000040.safetensors", content.substr(0, content.size() / 2));
    directory_.write("checkpoints/step-00000050.safetensors.77.tmp", "begun");
    const Outcome outcome = run(2, "--resume --keep 2 --steps 31 --checkpoint " + checkpoints_ + log_);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    ASSERT_EQ(outcome.errors.size(), 2U) << outcome.output;
    EXPECT_NE(outcome.errors[0].find("step-00000040.safetensors: "), std::string::npos);
    EXPECT_NE(outcome.errors[1].find("step-00000030.safetensors: is damaged: its checksum is "), std::string::npos);
    EXPECT_NE(outcome.output.find("step-00000020.safetensors: 20 steps done\n"), std::string::npos) << outcome.output;
    train(2, "--steps 31 --log " + directory_.file("whole"));
    EXPECT_EQ(losses("log"), losses("whole"));
    // 30 was damaged and counts as kept; 40, behind the last step, is left alone.
    EXPECT_EQ(files(), (std::vector<std::string>{"step-00000030.safetensors", "step-00000031.safetensors",
                                                 "step-00000040.safetensors"}));
}

/// A file's content with other words in its header, and its checksum as it must be.
std::string with_header(std::string content, const std::string &words, const std::string &others) {
    const std::string key = "\"planc.crc32\":\"";
    content.replace(content.find(words), words.size(), others);
    std::uint64_t length = 0;
    std::memcpy(&length, content.data(), sizeof length);
    length += others.size() - words.size();
    std::memcpy(content.data(), &length, sizeof length);
    const std::size_t digits = content.find(key) + key.size();
    content.replace(digits, 8, 8, '0');
    planrt::Checksum sum;
    sum.add(content.data(), content.size());
    return content.replace(digits, 8, sum.digits());
}

TEST_F(Checkpoints, WhatNoRunHasWrittenIsPassedOver) {
    train(2, "--steps 20 --checkpoint " + checkpoints_);
    const std::string good = directory_.read("checkpoints/step-00000020.safetensors");
    const auto add = [&](const std::string &step, const std::string &content) {
        return directory_.write("checkpoints/step-" + step + ".safetensors", content);
    };
    std::vector<std::string> wanted;
    const auto expect = [&](const std::string &path, const std::string &complaint) {
        wanted.insert(wanted.begin(), path + ": " + complaint); // the newest comes first
    };
    expect(add("00000021", with_header(with_header(good, "\"20\"", "\"21\""), "\"planc.loss_count\":\"20",
                                       "\"planc.loss_count\":\"-1")),
           "planc.loss_count: expected a number from 0 to 21, got '-1'");
    const std::size_t sum_at = good.find("loss_sum\":\"");
    const std::string sum = good.substr(sum_at, good.find(',', sum_at) - sum_at);
    expect(add("00000022", with_header(with_header(good, "\"20\"", "\"22\""), sum, "loss_sum\":\"nan\"")),
           "planc.loss_sum: expected a finite number, got 'nan'");
    expect(add("00000023", with_header(with_header(good, "\"20\"", "\"23\""), "\"logits.b\"", "\"logits.w\"")),
           "JSON: \"logits.w\" twice in an object that ends at byte");
    expect(add("00000024", with_header(good, "\"20\"", "\"24\"")), "");
    std::filesystem::resize_file(wanted.front().substr(0, wanted.front().find(": ")), std::uintmax_t{1} << 40);
    wanted.front() += "has ";
    expect(add("00000025", std::string(8, '\x7f')), "is not a safetensors file, or its end is missing");
    std::filesystem::resize_file(checkpoints_ + "/step-00000025.safetensors", std::uintmax_t{1} << 41);
    expect(add("00000026", std::string("\0\0\0\0\1\0\0\0", 8)),
           "is not a safetensors file: a header of 4294967296 bytes is longer than any");
    std::filesystem::resize_file(checkpoints_ + "/step-00000026.safetensors", std::uintmax_t{1} << 41);
    const std::string pipe = checkpoints_ + "/step-00000027.safetensors";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0666), 0);
    wanted.insert(wanted.begin(), "cannot read " + pipe + ": it is a pipe, not a file");
    expect(add("9223372036854775807", with_header(good, "\"20\"", "\"9223372036854775807\"")),
           "planc.step: expected a number from 0 to 9007199254740992, got '9223372036854775807'");
    const Outcome outcome = run(2, "--steps 21 --resume " + checkpoints_);
    EXPECT_EQ(outcome.exit_code, 0);
    ASSERT_EQ(outcome.errors.size(), wanted.size()) << outcome.output;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_TRUE(outcome.errors[i].starts_with(wanted[i])) << outcome.errors[i] << "\n" << wanted[i];
    EXPECT_NE(outcome.output.find("step-00000020.safetensors: 20 steps done\n"), std::string::npos) << outcome.output;
}

TEST_F(Checkpoints, SignalsStopAllRanksBehindTheSameStep) {
    const Outcome stopped = run(2, "--quiet --epochs 1000000 --checkpoint " + checkpoints_, "SIGTERM");
    EXPECT_EQ(stopped.exit_code, 143);
    ASSERT_EQ(stopped.errors.size(), 1U) << stopped.output;
    long step = 0;
    ASSERT_EQ(std::sscanf(stopped.errors[0].c_str(), "SIGTERM: stopped after step %ld; ", &step), 1);
    const std::string file = files().back();
    EXPECT_TRUE(stopped.errors[0].ends_with("/" + file + " contains the state; --resume continues from it"))
        << stopped.output;
    const std::string steps = "--steps " + std::to_string(step + 10) + " --save ";
    train(2, steps + directory_.file("resumed") + " --resume " + checkpoints_);
    train(2, steps + directory_.file("unbroken"));
    EXPECT_EQ(directory_.read("resumed"), directory_.read("unbroken"));
}

TEST_F(Checkpoints, MeanLossOfABrokenEpochIsThatOfAllItsSteps) {
    const auto first_epoch = [](const Outcome &outcome) {
        const std::size_t begin = outcome.output.find("epoch 1/5");
        return outcome.output.substr(std::min(begin, outcome.output.size()), 26);
    };
    const Outcome whole = run(2, "");
    EXPECT_TRUE(first_epoch(whole).starts_with("epoch 1/5  loss 0.")) << whole.output;
    train(2, "--steps 20 --checkpoint " + checkpoints_);
    EXPECT_EQ(first_epoch(run(2, "--resume --checkpoint " + checkpoints_)), first_epoch(whole));
}

TEST_F(Checkpoints, NothingToDoIsEvaluated) {
    train(2, "--checkpoint " + checkpoints_);
    const Outcome again = run(3, "--quiet --resume --checkpoint " + checkpoints_);
    EXPECT_EQ(again.exit_code, 0) << again.output;
    EXPECT_TRUE(again.output.starts_with("test accuracy 100.00 % after 170 steps in ")) << again.output;
}

TEST_F(Checkpoints, GiveWeightsToOtherRuns) {
    train(2, "--checkpoint " + checkpoints_ + " --save " + directory_.file("weights"));
    train(1, "--steps 1 --init " + checkpoints_ + "/step-00000170.safetensors --save-init " + directory_.file("taken"));
    EXPECT_EQ(directory_.read("taken"), directory_.read("weights"));
}

TEST_F(Checkpoints, Prediction) {
    train(2, "--checkpoint " + checkpoints_ + " --save " + directory_.file("weights"));
    const std::string samples = "--predict " + directory_.file("points.csv");
    train(3, samples + " --resume " + checkpoints_ + " --output " + directory_.file("three.csv"));
    train(1, samples + " --init " + directory_.file("weights") + " --output " + directory_.file("one.csv"));
    EXPECT_EQ(directory_.read("three.csv"), directory_.read("one.csv"));
    std::istringstream lines(directory_.read("one.csv"));
    int right = 0;
    int count = 0;
    float p[3];
    char comma = 0;
    for (; lines >> p[0] >> comma >> p[1] >> comma >> p[2]; ++count)
        right += std::max_element(p, p + 3) - p == count % 3 ? 1 : 0;
    EXPECT_EQ(count, 300);
    EXPECT_GE(right, 297);
    // The same numbers as .npy, and read from .npy.
    train(2, samples + " --resume " + checkpoints_ + " --output " + directory_.file("two.npy"));
    const std::string npy = directory_.read("two.npy");
    EXPECT_EQ(npy.size(), 128U + 300 * 3 * 4);
    EXPECT_NE(npy.find("{'descr': '<f4', 'fortran_order': False, 'shape': (300, 3,), }"), std::string::npos);
}

} // namespace

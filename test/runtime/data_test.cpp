// CSV files and synthetic data: what ranks keep, and what is said of broken files.
#include "data/batches.h"
#include "data/formats/readers.h"
#include "scratch_directory.h"

#include <zlib.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace planrt {
namespace {

/// A program with x [batch: 4, feature: 3] and a label, from columns 0 to 2 and 3, on a mesh of two axes of size 2.
class Data : public testing::Test {
  protected:
    Data() {
        program_.mesh = mesh_axes_;
        body_ = {nullptr, fields_};
        program_.bodies = {&body_, 1};
        program_.evaluation_fields = fields_;
        program_.valid = {&valid_, 1};
        program_.batch = 4;
        program_.data = {
            "points", DataFormat::csv, "points.csv", directory_.path().c_str(), SplitKind::counts, 4, 2, 0, 0, 0,
            false};
    }

    /// The message about a file with this content; empty if it is good.
    std::string complaint(const std::string &content) {
        const std::string path = directory_.write("points.csv", content);
        const std::string message = failure_of([this] { Batches(program_, mesh_, 0, "", 1); });
        return message.starts_with(path) ? message.substr(directory_.path().size() + 1) : message;
    }

    ScratchDirectory directory_;
    Mesh mesh_{{2, 2}};
    Axis mesh_axes_[2] = {{"rows", 2}, {"cols", 2}};
    int rows_[1] = {0};
    int cols_[1] = {1};
    Dimension x_dimensions_[2] = {{"batch", 4, rows_}, {"feature", 3, cols_}};
    Dimension batch_[1] = {{"batch", 4, rows_}};
    Field fields_[2] = {{"x", {Type::f32, x_dimensions_, {}, Reduction::sum, {}, 0}, "", 0, 3, 0.5, 1, 0},
                        {"label", {Type::i32, batch_, {}, Reduction::sum, {}, 64}, "", 3, 4, 1, 0, 10}};
    Tensor valid_{Type::f32, batch_, {}, Reduction::sum, {}, 128};
    Body body_{};
    Program program_{};
};

const std::string six_points = "0,1,2,0\n10,11,12,1\n20,21,22,2\n30,31,32,3\n40,41,42,4\n50,51,52,5\n";

TEST_F(Data, EveryRankHoldsItsBlockOfTheSameBatch) {
    directory_.write("points.csv", six_points);
    std::vector<std::int64_t> seen;
    for (int rank = 0; rank < 4; ++rank) {
        Batches batches(program_, mesh_, rank, "", 1);
        EXPECT_EQ(batches.train_samples(), 4);
        EXPECT_EQ(batches.test_samples(), 2);
        alignas(64) std::byte arena[256] = {};
        batches.begin_epoch(0);
        batches.load_train(0, 0, MicroBatch{}, Context(arena));
        const auto *x = reinterpret_cast<const float *>(arena);
        const auto *labels = reinterpret_cast<const std::int32_t *>(arena + 64);
        const int first = rank % 2 == 0 ? 0 : 2; // features 0 and 1, or 2
        const int features = rank % 2 == 0 ? 2 : 1;
        for (int sample = 0; sample < 2; ++sample) {
            if (rank % 2 == 0)
                seen.push_back(labels[sample]);
            else
                EXPECT_EQ(labels[sample], seen[static_cast<std::size_t>(rank - 1 + sample)]);
            for (int feature = 0; feature < features; ++feature)
                EXPECT_EQ(x[sample * features + feature],
                          static_cast<float>(labels[sample] * 10 + first + feature) * 0.5F + 1);
        }
    }
    ASSERT_EQ(seen.size(), 4U);
    std::ranges::sort(seen);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << "a sample twice in a batch";
}

TEST_F(Data, LastTestBatchIsPadded) {
    directory_.write("points.csv", six_points);
    Batches batches(program_, mesh_, 0, "", 1);
    alignas(64) std::byte arena[256] = {};
    EXPECT_EQ(batches.test_batches(), 1);
    batches.load_test(0, arena);
    const auto *valid = reinterpret_cast<const float *>(arena + 128);
    EXPECT_EQ(valid[0], 1);
    EXPECT_EQ(valid[1], 1);
    Batches second_row(program_, mesh_, 2, "", 1);
    second_row.load_test(0, arena);
    EXPECT_EQ(valid[0], 0);
    EXPECT_EQ(valid[1], 0);
}

TEST_F(Data, AcceptsWhatProgramsWrite) {
    EXPECT_EQ(complaint("0, 1,2.5e0,0\r\n\"10\",+11,-12,1\r\n20,21,22,2\n30,31,32,3\n40,41,42,4\n50,51,52,5"), "");
    program_.data.header = true;
    EXPECT_EQ(complaint("a,b,c,label\n" + six_points), "");
}

TEST_F(Data, GzipIsReadAsItIs) {
    gzFile file = gzopen(directory_.file("points.csv").c_str(), "wb");
    gzwrite(file, six_points.data(), static_cast<unsigned>(six_points.size()));
    gzclose(file);
    EXPECT_EQ(Batches(program_, mesh_, 0, "", 1).train_samples(), 4);
}

TEST_F(Data, DataDirectoryReplacesTheFilesOwn) {
    program_.data.directory = "/nonexistent";
    program_.data.path = "data/points.csv";
    directory_.write("points.csv", six_points);
    EXPECT_EQ(Batches(program_, mesh_, 0, directory_.path(), 1).train_samples(), 4);
    EXPECT_EQ(failure_of([this] { Batches(program_, mesh_, 0, "", 1); }),
              "cannot read /nonexistent/data/points.csv: No such file or directory (--data DIR reads data elsewhere)");
}

TEST_F(Data, BrokenFilesAreTold) {
    EXPECT_EQ(complaint(""), "points.csv: has no samples");
    EXPECT_EQ(complaint("1,2,3\n"), "points.csv:1: expected at least 4 columns, got 3");
    EXPECT_EQ(complaint("1,2,3,4\n1,2,3,4,5\n"), "points.csv:2: expected 4 columns as above, got 5");
    EXPECT_EQ(complaint("1,2,3,4\n1,2,abc,4\n"), "points.csv:2: column 2: expected a number, got 'abc'");
    EXPECT_EQ(complaint("1,2,,4\n"), "points.csv:1: column 2: expected a number, got ''");
    EXPECT_EQ(complaint("1,2,3,10\n"), "points.csv:1: column 3: expected a label from 0 to 9, got 10");
    EXPECT_EQ(complaint("1,2,3,-1\n"), "points.csv:1: column 3: expected a label from 0 to 9, got -1");
    EXPECT_EQ(complaint("1,2,3,0.5\n"), "points.csv:1: column 3: expected a whole number for label, got 0.5");
    EXPECT_EQ(complaint("1,nan,3,0\n"), "points.csv:1: columns 0 to 2: expected a finite number, got nan");
}

TEST_F(Data, TooFewSamplesAreTold) {
    EXPECT_EQ(complaint("1,2,3,4\n"), "data points: the split wants 4 + 2 samples, but there are 1");
    program_.data.train = 3;
    EXPECT_EQ(complaint(six_points), "data points: 3 samples to train on are less than one batch of 4");
}

TEST_F(Data, LongLinesAreReadWhole) {
    program_.data.train = 4;
    program_.data.test = 0;
    const std::string blanks(100000, ' ');
    std::string content;
    for (int i = 0; i < 4; ++i)
        content += "1," + blanks + "2,3,4\n";
    EXPECT_EQ(complaint(content), "");
}

TEST_F(Data, SyntheticSamplesAreTheSameUnderEveryLayout) {
    program_.data.format = DataFormat::synthetic;
    program_.data.samples = 6;
    program_.data.seed = 9;
    alignas(64) std::byte left[256] = {};
    alignas(64) std::byte right[256] = {};
    alignas(64) std::byte whole[256] = {};
    const auto load = [this](int rank, std::byte *arena) {
        Batches batches(program_, mesh_, rank, "", 1);
        batches.begin_epoch(0);
        batches.load_train(0, 0, MicroBatch{}, Context(arena));
    };
    load(0, left);
    load(1, right);
    x_dimensions_[0].axes = {};
    x_dimensions_[1].axes = {};
    load(0, whole);
    const auto value = [](const std::byte *arena, int i) { return reinterpret_cast<const float *>(arena)[i]; };
    EXPECT_EQ(value(whole, 0), value(left, 0));
    EXPECT_EQ(value(whole, 1), value(left, 1));
    EXPECT_EQ(value(whole, 2), value(right, 0));
    EXPECT_EQ(value(whole, 3), value(left, 2));
    EXPECT_NE(value(whole, 0), value(whole, 3));
}

} // namespace
} // namespace planrt

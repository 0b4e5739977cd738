// CSV files and synthetic data: what ranks keep, and what is said of broken files.
#include "data/batches.h"
#include "data/formats/compressed_file.h"
#include "data/formats/readers.h"
#include "scratch_directory.h"
#include "support/failure.h"

#include <zlib.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <new>

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

TEST_F(Data, HeadersAreNoSamples) {
    EXPECT_EQ(complaint("a,b,c,label\n" + six_points),
              "points.csv:1: column 0: expected a number, got 'a' (header = true passes over a line of names)");
    EXPECT_EQ(complaint("\xEF\xBB\xBF" + six_points), "") << "a byte order mark";
    program_.data.header = true;
    const std::string wrong = "points.csv:1: expected a line of names, for data points has header = true, but got "
                              "numbers only; put the names "
                              "of the columns above them";
    EXPECT_EQ(complaint(six_points), wrong);
    EXPECT_EQ(complaint("\xEF\xBB\xBF" + six_points), wrong);
    EXPECT_EQ(complaint("\" 1\", +2,3e0 ,4\r\n" + six_points), wrong);
    EXPECT_EQ(complaint("1,2,3,label\n" + six_points), "");
    EXPECT_EQ(complaint("0,1,2,3\n" + six_points), "") << "columns that nobody named, numbered";
}

TEST_F(Data, WordsOfAFileAreToldOnOneLine) {
    const std::string words = complaint("1,2,\x1b[2J\r3,4\n");
    testing::internal::CaptureStderr();
    say_error(words);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "planrt: points.csv:1: column 2: expected a number, got '\\x1b[2J\\r3'\n");
}

TEST_F(Data, GzipThatUnpacksToTooMuch) {
    const std::string zeros(std::size_t{1} << 24, '0');
    gzFile file = gzopen(directory_.file("part").c_str(), "wb");
    gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
    gzclose(file);
    const std::string part = directory_.read("part"); // members of gzip may follow one another
    const auto unpacked = [&](int parts) {
        std::string content;
        for (int i = 0; i < parts; ++i)
            content += part;
        CompressedFile whole(directory_.write("bomb", content));
        std::string piece(zeros.size(), ' ');
        std::size_t total = 0;
        while (const std::size_t got = whole.read(piece.data(), piece.size()))
            total += got;
        return total;
    };
    EXPECT_EQ(unpacked(64), std::size_t{1} << 30);
    EXPECT_EQ(failure_of([&] { unpacked(1000); }), directory_.file("bomb") + ": unpacks to more than 100 times its " +
                                                       std::to_string(1000 * part.size()) +
                                                       " bytes; if that is meant, unpack it with gunzip");
}

TEST_F(Data, CountsThatDoNotFit) {
    program_.data.train = 1e300;
    EXPECT_NE(complaint(six_points).find(" + 2 samples, but there are 6"), std::string::npos);
    program_.data.format = DataFormat::synthetic;
    program_.data.samples = std::numeric_limits<std::int64_t>::max();
    EXPECT_THROW(Batches(program_, mesh_, 0, "", 1), std::bad_alloc);
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

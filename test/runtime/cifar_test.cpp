// CIFAR's binary files: what a sample becomes, which samples are tests, and what is said of broken files.
#include "data/batches.h"
#include "data/formats/readers.h"
#include "scratch_directory.h"

#include <zlib.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace planrt {
namespace {

/// What the byte of a channel at a place is in image `sample`.
int pixel(int sample, int y, int x, int channel) {
    return (sample * 31 + y * 7 + x * 3 + channel * 101) % 256;
}

/// A record: these labels, then the planes of image `sample`.
std::string record(std::initializer_list<int> labels, int sample) {
    std::string bytes;
    for (const int label : labels)
        bytes += static_cast<char>(label);
    for (int channel = 0; channel < 3; ++channel)
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 32; ++x)
                bytes += static_cast<char>(pixel(sample, y, x, channel));
    return bytes;
}

class Cifar : public testing::Test {
  protected:
    Cifar() {
        body_ = {nullptr, fields_};
        program_.bodies = {&body_, 1};
        program_.evaluation_fields = fields_;
        program_.valid = {&valid_, 1};
        program_.batch = 2;
        program_.data = {"photos", DataFormat::cifar, "photos", directory_.path().c_str(), SplitKind::files, 0, 1};
        std::filesystem::create_directory(directory_.file("photos"));
        arena_.resize(3 * image_bytes);
    }

    void write_ten() const {
        for (int file = 0; file < 5; ++file) // samples 0 and 1, 2 and 3, …; sample i has label i
            directory_.write("photos/data_batch_" + std::to_string(file + 1) + ".bin",
                             record({2 * file}, 2 * file) + record({2 * file + 1}, 2 * file + 1));
        directory_.write("photos/test_batch.bin", record({7}, 10));
    }

    std::string complaint() {
        const std::string message = failure_of([this] { Batches(program_, one_rank_, 0, "", 1); });
        return message.starts_with(directory_.path()) ? message.substr(directory_.path().size() + 1) : message;
    }

    void expect_image(const std::byte *at, int sample) const {
        const auto *image = reinterpret_cast<const float *>(at);
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 32; ++x)
                for (int channel = 0; channel < 3; ++channel)
                    ASSERT_EQ(*image++, static_cast<float>(pixel(sample, y, x, channel) / 255.0))
                        << "sample " << sample << " at " << y << ", " << x << ", " << channel;
    }

    static constexpr std::int64_t image_bytes = 4 * 3072;
    Mesh one_rank_; // outlives the batches
    ScratchDirectory directory_;
    Dimension image_[4] = {{"batch", 2, {}}, {"height", 32, {}}, {"width", 32, {}}, {"channel", 3, {}}};
    Dimension batch_[1] = {{"batch", 2, {}}};
    Field fields_[2] = {{"image", {Type::f32, image_, {}, Reduction::sum, {}, 0}, "", 0, 0, 1 / 255.0, 0, 0},
                        {"label",
                         {Type::i32, batch_, {}, Reduction::sum, {}, 2 * image_bytes},
                         "",
                         0,
                         0,
                         1,
                         0,
                         10,
                         {},
                         {},
                         CifarPart::label}};
    Tensor valid_{Type::f32, batch_, {}, Reduction::sum, {}, 2 * image_bytes + 64};
    Body body_{};
    Program program_{};
    std::vector<std::byte> arena_;
};

TEST_F(Cifar, ChannelsComeLastAndFilesDecideWhatTests) {
    write_ten();
    Batches batches(program_, one_rank_, 0, "", 1);
    EXPECT_EQ(batches.train_samples(), 10);
    EXPECT_EQ(batches.test_samples(), 1);
    std::byte *arena = arena_.data();
    const auto *labels = reinterpret_cast<const std::int32_t *>(arena + 2 * image_bytes);
    batches.begin_epoch(0);
    std::vector<std::int32_t> seen;
    for (int step = 0; step < 5; ++step) {
        batches.load_train(step, 0, MicroBatch{}, Context(arena));
        for (int i = 0; i < 2; ++i) {
            seen.push_back(labels[i]);
            expect_image(arena + i * image_bytes, labels[i]);
        }
    }
    std::ranges::sort(seen);
    EXPECT_EQ(seen, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    batches.load_test(0, arena);
    EXPECT_EQ(labels[0], 7);
    expect_image(arena, 10);
}

TEST_F(Cifar, ASplitIsOfAllFiles) {
    write_ten();
    program_.data.split = SplitKind::counts;
    program_.data.train = 7;
    program_.data.test = 4;
    const Batches batches(program_, one_rank_, 0, "", 1);
    EXPECT_EQ(batches.train_samples(), 7);
    EXPECT_EQ(batches.test_samples(), 4);
}

TEST_F(Cifar, AHundredClassesHaveTwoLabels) {
    directory_.write("photos/train.bin", record({3, 42}, 0) + record({3, 42}, 0));
    directory_.write("photos/test.bin", record({19, 99}, 1));
    fields_[1].classes = 100;
    std::byte *arena = arena_.data();
    const auto *labels = reinterpret_cast<const std::int32_t *>(arena + 2 * image_bytes);
    for (const bool coarse : {false, true}) {
        fields_[1].part = coarse ? CifarPart::coarse_label : CifarPart::label;
        Batches batches(program_, one_rank_, 0, "", 1);
        batches.begin_epoch(0);
        batches.load_train(0, 0, MicroBatch{}, Context(arena));
        EXPECT_EQ(labels[1], coarse ? 3 : 42);
        expect_image(arena, 0);
        batches.load_test(0, arena);
        EXPECT_EQ(labels[0], coarse ? 19 : 99);
        expect_image(arena, 1);
    }
}

TEST_F(Cifar, OneFileTrainsAlone) {
    const std::string content = record({1}, 0) + record({2}, 1) + record({3}, 2);
    gzFile packed = gzopen(directory_.file("few.bin.gz").c_str(), "wb");
    gzwrite(packed, content.data(), static_cast<unsigned>(content.size()));
    gzclose(packed);
    program_.data.path = "few.bin.gz";
    const Batches ten(program_, one_rank_, 0, "", 1);
    EXPECT_EQ(ten.train_samples(), 3);
    EXPECT_EQ(ten.test_samples(), 0);
    directory_.write("train.bin", record({1, 2}, 0) + record({3, 4}, 1));
    program_.data.path = "train.bin";
    EXPECT_EQ(Batches(program_, one_rank_, 0, "", 1).train_samples(), 2);
}

TEST_F(Cifar, BrokenFilesAreTold) {
    EXPECT_EQ(complaint(),
              "photos: has neither data_batch_1.bin (CIFAR-10) nor train.bin (CIFAR-100) (--data DIR reads "
              "data elsewhere)");
    write_ten();
    fields_[1].part = CifarPart::coarse_label;
    EXPECT_EQ(complaint(), "photos/data_batch_1.bin: is of CIFAR-10, which has no coarse labels for label");
    fields_[1].part = CifarPart::label;
    std::filesystem::remove(directory_.file("photos/data_batch_4.bin"));
    EXPECT_EQ(complaint(), "cannot read " + directory_.file("photos/data_batch_4.bin") +
                               ": No such file or directory (--data DIR reads data elsewhere)");
    directory_.write("photos/data_batch_4.bin", "");
    EXPECT_EQ(complaint(), "photos/data_batch_4.bin: has no samples");
    directory_.write("photos/data_batch_4.bin", record({1}, 0) + record({2}, 1).substr(0, 1000));
    EXPECT_EQ(complaint(), "photos/data_batch_4.bin: ends in sample 1, after 1000 of 3073 bytes");
    directory_.write("photos/data_batch_4.bin", record({1}, 0) + record({10}, 1));
    EXPECT_EQ(complaint(), "photos/data_batch_4.bin: sample 1: expected a label from 0 to 9, got 10");
    directory_.write("photos/train.bin", "");
    EXPECT_EQ(complaint(), "photos: has data_batch_1.bin (CIFAR-10) and train.bin (CIFAR-100); expected one of them");
    program_.data.path = "nothing.bin";
    EXPECT_EQ(complaint(), "cannot read " + directory_.file("nothing.bin") +
                               ": No such file or directory (--data DIR reads data elsewhere)");
    image_[1].extent = 28;
    EXPECT_EQ(complaint(), "CIFAR: expected samples of 2688 numbers for image, got 32 × 32 × 3");
}

} // namespace
} // namespace planrt

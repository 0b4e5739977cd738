#include "checkpoint/checkpoint.h"
#include "checkpoint/run_state.h"
#include "checkpoint/safetensors.h"
#include "scratch_directory.h"
#include "support/file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace planrt {
namespace {

/// A program with one weight "h1.w" [in: 3, out: 4] cut both ways on two axes of size 2.
class Safetensors : public testing::Test {
  protected:
    Safetensors() { program_.variables = variables_; }

    std::string load(int rank, const std::string &content) {
        const std::string path = directory_.write("weights", content);
        const std::string message =
            failure_of([&] { load_weights(program_, mesh_, rank, reinterpret_cast<std::byte *>(arena_), path); });
        return message.substr(std::min(message.size(), directory_.path().size() + 1));
    }

    static std::string file(const std::string &json, std::size_t numbers) {
        std::string length(8, '\0');
        length[0] = static_cast<char>(json.size() & 0xFF);
        length[1] = static_cast<char>(json.size() >> 8);
        std::string result = length + json;
        for (std::size_t i = 0; i < numbers; ++i) {
            const auto value = static_cast<float>(i);
            result.append(reinterpret_cast<const char *>(&value), sizeof value);
        }
        return result;
    }

    ScratchDirectory directory_;
    Mesh mesh_{{2, 2}};
    int rows_[1] = {0};
    int cols_[1] = {1};
    Dimension dimensions_[2] = {{"in", 3, rows_}, {"out", 4, cols_}};
    Variable variables_[2] = {
        {"h1.w", {Type::f32, dimensions_, {}, Reduction::sum, {}, 0}, true, Initializer::constant, 0, 0},
        {"h1.w.momentum", {Type::f32, dimensions_, {}, Reduction::sum, {}, 0}, false, Initializer::constant, 0, 0}};
    Program program_{.name = "classifier"};
    float arena_[12] = {};
};

TEST_F(Safetensors, HeaderIsReadBack) {
    const std::vector<StoredTensor> tensors = {{"a \"quoted\" ü", Type::f32, {2, 3}, 0, 24},
                                               {"scalar", Type::f64, {}, 24, 32}};
    const std::string header = safetensors_header(tensors);
    EXPECT_EQ(header.size() % 8, 0U);
    const std::string path = directory_.write("t", header + std::string(32, 'x'));
    const InputFile file(path);
    const SafetensorsIndex index = read_safetensors_index(file, path);
    EXPECT_EQ(index.numbers, header.size());
    ASSERT_EQ(index.tensors.size(), 2U);
    EXPECT_EQ(index.tensors[0].name, tensors[0].name);
    EXPECT_EQ(index.tensors[0].shape, tensors[0].shape);
    EXPECT_EQ(index.tensors[1].type, Type::f64);
    EXPECT_EQ(index.tensors[1].begin, 24U);
}

TEST_F(Safetensors, EveryRankReadsItsBlock) {
    const std::string whole =
        file(R"({"__metadata__":{"format":"pt"},"h1.w":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]}})", 12);
    EXPECT_EQ(load(0, whole), "");
    EXPECT_EQ((std::vector<float>{0, 1, 4, 5}), std::vector<float>(arena_, arena_ + 4));
    EXPECT_EQ(load(3, whole), "");
    EXPECT_EQ((std::vector<float>{10, 11}), std::vector<float>(arena_, arena_ + 2));
    dimensions_[0].axes = {};
    dimensions_[1].axes = {};
    EXPECT_EQ(load(3, whole), "");
    EXPECT_EQ(arena_[11], 11);
}

TEST_F(Safetensors, WrongFilesAreTold) {
    EXPECT_EQ(load(0, "abc"), "weights: is not a safetensors file: too short");
    EXPECT_EQ(load(0, std::string(16, '\xff')), "weights: is not a safetensors file, or its end is missing");
    EXPECT_EQ(load(0, file("{]", 0)), "weights: JSON: expected \" at byte 1");
    EXPECT_EQ(load(0, file(R"({"h1.w":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]}})", 11)),
              "weights: tensor h1.w lies outside the file according to its shape");
    EXPECT_EQ(load(0, file(R"({"h1.w":{"dtype":"BF16","shape":[3,4],"data_offsets":[0,24]}})", 12)),
              "weights: tensor h1.w has elements of type BF16; expected F32 or F64");
    EXPECT_EQ(load(0, file(R"({"h1.w":{"dtype":"F32","shape":[4,3],"data_offsets":[0,48]}})", 12)),
              "weights: tensor h1.w is [4 × 3], but the program declares [3 × 4]");
    EXPECT_EQ(load(0, file(R"({"h1.w":{"dtype":"F64","shape":[3,4],"data_offsets":[0,96]}})", 24)),
              "weights: tensor h1.w holds F64, but the program declares F32");
    EXPECT_EQ(load(0, file("{}", 0)), "weights: has no tensor h1.w");
    EXPECT_EQ(load(0, file(R"({"h1.w":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]},)"
                           R"("h2.w":{"dtype":"F32","shape":[],"data_offsets":[48,52]}})",
                           13)),
              "weights: has a tensor h2.w, but network classifier does not");
}

TEST_F(Safetensors, TensorsFillTheFile) {
    const auto two = [](const std::string &first, const std::string &second, const std::string &name = "h2.w") {
        return R"({"h1.w":{"dtype":"F32","shape":[3,4],"data_offsets":)" + first + R"(},")" + name +
               R"(":{"dtype":"F32","shape":[2],"data_offsets":)" + second + "}}";
    };
    EXPECT_EQ(load(0, file(two("[0,48]", "[40,48]"), 12)), "weights: tensor h2.w overlaps another one");
    EXPECT_EQ(load(0, file(two("[0,48]", "[0,8]"), 12)), "weights: tensor h1.w overlaps another one");
    EXPECT_EQ(load(0, file(two("[0,48]", "[52,60]"), 15)), "weights: has 4 bytes of no tensor before tensor h2.w");
    EXPECT_EQ(load(0, file(two("[0,48]", "[48,56]"), 16)), "weights: has 8 bytes after its last tensor");
    const std::string twice = two("[0,48]", "[48,56]", "h1.w");
    EXPECT_EQ(load(0, file(twice, 14)),
              "weights: JSON: \"h1.w\" twice in an object that ends at byte " + std::to_string(twice.size()));
}

TEST_F(Safetensors, StatesThatNoRunWasIn) {
    const auto complaint = [this](const RunState &state) {
        const std::string path = directory_.write("checkpoint", safetensors_header({}, metadata_of(state)));
        const std::string message = failure_of([&] { static_cast<void>(read_run_state(path)); });
        return message.substr(std::min(message.size(), path.size() + 2));
    };
    const RunState good{30, 7, 8, 100, 1.5, 6};
    EXPECT_EQ(complaint(good), "");
    const auto with = [&](auto RunState::*member, auto value) {
        RunState state = good;
        state.*member = value;
        return complaint(state);
    };
    constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
    const std::string most = "9007199254740992";
    EXPECT_EQ(with(&RunState::step, large),
              "planc.step: expected a number from 0 to " + most + ", got '9223372036854775807'");
    EXPECT_EQ(with(&RunState::step, std::int64_t{-1}),
              "planc.step: expected a number from 0 to " + most + ", got '-1'");
    EXPECT_EQ(with(&RunState::batch, std::int64_t{0}),
              "planc.batch: expected a number from 1 to " + most + ", got '0'");
    EXPECT_EQ(with(&RunState::samples, std::int64_t{7}),
              "planc.samples: expected a number from 8 to " + most + ", got '7'");
    EXPECT_EQ(with(&RunState::loss_count, std::int64_t{-5}),
              "planc.loss_count: expected a number from 0 to 12, got '-5'");
    EXPECT_EQ(with(&RunState::loss_count, std::int64_t{13}),
              "planc.loss_count: expected a number from 0 to 12, got '13'");
    EXPECT_EQ(with(&RunState::loss_sum, std::nan("")), "planc.loss_sum: expected a finite number, got 'nan'");
    EXPECT_EQ(with(&RunState::loss_sum, HUGE_VAL), "planc.loss_sum: expected a finite number, got 'inf'");
    EXPECT_EQ(with(&RunState::best, BestScore{31, 0.5, 1.0}),
              "planc.best_epoch: expected a number from 0 to 30, got '31'");
    EXPECT_EQ(with(&RunState::best, BestScore{3, std::nan(""), 1.0}),
              "planc.best_accuracy: expected a finite number, got 'nan'");
    EXPECT_EQ(with(&RunState::best, BestScore{3, 0.5, HUGE_VAL}),
              "planc.best_loss: expected a finite number, got 'inf'");
}

} // namespace
} // namespace planrt

// Texts as data: windows of characters, numbered.
#include "data/batches.h"
#include "data/formats/vocabulary.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

namespace planrt {
namespace {

class TextData : public testing::Test {
  protected:
    TextData() {
        body_ = {nullptr, fields_};
        program_.bodies = {&body_, 1};
        program_.batch = 2;
        program_.data = {"story", DataFormat::text, "story.txt", directory_.path().c_str(), SplitKind::shares, 1, 0};
    }

    std::string complaint(const std::string &content) {
        const std::string path = directory_.write("story.txt", content);
        const std::string message = failure_of([this] { Batches(program_, Mesh{}, 0, "", 1); });
        return message.starts_with(path) ? message.substr(directory_.path().size() + 1) : message;
    }

    ScratchDirectory directory_;
    Dimension dimensions_[2] = {{"batch", 2, {}}, {"position", 3, {}}};
    Field fields_[2] = {{"token", {Type::i32, dimensions_, {}, Reduction::sum, {}, 0}, "", 0, 0, 1, 0, 6},
                        {"next", {Type::i32, dimensions_, {}, Reduction::sum, {}, 64}, "", 0, 0, 1, 1, 6}};
    Body body_{};
    Program program_{};
};

TEST_F(TextData, LabelsAreTheCharactersShiftedByOne) {
    directory_.write("story.txt", "höh gohö"); // two windows of three, and two characters more
    Batches batches(program_, Mesh{}, 0, "", 1);
    EXPECT_EQ(batches.train_samples(), 2);
    batches.begin_epoch(0);
    alignas(64) std::byte arena[128];
    batches.load_train(0, 0, MicroBatch{}, Context(arena));
    const auto *token = reinterpret_cast<const std::int32_t *>(arena);
    const auto *next = reinterpret_cast<const std::int32_t *>(arena + 64);
    // The vocabulary in the order of code points: blank, g, h, o, ö.
    const std::vector<std::int32_t> first = {2, 4, 2, 4, 2, 0};
    const std::vector<std::int32_t> second = {0, 1, 3, 1, 3, 2};
    for (int sample = 0; sample < 2; ++sample) {
        const std::vector<std::int32_t> &wanted = token[3 * sample] == 2 ? first : second;
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(token[3 * sample + i], wanted[static_cast<std::size_t>(i)]);
            EXPECT_EQ(next[3 * sample + i], wanted[static_cast<std::size_t>(3 + i)]);
        }
    }
    EXPECT_NE(token[0], token[3]);
}

TEST_F(TextData, BrokenTextsAreTold) {
    EXPECT_EQ(complaint("abcdefgh"), "story.txt: has 8 different characters, but token is declared with 6");
    EXPECT_EQ(complaint("abc"), "story.txt: is too short for one sample");
    EXPECT_EQ(complaint("ab\xff"
                        "cd"),
              "story.txt: is not UTF-8 text: no character begins at byte 2");
    EXPECT_EQ(complaint("abcd\xc3"), "story.txt: is not UTF-8 text: no character begins at byte 4");
}

TEST(Vocabulary, NumbersWhatOccurs) {
    const Vocabulary vocabulary(decode_utf8("", "hello €𝄞"));
    EXPECT_EQ(vocabulary.size(), 7);
    EXPECT_EQ(vocabulary.index('l'), 3);
    EXPECT_EQ(vocabulary.index(0x20AC), 5);
    EXPECT_EQ(vocabulary.index(0x1D11E), 6);
    EXPECT_EQ(vocabulary.index('x'), -1);
}

} // namespace
} // namespace planrt

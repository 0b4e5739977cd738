#include "scratch_directory.h"
#include "support/file.h"
#include "support/json.h"

#include <gtest/gtest.h>

namespace planrt {
namespace {

TEST(AtomicFile, AppearsWhenItIsComplete) {
    const ScratchDirectory directory;
    directory.write("weights", "old");
    {
        AtomicFile unfinished(directory.file("weights"));
        unfinished.write("new");
    }
    EXPECT_EQ(directory.read("weights"), "old");
    AtomicFile finished(directory.file("weights"));
    finished.write("new");
    EXPECT_EQ(directory.read("weights"), "old");
    finished.commit();
    EXPECT_EQ(directory.read("weights"), "new");
    std::size_t files = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(directory.path()))
        ++files;
    EXPECT_EQ(files, 1U) << "a temporary file was left";
}

TEST(AtomicFile, WritesThroughLinks) {
    const ScratchDirectory directory;
    directory.write("real", "old");
    std::filesystem::create_symlink(directory.file("real"), directory.file("link"));
    AtomicFile file(directory.file("link"));
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link")));
    EXPECT_EQ(directory.read("real"), "new");
}

TEST(AtomicFile, FullDisk) {
    EXPECT_EQ(failure_of([] {
                  AtomicFile file("/dev/full");
                  file.write("x");
                  file.commit();
              }),
              "cannot write /dev/full: No space left on device");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, MissingDirectory) {
    EXPECT_EQ(failure_of([] { AtomicFile file("/nonexistent/weights"); }),
              "cannot write /nonexistent/weights: No such file or directory");
    EXPECT_EQ(failure_of([] { check_writable("/nonexistent/weights"); }),
              "cannot write /nonexistent/weights: No such file or directory");
    EXPECT_EQ(failure_of([] { check_writable("/"); }), "cannot write /: Is a directory");
    EXPECT_EQ(failure_of([] { check_writable("weights"); }), "");
}

TEST(InputFile, EndsEarly) {
    const ScratchDirectory directory;
    const std::string path = directory.write("short", "abc");
    const InputFile file(path);
    char bytes[4] = {};
    file.read(1, bytes, 2);
    EXPECT_STREQ(bytes, "bc");
    EXPECT_EQ(failure_of([&] { file.read(1, bytes, 4); }), path + ": ends after 3 bytes");
}

TEST(Json, QuotesAndReadsBack) {
    const std::string odd = "a\"b\\c\nd\x01 ü";
    EXPECT_EQ(parse_json(json_quoted(odd)).string, odd);
    EXPECT_EQ(parse_json(R"("\u00fc\ud83d\ude00\/\t")").string, "ü😀/\t");
}

TEST(Json, ValuesAndErrors) {
    const JsonValue value = parse_json(R"( {"a": [1, -2.5e3, true, null], "b": {}} )");
    ASSERT_NE(value.member("a"), nullptr);
    EXPECT_EQ(value.member("a")->values[1].number, -2500);
    EXPECT_TRUE(value.member("a")->values[2].boolean);
    EXPECT_EQ(value.member("c"), nullptr);
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json("[1, 2")); }), "JSON: expected ] at byte 5");
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json("[1] 2")); }), "JSON: text behind the end at byte 4");
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json(R"("\x")")); }), "JSON: unknown escape at byte 3");
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json(std::string(100000, '['))); }),
              "JSON: nested too deeply at byte 65");
}

} // namespace
} // namespace planrt

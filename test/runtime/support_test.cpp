#include "kernels/libraries/blas.h"
#include "run/training/divergence.h"
#include "scratch_directory.h"
#include "support/file.h"
#include "support/json.h"
#include "support/printable.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

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

TEST(InputFile, FilesAlone) {
    const ScratchDirectory directory;
    const std::string pipe = directory.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0666), 0);
    const auto complaint = [](const std::string &path) { return failure_of([&] { const InputFile file(path); }); };
    EXPECT_EQ(complaint(pipe), "cannot read " + pipe + ": it is a pipe, not a file");
    EXPECT_EQ(complaint("/dev/null"), "cannot read /dev/null: it is a device, not a file");
    EXPECT_EQ(complaint(directory.path()), "cannot read " + directory.path() + ": Is a directory");
    EXPECT_THROW(InputFile(directory.file("none")), MissingFile);
}

TEST(OutputFile, GoesOnWhereTheProgramsOwnOutputStands) {
    const ScratchDirectory directory;
    std::fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    const int file = open(directory.file("output").c_str(), O_WRONLY | O_CREAT, 0666);
    dup2(file, STDOUT_FILENO);
    close(file);
    std::puts("first");
    std::fflush(stdout);
    OutputFile log("/dev/stdout");
    log.write("second\n");
    log.close();
    AtomicFile weights("/dev/stdout");
    weights.write("third\n");
    weights.commit();
    std::puts("fourth");
    std::fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    EXPECT_EQ(directory.read("output"), "first\nsecond\nthird\nfourth\n");
}

TEST(Printable, IsOneLineThatMovesNothing) {
    EXPECT_EQ(printable("h1.w, größer × 2 日本 😀 C:\\new"), "h1.w, größer × 2 日本 😀 C:\\new");
    EXPECT_EQ(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
    EXPECT_EQ(printable("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\u009b31m\u202e\u2028"), "\\u009b31m\\u202e\\u2028");
    EXPECT_EQ(printable("\xff\xC3 a\xE6\x97"), "\\xff\\xc3 a\\xe6\\x97");
}

TEST(Divergence, IsToldOnce) {
    Divergence large;
    EXPECT_FALSE(large.after(1, 2));
    EXPECT_FALSE(large.after(2, 2000));
    EXPECT_EQ(large.after(3, 2.9e23),
              "warning: step 3: the loss has grown to 2.9e+23, from 2 in the first step; try a smaller rate");
    EXPECT_FALSE(large.after(4, 3e23));
    Divergence small;
    EXPECT_FALSE(small.after(1, 1e-9));
    EXPECT_FALSE(small.after(2, 999));
    EXPECT_TRUE(small.after(3, 1001));
    Divergence negative;
    EXPECT_FALSE(negative.after(1, -5));
    EXPECT_TRUE(negative.after(2, -5001));
}

/// Tells what load_blas() says where no more address space is given than is in use, and ends the process.
[[noreturn]] void load_blas_without_room() {
    load_blas(1);
    const rlimit limit{std::size_t{64} << 20, std::size_t{64} << 20};
    setrlimit(RLIMIT_AS, &limit);
    const std::string words = failure_of([] { load_blas(1); });
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, words.data(), words.size());
    _exit(0);
}

TEST(BlasDeathTest, TooLittleRoomForItsBuffers) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "sanitizers need the address space";
#endif
    EXPECT_EXIT(load_blas_without_room(), testing::ExitedWithCode(0),
                "out of memory: OpenBLAS wants 128 MiB of address space, for the buffers of 1 thread");
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
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json("[1] 2")); }), "JSON: text after the end at byte 4");
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json(R"("\x")")); }), "JSON: unknown escape at byte 3");
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json(std::string(100000, '['))); }),
              "JSON: nested too deeply at byte 65");
    EXPECT_EQ(failure_of([] { static_cast<void>(parse_json(R"({"a": 1, "b": 2, "a": 3})")); }),
              "JSON: \"a\" twice in an object that ends at byte 24");
}

} // namespace
} // namespace planrt

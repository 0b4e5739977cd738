#include "run/options.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <vector>

namespace planrt {
namespace {

Options parse(std::vector<std::string> words) {
    words.insert(words.begin(), "digits");
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

std::string complaint(const std::vector<std::string> &words) {
    return failure_of([&] { static_cast<void>(parse(words)); });
}

TEST(Options, BothSpellings) {
    const Options options = parse({"--steps", "20", "--seed=7", "--log", "a b", "--quiet", "--threads=2"});
    EXPECT_EQ(options.steps, 20);
    EXPECT_EQ(options.seed, 7U);
    EXPECT_EQ(options.log, "a b");
    EXPECT_TRUE(options.quiet);
    EXPECT_EQ(options.threads, 2);
    EXPECT_FALSE(options.epochs.has_value());
}

TEST(Options, WrongUsageIsOneLine) {
    EXPECT_EQ(complaint({"--stpes", "3"}), "unknown option '--stpes'; --help lists the options");
    EXPECT_EQ(complaint({"--stpes"}), "unknown option '--stpes'; --help lists the options");
    EXPECT_EQ(complaint({"--log"}), "option --log: its value is missing; --help lists the options");
    EXPECT_EQ(complaint({"--steps"}), "option --steps: its value is missing; --help lists the options");
    EXPECT_EQ(complaint({"--steps", "many"}),
              "option --steps: expected a positive number, got 'many'; --help lists the options");
    EXPECT_EQ(complaint({"--epochs=0"}),
              "option --epochs: expected a positive number, got '0'; --help lists the options");
    EXPECT_EQ(complaint({"--seed", "-1"}), "option --seed: expected a number, got '-1'; --help lists the options");
    EXPECT_EQ(
        complaint({"--steps", "99999999999999999999"}),
        "option --steps: expected a number up to 9223372036854775807, got '99999999999999999999'; --help lists the "
        "options");
    EXPECT_EQ(complaint({"train"}), "unexpected argument 'train'; --help lists the options");
}

TEST(Options, NumbersAreFinite) {
    for (const char *option : {"--watchdog", "--checkpoint-minutes"}) {
        const auto expect = [&](const std::string &value, const std::string &expected) {
            EXPECT_EQ(complaint({"--checkpoint", "a", option, value}), "option " + std::string(option) + ": expected " +
                                                                           expected + ", got '" + value +
                                                                           "'; --help lists the options");
        };
        for (const char *value : {"nan", "-nan", "-1", "-inf", "1x", ""})
            expect(value, "a number");
        for (const char *value : {"inf", "infinity", "1e999"})
            expect(value, "a finite number");
        EXPECT_EQ(complaint({"--checkpoint", "a", option, "0.5"}), "");
    }
    EXPECT_EQ(complaint({"--threads", "2147483647"}),
              "option --threads: expected a number up to 4096, got '2147483647'; --help lists the options");
    setenv("PLANRT_WATCHDOG", "nan", 1);
    EXPECT_EQ(complaint({}), "option --watchdog: expected a number, got 'nan'; --help lists the options");
    unsetenv("PLANRT_WATCHDOG");
}

TEST(Options, WhatIsGivenIsNotedOnce) {
    EXPECT_EQ(parse({"--steps=3", "--quiet", "--steps", "4", "--resume", "a"}).given,
              (Facts{{"--steps", "4"}, {"--quiet", "given"}, {"--resume", "a"}}));
    EXPECT_EQ(parse({"--resume=a"}).given, (Facts{{"--resume", "a"}}));
}

TEST(Options, ResumeTakesADirectoryOrThatOfTheCheckpoints) {
    EXPECT_EQ(parse({"--resume", "a", "--quiet"}).resume_directory(), "a");
    EXPECT_EQ(parse({"--resume=a"}).resume_directory(), "a");
    const Options options =
        parse({"--checkpoint", "b", "--resume", "--checkpoint-every=5", "--checkpoint-minutes", "0.5"});
    EXPECT_TRUE(options.resume);
    EXPECT_EQ(options.resume_directory(), "b");
    EXPECT_EQ(options.checkpoint_every, 5);
    EXPECT_EQ(options.checkpoint_minutes, 0.5);
    EXPECT_FALSE(parse({"--checkpoint", "b"}).resume);
}

TEST(Options, WhatDoesNotGoTogether) {
    const std::string end = "; --help lists the options";
    EXPECT_EQ(complaint({"--resume"}), "option --resume: expected a directory, or --checkpoint DIR" + end);
    EXPECT_EQ(complaint({"--resume", "a", "--init", "b"}),
              "--init and --resume exclude each other: both give the weights" + end);
    EXPECT_EQ(complaint({"--checkpoint-every", "5"}),
              "--checkpoint-every and --checkpoint-minutes need --checkpoint DIR" + end);
    EXPECT_EQ(complaint({"--predict", "a"}), "--predict and --output FILE go together" + end);
    EXPECT_EQ(complaint({"--predict", "a", "--output", "b"}),
              "option --predict: expected weights, by --init FILE or --resume DIR" + end);
    EXPECT_EQ(complaint({"--predict", "a", "--output", "b", "--init", "c", "--trace", "d"}),
              "--trace needs training steps, but --predict runs none" + end);
    EXPECT_EQ(complaint({"--trace-steps", "3"}), "--trace-steps needs --trace FILE" + end);
    EXPECT_EQ(complaint({"--trace", "d", "--trace-steps", "1001"}),
              "option --trace-steps: expected a number up to 1000, got '1001'" + end);
}

TEST(Options, HelpNamesEveryOption) {
    Program program{};
    program.name = "classifier";
    program.source = "digits.plan";
    program.layout = "best";
    const std::string help = help_text(program, "./digits");
    for (const char *option : {"--steps",      "--epochs", "--seed",    "--data",        "--init",
                               "--save-init",  "--save",   "--log",     "--comm-report", "--threads",
                               "--watchdog",   "--quiet",  "--help",    "--checkpoint",  "--checkpoint-every",
                               "--keep",       "--resume", "--predict", "--output",      "--trace",
                               "--trace-steps"})
        EXPECT_NE(help.find(std::string("\n  ") + option), std::string::npos) << option;
}

} // namespace
} // namespace planrt

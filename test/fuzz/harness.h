// Runs a check on many random inputs, in this process, under a watch: a crash, or more than some seconds of processor
// time, prints the command that runs the input alone. Input I of seed S is always the same.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace planc::fuzz {

using Random = std::mt19937_64;

/// --count N, --seed S or "today", --first I, --print.
struct Options {
    std::uint64_t count = 1000;
    std::uint64_t seed = 1;
    std::uint64_t first = 0;
    bool print = false;
};

/// Errors: std::invalid_argument, or whatever std::stoull throws.
[[nodiscard]] Options read_options(int count, char **arguments);

/// Makes an input, prints it if asked to, and checks it. Returns what is wrong with the result; empty: nothing.
using Check = std::function<std::string(Random &random, bool print)>;

/// Returns whether all inputs were well; if not, it has said which one was not. Exceptions of the check pass through.
[[nodiscard]] bool all_well(const std::string &program, const Options &options, const Check &check);

/// The exit code of a program that runs `run`. An exception is one line, with the command that runs its input alone.
[[nodiscard]] int main_of(const char *program, int count, char **arguments, int (*run)(const Options &));

} // namespace planc::fuzz

// front_end_fuzz [--count N] [--seed S|today] [--first I] [--print]
//
// Runs the front end, in this process, on N mutated .plan files. Input I of seed S is always the same; a failure says
// the command that runs it alone. A crash, more than `longest_seconds` of processor time, or a broken promise of
// front_end_check.h is a failure.
#include "front_end_check.h"
#include "mutate.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace planc::fuzz {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int longest_seconds = 50; // instrumented code takes up to ten times as long
#else
constexpr int longest_seconds = 5;
#endif

struct Options {
    std::uint64_t count = 1000;
    std::uint64_t seed = 1;
    std::uint64_t first = 0;
    bool print = false;
};

std::uint64_t today() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::days>(std::chrono::system_clock::now().time_since_epoch()).count());
}

Options read_options(int count, char **arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = arguments[i];
        const std::string value = i + 1 < count ? arguments[i + 1] : "";
        if (name == "--print") {
            options.print = true;
            continue;
        }
        if (name == "--count")
            options.count = std::stoull(value);
        else if (name == "--seed")
            options.seed = value == "today" ? today() : std::stoull(value);
        else if (name == "--first")
            options.first = std::stoull(value);
        else
            throw std::invalid_argument("unknown option " + std::string(name));
        ++i;
    }
    return options;
}

/// The texts of the .plan files in a folder of the source tree, in a fixed order.
std::vector<std::string> read_folder(const char *folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(PLANC_SOURCE) / folder)) {
        if (entry.path().extension() == ".plan")
            paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    std::vector<std::string> seeds;
    for (const auto &path : paths) {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        seeds.push_back(text.str());
    }
    return seeds;
}

/// Every .plan file; the examples, which are whole programs, as often as all others together.
std::vector<std::string> read_seeds() {
    std::vector<std::string> seeds = read_folder("stdlib");
    const std::vector<std::string> tests = read_folder("test");
    const std::vector<std::string> examples = read_folder("examples");
    seeds.insert(seeds.end(), tests.begin(), tests.end());
    for (std::size_t i = 0, others = seeds.size(); i < others; ++i)
        seeds.push_back(examples.at(i % examples.size()));
    return seeds;
}

std::array<char, 200> command; ///< that runs the current input alone; for the signal handler

void on_signal(int signal) {
    const char *what = signal == SIGPROF ? "too slow, input of: " : "crashed, input of: ";
    // Only functions that may be called here; the result does not matter any more.
    [[maybe_unused]] auto written = write(STDERR_FILENO, what, std::char_traits<char>::length(what));
    written = write(STDERR_FILENO, command.data(), std::char_traits<char>::length(command.data()));
    _exit(1);
}

void watch() {
    static std::array<char, 1 << 16> stack; // of its own: the other one may have overflowed
    stack_t alternative = {};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    sigaltstack(&alternative, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGPROF, SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
        sigaction(signal, &action, nullptr);
#ifndef __SANITIZE_ADDRESS__ // which reserves more than there is
    const rlimit memory = {std::size_t{4} << 30, std::size_t{4} << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
}

void start_clock(int seconds) {
    const itimerval timer = {{0, 0}, {seconds, 0}};
    setitimer(ITIMER_PROF, &timer, nullptr);
}

int run(const Options &options) {
    const Mutator mutator(read_seeds());
    watch();
    std::uint64_t parsed = 0;
    std::uint64_t analysed = 0;
    for (std::uint64_t i = options.first; i < options.first + options.count; ++i) {
        std::snprintf(command.data(), command.size(), "front_end_fuzz --seed %llu --first %llu --count 1 --print\n",
                      static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(i));
        std::seed_seq sequence = {options.seed, options.seed >> 32, i, i >> 32};
        Random random(sequence);
        const std::string text = mutator.next(random);
        if (options.print)
            std::cout << text << std::flush;
        start_clock(longest_seconds);
        const Outcome outcome = check_front_end(text, PLANC_SOURCE "/examples", PLANC_SOURCE "/stdlib");
        start_clock(0);
        parsed += outcome.parsed ? 1 : 0;
        analysed += outcome.analysed ? 1 : 0;
        if (!outcome.wrong.empty()) {
            std::cerr << outcome.wrong << "\ninput of: " << command.data();
            return 1;
        }
    }
    std::cout << "front_end_fuzz: " << options.count << " inputs of seed " << options.seed << ", all well; " << parsed
              << " parsed, " << analysed << " of these are programs\n";
    return 0;
}

} // namespace
} // namespace planc::fuzz

int main(int count, char **arguments) {
    try {
        return planc::fuzz::run(planc::fuzz::read_options(count, arguments));
    } catch (const std::exception &e) {
        std::cerr << "front_end_fuzz: " << e.what() << ", at input of: " << planc::fuzz::command.data() << '\n';
        return 2;
    }
}

#include "harness.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

namespace planc::fuzz {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int longest_seconds = 50; // instrumented code takes up to ten times as long
#else
constexpr int longest_seconds = 5;
#endif

std::uint64_t today() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::days>(std::chrono::system_clock::now().time_since_epoch()).count());
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

} // namespace

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

bool all_well(const std::string &program, const Options &options, const Check &check) {
    watch();
    for (std::uint64_t i = options.first; i < options.first + options.count; ++i) {
        std::snprintf(command.data(), command.size(), "%s --seed %llu --first %llu --count 1 --print\n",
                      program.c_str(), static_cast<unsigned long long>(options.seed),
                      static_cast<unsigned long long>(i));
        std::seed_seq sequence = {options.seed, options.seed >> 32, i, i >> 32};
        Random random(sequence);
        start_clock(longest_seconds);
        const std::string wrong = check(random, options.print);
        start_clock(0);
        if (!wrong.empty()) {
            std::cerr << wrong << "\ninput of: " << command.data();
            return false;
        }
    }
    return true;
}

int main_of(const char *program, int count, char **arguments, int (*run)(const Options &)) {
    try {
        return run(read_options(count, arguments));
    } catch (const std::exception &e) {
        std::cerr << program << ": " << e.what() << ", at input of: " << command.data() << '\n';
        return 2;
    }
}

} // namespace planc::fuzz

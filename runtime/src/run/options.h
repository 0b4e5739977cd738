// The options that every emitted program takes.
#pragma once

#include "support/agreement.h"

#include <planrt/planrt.h>

#include <cstdint>
#include <optional>
#include <string>

namespace planrt {

struct Options {
    bool help = false;
    bool quiet = false;
    bool compare = false;
    std::optional<std::int64_t> steps;
    std::optional<std::int64_t> epochs;
    std::optional<std::uint64_t> seed;
    int threads = 1;
    double watchdog_seconds = 0; ///< 0: waits are not bounded
    std::string data;            ///< empty below: not asked for
    std::string log;
    std::string save;
    std::string save_init;
    std::string init;
    std::string comm_report;
    std::string trace;
    std::int64_t trace_steps = 10; ///< the last ones of the run
    std::string checkpoint;        ///< directory
    std::optional<std::int64_t> checkpoint_every;
    std::optional<double> checkpoint_minutes;
    std::int64_t keep = 3; ///< checkpoints
    bool resume = false;
    std::string resume_from; ///< directory; empty: that of `checkpoint`
    std::string predict;     ///< data file
    std::string output;
    Facts given; ///< each option that was given, once, with its value

    [[nodiscard]] const std::string &resume_directory() const { return resume_from.empty() ? checkpoint : resume_from; }
};

/// Errors: Failure. PLANRT_WATCHDOG sets the watchdog where no option does.
[[nodiscard]] Options parse_options(int argc, char **argv);

/// What --help prints.
[[nodiscard]] std::string help_text(const Program &program, const char *executable);

} // namespace planrt

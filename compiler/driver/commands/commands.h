// One function for each command of planc. Every function returns planc's exit code.
#pragma once

#include "driver/options/options.h"

#include <string>

namespace planc::driver {

// Exit codes (E3).
inline constexpr int done = 0;
inline constexpr int input_error = 1;
inline constexpr int usage_error = 2;

int run(const Options &options);

/// Prints the text on standard output, or writes it to the file of -o.
int print_or_write(const std::string &text, const Options &options);

int format_command(const Options &options);
int calibrate_command(const Options &options);
int compile_command(const Options &options);
int cost_command(const Options &options);
int explain_command(const Options &options);
int plan_command(const Options &options);
int verify_command(const Options &options);
int diff_command(const Options &options);
int simulate_command(const Options &options);
int sweep_command(const Options &options);
int timeline_command(const Options &options);

} // namespace planc::driver

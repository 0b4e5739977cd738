// What planc does for each command. Every function returns planc's exit code.
#pragma once

#include "driver/options.h"

namespace planc::driver {

inline constexpr int done = 0;
inline constexpr int input_error = 1;
inline constexpr int usage_error = 2;

int run(const Options &options);

int format_command(const Options &options);
int compile_command(const Options &options);
int cost_command(const Options &options);
int explain_command(const Options &options);

} // namespace planc::driver

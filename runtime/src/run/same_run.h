// Whether all ranks are the same run: the same program, started with the same options. Where one were another one, the
// ranks would wait for each other for ever, or train something else without a word.
#pragma once

#include "run/options.h"

namespace planrt {

/// Collective over the world, the first thing that ranks do together. Errors: CommonFailure with exit_usage. --data may
/// differ: what is read there is compared itself.
void check_same_run(const Program &program, const Options &options);

} // namespace planrt

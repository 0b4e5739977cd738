// Checks that all ranks belong to the same run: the same program, started with the same options. Otherwise, the ranks
// could wait for each other forever, or silently train something else.
#pragma once

#include "run/options.h"

namespace planrt {

/// Collective over the world, the first thing that ranks do together. Errors: CommonFailure with exit_usage. --data may
/// differ, because the data read from there is compared.
void check_same_run(const Program &program, const Options &options);

} // namespace planrt

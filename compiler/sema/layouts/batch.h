// How many samples a step of a training takes.
#pragma once

#include "sema/program.h"

#include <cstdint>
#include <optional>

namespace planc::sema {

/// The vertices that are drawn from a graph, whose inputs have a row for each sampled neighbour too; else the first
/// extent of the first input. None: there is no input with a batch.
[[nodiscard]] std::optional<std::int64_t> batch_of(const Train &train);

} // namespace planc::sema

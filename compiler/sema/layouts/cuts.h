// Where the stages of a pipeline begin (P8).
//
// Example: of the layers words, block[0].fc1, block[0], out
//   cut before block[0]  begins a stage with block[0].fc1
//   cut after block[0]   begins a stage with out
//   cut after block[0].fc1 is the one that begins a stage with block[0], what the block does behind fc1
#pragma once

#include "sema/program.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace planc::sema {

/// "cut after block[0]"
[[nodiscard]] std::string text(const Cut &cut);

/// The place of the layer that begins the stage; the number of layers if the cut is behind all of them. Nothing if the
/// path selects none. `layers` are paths in the order in which a micro-batch passes them.
[[nodiscard]] std::optional<std::size_t> place_of(const Cut &cut, const std::vector<std::string> &layers);

/// The cut that begins a stage with layers[place], place > 0.
[[nodiscard]] Cut cut_at(std::size_t place, const std::vector<std::string> &layers);

} // namespace planc::sema

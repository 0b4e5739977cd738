// Which rule of a layout holds for which layer: selectors and their precedence (P4, P5).
//
// Example: `batch -> [rows, cols]; fc* { batch -> none; hidden -> [rows, cols] }` on layers conv1 and fc6 gives
//   conv1  batch -> [rows, cols]
//   fc6    batch -> none, hidden -> [rows, cols]
#pragma once

#include "sema/program.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace planc::sema {

/// Layer path -> dimension -> the rule that holds; a dimension without an entry has no rule.
using ResolvedLayout = std::map<std::string, std::map<std::string, const Rule *>>;

/// Resolves the rules for every layer of the network. The result points into `layout`.
[[nodiscard]] ResolvedLayout resolve_layout(const Layout &layout, const Network &network);

/// Whether a selector selects a layer. It selects the layers that it matches and everything below them: `block*` also
/// selects `block[3].query`. `*` stands for any characters within one component; the empty selector selects every
/// layer.
[[nodiscard]] bool selects(std::string_view selector, std::string_view layer);

/// Whether a selector could select the layer or a layer within it. `layer` may be a pattern: "block[*]".
[[nodiscard]] bool may_select_within(std::string_view selector, std::string_view layer);

/// Whether the pattern matches the whole text. `*` stands for any characters.
[[nodiscard]] bool matches_text(std::string_view pattern, std::string_view text);

/// The names of an operation's loops, which rules use.
[[nodiscard]] std::vector<std::string> loop_names(const Network &network, const Operation &operation);

} // namespace planc::sema

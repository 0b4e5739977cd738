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

/// Layer path -> dimension -> the rule that holds; a dimension without an entry is not spoken of.
using ResolvedLayout = std::map<std::string, std::map<std::string, const Rule *>>;

/// For every layer of the network. Points into `layout`.
[[nodiscard]] ResolvedLayout resolve_layout(const Layout &layout, const Network &network);

/// Does a selector select a layer? It selects what it matches and everything below: `block*` also `block[3].query`.
/// `*` stands for any characters within one component; the empty selector selects every layer.
[[nodiscard]] bool selects(std::string_view selector, std::string_view layer);

/// Could a selector select the layer, or one that it leads to, or one within it? `layer` may be a pattern: "block[*]".
[[nodiscard]] bool may_select_within(std::string_view selector, std::string_view layer);

/// Does the pattern match the whole text? `*` stands for any characters.
[[nodiscard]] bool matches_text(std::string_view pattern, std::string_view text);

/// The loops of an operation by name: what rules speak of.
[[nodiscard]] std::vector<std::string> loop_names(const Network &network, const Operation &operation);

} // namespace planc::sema

// The syntax tree as text: the canonical form for `planc fmt`, and a dump for `--emit=ast`.
#pragma once

#include "syntax/ast.h"

#include <string>

namespace planc::syntax {

/// Returns the file in canonical form, with all comments and single blank lines. Formatting is idempotent.
[[nodiscard]] std::string format(const File &file, const support::SourceFiles &files);

/// Returns an indented tree of kinds and names without places: two files with equal dumps have the same meaning.
[[nodiscard]] std::string print_ast(const File &file);

} // namespace planc::syntax

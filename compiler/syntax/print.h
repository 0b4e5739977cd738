// The syntax tree as text: the canonical form for `planc fmt`, and a dump for `--emit=ast`.
#pragma once

#include "syntax/ast.h"

#include <string>

namespace planc::syntax {

/// The file in canonical form. Keeps every comment and single blank lines; formatting the result again changes nothing.
[[nodiscard]] std::string format(const File &file, const support::SourceFiles &files);

/// An indented tree of kinds and names without places: two files with equal dumps say the same.
[[nodiscard]] std::string print_ast(const File &file);

} // namespace planc::syntax

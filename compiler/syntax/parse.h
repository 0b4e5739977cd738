// From text to the syntax tree.
//
// Example: auto id = files.add("digits.plan", text); auto file = parse(id, files, diagnostics);
//          if (!file) std::cerr << diagnostics.render();
#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"

#include <memory>

namespace planc::syntax {

/// Parses one file. A file that is not well formed gives null and exactly one error; any bytes are fine as input.
[[nodiscard]] std::unique_ptr<File> parse(support::FileId id, const support::SourceFiles &files,
                                          support::Diagnostics &diagnostics);

} // namespace planc::syntax

// From text to the syntax tree.
//
// Example: auto id = files.add("digits.plan", text); auto file = parse(id, files, diagnostics);
//          if (!file) std::cerr << diagnostics.render();
#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"

#include <memory>

namespace planc::syntax {

/// Parses one file, which may contain any bytes. Every mistake is reported as an error, and the tree contains every
/// part that is well formed. A part that is not is a Binding or Setting without a value, an entry of File::broken, or
/// missing. File::complete says whether the whole file is well formed.
[[nodiscard]] std::unique_ptr<File> parse_what_is_well_formed(support::FileId id, const support::SourceFiles &files,
                                                              support::Diagnostics &diagnostics);

/// The same, but returns null if the file is not well formed; at least one error was then reported.
[[nodiscard]] std::unique_ptr<File> parse(support::FileId id, const support::SourceFiles &files,
                                          support::Diagnostics &diagnostics);

} // namespace planc::syntax

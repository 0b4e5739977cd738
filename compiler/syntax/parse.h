// From text to the syntax tree.
//
// Example: auto id = files.add("digits.plan", text); auto file = parse(id, files, diagnostics);
//          if (!file) std::cerr << diagnostics.render();
#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"

#include <memory>

namespace planc::syntax {

/// Parses one file; any bytes are fine as input. Every mistake gives an error, and what is well formed is in the tree:
/// what is not is a Binding or Setting without a value, in File::broken, or missing; File::complete says whether all
/// is.
[[nodiscard]] std::unique_ptr<File> parse_what_is_well_formed(support::FileId id, const support::SourceFiles &files,
                                                              support::Diagnostics &diagnostics);

/// The same for those who want all or nothing: null, and at least one error, if the file is not well formed.
[[nodiscard]] std::unique_ptr<File> parse(support::FileId id, const support::SourceFiles &files,
                                          support::Diagnostics &diagnostics);

} // namespace planc::syntax

// Semantic analysis: from a .plan file to a checked sema::Program.
//
//   support::SourceFiles files;
//   support::Diagnostics diagnostics(files);
//   auto program = sema::analyze("examples/digits.plan", files, diagnostics, {.stdlib_directory = "stdlib"});
//   if (!program) std::cerr << diagnostics.render();
#pragma once

#include "sema/program.h"
#include "support/diagnostics.h"
#include "support/source.h"

#include <map>
#include <optional>
#include <string>

namespace planc::sema {

struct Options {
    std::string stdlib_directory; ///< where `std/…` is found
    /// Other extents for dimensions that the root file declares, or leaves open: role -> extent. Names that occur
    /// nowhere have no effect.
    std::map<std::string, std::int64_t> dimension_overrides;
    /// A file with layouts for the networks of the root file, with meshes and machines of their own; empty: none.
    std::string layout_file = {};
};

/// Reads `path` and everything it imports, checks it and elaborates its networks. Reports at most one error, and then
/// returns nothing.
[[nodiscard]] std::optional<Program> analyze(const std::string &path, support::SourceFiles &files,
                                             support::Diagnostics &diagnostics, const Options &options);

/// The same for a file whose text is already in `files`; imports are relative to the directory in its path.
[[nodiscard]] std::optional<Program> analyze(support::FileId root, support::SourceFiles &files,
                                             support::Diagnostics &diagnostics, const Options &options);

} // namespace planc::sema

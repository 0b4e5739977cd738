// Semantic analysis: from a .plan file to a checked sema::Program.
//
//   support::SourceFiles files;
//   support::Diagnostics diagnostics(files);
//   auto outcome = sema::analyze("examples/digits.plan", files, diagnostics, {.stdlib_directory = "stdlib"});
//   if (!outcome.program) std::cerr << diagnostics.render();
#pragma once

#include "sema/names/symbols.h"
#include "sema/program.h"
#include "support/diagnostics.h"
#include "support/overlay.h"
#include "support/source.h"

#include <map>
#include <optional>
#include <string>

namespace planc::sema {

struct Options {
    std::string stdlib_directory; ///< where `std/…` is found
    /// Other extents for dimensions that the root file declares, or leaves open: role -> extent. Names that occur
    /// nowhere have no effect.
    std::map<std::string, std::int64_t> dimension_overrides = {};
    /// A file with layouts for the networks of the root file, with meshes and machines of their own; empty: none.
    std::string layout_file = {};
    /// Where data files are found, in place of the directories of the files that declare them; empty: there.
    std::string data_directory = {};
    /// Texts that take the place of files on the disk, such as unsaved texts of an editor; null: none.
    const support::Overlay *overlay = nullptr;
};

struct Outcome {
    std::optional<Program> program; ///< none: at least one error was reported
    std::vector<Symbol> symbols;    ///< also where there are errors: of what could be read
};

/// Reads `path` and everything it imports, checks it and elaborates its networks. Reports every mistake once, and
/// nothing that merely follows from one.
[[nodiscard]] Outcome analyze(const std::string &path, support::SourceFiles &files, support::Diagnostics &diagnostics,
                              const Options &options);

/// The same for a file whose text is already in `files`; imports are relative to the directory in its path.
[[nodiscard]] Outcome analyze(support::FileId root, support::SourceFiles &files, support::Diagnostics &diagnostics,
                              const Options &options);

} // namespace planc::sema

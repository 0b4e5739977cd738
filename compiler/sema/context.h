// What every part of the analysis shares: the sources, the one error, and constructs that are checked but not lowered.
#pragma once

#include "sema/analyze.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace planc::sema {

using support::Note;
using support::SourceRange;

/// Ends an analysis after its error has been reported; caught by analyze() alone.
struct Failure {};

/// A note without a place of its own.
[[nodiscard]] Note hint(const std::string &text);

class Context {
  public:
    Context(support::SourceFiles &source_files, support::Diagnostics &reports, const Options &settings)
        : files(source_files), diagnostics(reports), options(settings) {}

    support::SourceFiles &files;
    support::Diagnostics &diagnostics;
    const Options &options;
    support::FileId root = -1; ///< the file that planc was given

    /// Reports the error and ends the analysis. An error within a layer of the library stands at the call from outside,
    /// the library's line in a note.
    [[noreturn]] void fail(const support::DiagnosticKind &kind, SourceRange where,
                           std::initializer_list<std::string> arguments, const std::vector<Note> &notes = {}) const;

    /// Calls that are being inlined, the outermost first: an error within them says from where they come.
    std::vector<SourceRange> calls;
    /// Of the places from `where` outward through the calls, the first in the file that planc was given.
    [[nodiscard]] SourceRange in_root(SourceRange where) const;

    /// Is it in a file of the standard library, and not the one that planc was given?
    [[nodiscard]] bool in_library(SourceRange where) const;

    /// The note "did you mean 'hidden'?", if a candidate is near.
    [[nodiscard]] static std::vector<Note> suggestion(const std::string &name,
                                                      const std::vector<std::string> &candidates);

    /// A construct that this version checks but does not lower. The rest is still checked; without an error
    /// there, the first such construct is the error. `construct`: "convolution ('conv')".
    void not_lowered(SourceRange where, const std::string &construct);
    void fail_if_not_lowered() const;

  private:
    struct Construct {
        SourceRange where;
        std::string text;
    };
    std::optional<Construct> first_not_lowered_;
};

} // namespace planc::sema

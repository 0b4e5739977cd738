// The context that all parts of the analysis share: the sources, errors and the recovery from them, and constructs that
// are checked but not lowered.
#pragma once

#include "sema/analyze.h"

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace planc::sema {

using support::Note;
using support::SourceRange;

/// Thrown if the current construct cannot be analysed, because of an error that was reported now or before. Only
/// Context::attempt() catches it, at places after which the analysis can continue.
struct Failure {};

/// Thrown after a limit of the analysis was exceeded and reported; the analysis ends. Only analyze() catches it.
struct Stopped {};

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

    /// Reports an error or a warning. An error within a layer of the library is reported at the call from outside, with
    /// the library's line in a note. At one place only one error is reported, because a body may be analysed again at
    /// each call.
    void report(const support::DiagnosticKind &kind, SourceRange where, std::initializer_list<std::string> arguments,
                const std::vector<Note> &notes = {}) const;
    /// Reports the error and gives up.
    [[noreturn]] void fail(const support::DiagnosticKind &kind, SourceRange where,
                           std::initializer_list<std::string> arguments, const std::vector<Note> &notes = {}) const;
    /// Gives up without a message, because a reported error is the cause.
    [[noreturn]] void give_up() const;
    /// Reports that a limit is exceeded, and ends the analysis.
    [[noreturn]] void stop(const support::DiagnosticKind &kind, SourceRange where,
                           std::initializer_list<std::string> arguments, const std::vector<Note> &notes = {}) const;

    /// Runs a step that can fail by itself. Returns false if it failed; whatever depends on it should then give up.
    template <class Step> bool attempt(const Step &step) const {
        try {
            step();
            return true;
        } catch (const Failure &) {
            return false;
        }
    }
    /// Whether this is the first call for this mistake. For mistakes that show at many places.
    [[nodiscard]] bool is_first(const std::string &mistake) const { return mistakes_.insert(mistake).second; }
    /// The number of failures, reported or not. If it grows during some work, the result of the work is not complete.
    [[nodiscard]] std::int64_t failures() const { return failures_; }

    /// Calls that are being inlined, the outermost first: an error within them says from where they come.
    std::vector<SourceRange> calls;
    /// The first place in the file that planc was given, from `where` outward through the calls.
    [[nodiscard]] SourceRange in_root(SourceRange where) const;

    /// Whether the place is in a file of the standard library, unless planc was given this file.
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
    // Mutable, because reporting changes nothing that is analysed, so functions that only report get a constant
    // context.
    mutable std::int64_t failures_ = 0;
    mutable std::set<std::string> mistakes_;
    mutable std::set<std::tuple<support::Severity, support::FileId, std::int32_t, std::int32_t, std::string>> reported_;
};

} // namespace planc::sema

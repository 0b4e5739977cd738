// What every part of the analysis shares: the sources, errors and how the analysis goes on behind them, and constructs
// that are checked but not lowered.
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

/// What is in hand cannot be analysed: an error was reported, or one that was reported before is the cause. Caught by
/// Context::attempt() alone, at places behind which the analysis can go on.
struct Failure {};

/// A limit of the analysis was met and reported: nothing goes on. Caught by analyze() alone.
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

    /// Reports an error or a warning. An error within a layer of the library stands at the call from outside, the
    /// library's line in a note. At one place one error is reported: a body may be analysed once a call.
    void report(const support::DiagnosticKind &kind, SourceRange where, std::initializer_list<std::string> arguments,
                const std::vector<Note> &notes = {}) const;
    /// Reports the error and gives up.
    [[noreturn]] void fail(const support::DiagnosticKind &kind, SourceRange where,
                           std::initializer_list<std::string> arguments, const std::vector<Note> &notes = {}) const;
    /// Says nothing: an error that was reported is the cause.
    [[noreturn]] void give_up() const;
    /// Reports that a limit is met, and ends the analysis.
    [[noreturn]] void stop(const support::DiagnosticKind &kind, SourceRange where,
                           std::initializer_list<std::string> arguments, const std::vector<Note> &notes = {}) const;

    /// Does what can fail alone. False: it failed, and what depends on it should give up.
    template <class Step> bool attempt(const Step &step) const {
        try {
            step();
            return true;
        } catch (const Failure &) {
            return false;
        }
    }
    /// Is this the first time that it is asked about this mistake? For mistakes that show at many places.
    [[nodiscard]] bool is_first(const std::string &mistake) const { return mistakes_.insert(mistake).second; }
    /// How often something failed, reported or not: if it grows, what was done meanwhile is not complete.
    [[nodiscard]] std::int64_t failures() const { return failures_; }

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
    // Reporting changes nothing that is analysed: what only reports sees a constant context.
    mutable std::int64_t failures_ = 0;
    mutable std::set<std::string> mistakes_;
    mutable std::set<std::tuple<support::Severity, support::FileId, std::int32_t, std::int32_t, std::string>> reported_;
};

} // namespace planc::sema

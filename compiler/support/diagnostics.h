// Diagnostics: messages about the user's errors, each at a source range, in clang's style.
//
// A kind is declared beside the code that reports it:
//   PLANC_DIAGNOSTIC(unknown_dimension, error, "unknown dimension '{0}'");
//   diagnostics.report(unknown_dimension, range, {name}).note(other_range, "did you mean 'hidden'?");
// The declaration registers the kind in the catalogue, so that a test can require every kind to occur in some test.
// `planc --list-diagnostics` prints the catalogue.
#pragma once

#include "support/source.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace planc::support {

enum class Severity : std::uint8_t { error, warning, note };

/// One kind of diagnostic. It has static storage and registers itself.
struct DiagnosticKind {
    const char *name;
    Severity severity;
    const char *format; ///< {0}, {1}, … are replaced
    DiagnosticKind(const char *name, Severity severity, const char *format);
};
[[nodiscard]] const std::vector<const DiagnosticKind *> &catalogue(); ///< sorted by name

#define PLANC_DIAGNOSTIC(kind, severity, format)                                                                       \
    static const ::planc::support::DiagnosticKind kind(#kind, ::planc::support::Severity::severity, format)

struct Note {
    SourceRange where;
    std::string text;
};

struct Diagnostic {
    const DiagnosticKind *kind = nullptr;
    SourceRange where;
    std::string text;
    std::vector<Note> notes;

    Diagnostic &note(SourceRange at, std::string message);
};

/// Collects diagnostics and renders them. A compile step reports every mistake once, and nothing that merely follows
/// from it (E2).
class Diagnostics {
  public:
    explicit Diagnostics(const SourceFiles &files) : files_(files) {}

    Diagnostic &report(const DiagnosticKind &kind, SourceRange where,
                       std::initializer_list<std::string> arguments = {});
    [[nodiscard]] bool failed() const { return errors_ > 0; }
    [[nodiscard]] int errors() const { return errors_; }
    [[nodiscard]] const std::vector<Diagnostic> &all() const { return all_; }
    /// The same, sorted by place: files in the order in which they were read, diagnostics without a place first.
    [[nodiscard]] std::vector<const Diagnostic *> sorted() const;
    /// Renders each diagnostic as "file.plan:12:5: error: …", the line, a caret line, and the notes in the same form. A
    /// note without a place has the place of its error and shows no line. Diagnostics are sorted by place. After
    /// `most_errors` errors, a line says how many more there are.
    [[nodiscard]] std::string render() const;
    static constexpr int most_errors = 20;
    /// Calls render() and forgets the diagnostics, so that a later compile step shows only its own. They still count in
    /// errors().
    [[nodiscard]] std::string take_rendered();

  private:
    const SourceFiles &files_;
    std::vector<Diagnostic> all_;
    int errors_ = 0;
};

/// Returns the candidate nearest to `name` by edit distance, for "did you mean 'hidden'?"; empty if none is near.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string> &candidates);

} // namespace planc::support

#include "sema/context.h"

#include <algorithm>
#include <cctype>

namespace planc::sema {

PLANC_DIAGNOSTIC(not_lowered, error, "{0} is not lowered by this version of planc"); // O6

void Context::report(const support::DiagnosticKind &kind, SourceRange where,
                     std::initializer_list<std::string> arguments, const std::vector<Note> &notes) const {
    if (kind.severity == support::Severity::error)
        ++failures_;
    // An error in a layer of the library is an error of the call from outside.
    std::size_t outer = calls.size();
    SourceRange place = where;
    while (outer > 0 && in_library(place))
        place = calls[--outer];
    const bool moved = outer < calls.size() && !in_library(place);
    if (!moved)
        outer = calls.size();
    if (!moved)
        place = where;
    const std::string what = place.file < 0 && arguments.size() > 0 ? *arguments.begin() : std::string();
    if (!reported_.emplace(kind.severity, place.file, place.begin, place.end, what).second)
        return;
    support::Diagnostic &report = diagnostics.report(kind, place, arguments);
    if (moved)
        report.note(where, "in the library's layer here");
    for (const Note &note : notes)
        report.note(note.where, note.text);
    constexpr std::size_t most_calls = 3; // of longer chains the innermost and the outermost are shown
    for (std::size_t i = outer; i-- > 0;)
        if (outer <= most_calls || i == 0 || i + 1 == outer)
            report.note(calls[i], "called from here");
}

void Context::fail(const support::DiagnosticKind &kind, SourceRange where, std::initializer_list<std::string> arguments,
                   const std::vector<Note> &notes) const {
    report(kind, where, arguments, notes);
    throw Failure{};
}

void Context::give_up() const {
    ++failures_;
    throw Failure{};
}

void Context::stop(const support::DiagnosticKind &kind, SourceRange where, std::initializer_list<std::string> arguments,
                   const std::vector<Note> &notes) const {
    report(kind, where, arguments, notes);
    throw Stopped{};
}

bool Context::in_library(SourceRange where) const {
    return where.file >= 0 && where.file != root &&
           files.file(where.file).path.starts_with(options.stdlib_directory + "/");
}

namespace {

bool same_but_for_case(const std::string &a, const std::string &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    });
}

} // namespace

Note hint(const std::string &text) {
    return {{}, text};
}

SourceRange Context::in_root(SourceRange where) const {
    if (where.file == root)
        return where;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call)
        if (call->file == root)
            return *call;
    return where;
}

std::vector<Note> Context::suggestion(const std::string &name, const std::vector<std::string> &candidates) {
    std::string near = support::nearest(name, candidates);
    for (const std::string &candidate : candidates)
        if (same_but_for_case(candidate, name))
            near = candidate;
    if (near.empty())
        return {};
    return {hint("did you mean '" + near + "'?")};
}

void Context::not_lowered(SourceRange where, const std::string &construct) {
    if (!first_not_lowered_)
        first_not_lowered_ = Construct{where, construct};
}

void Context::fail_if_not_lowered() const {
    if (first_not_lowered_)
        fail(sema::not_lowered, first_not_lowered_->where, {first_not_lowered_->text});
}

} // namespace planc::sema

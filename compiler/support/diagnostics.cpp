#include "support/diagnostics.h"

#include <algorithm>
#include <cstring>

namespace planc::support {

namespace {

/// Kinds are static objects in many files, so whichever is constructed first creates the list.
std::vector<const DiagnosticKind *> &registered() {
    static std::vector<const DiagnosticKind *> kinds;
    return kinds;
}

std::string fill_in(std::string_view format, std::initializer_list<std::string> arguments) {
    std::string text;
    for (std::size_t i = 0; i < format.size(); ++i) {
        const bool placeholder = i + 2 < format.size() && format[i] == '{' && format[i + 2] == '}';
        const auto index = placeholder ? static_cast<std::size_t>(format[i + 1] - '0') : arguments.size();
        if (index < arguments.size()) {
            text += arguments.begin()[index];
            i += 2;
        } else {
            text += format[i];
        }
    }
    return text;
}

} // namespace

DiagnosticKind::DiagnosticKind(const char *kind_name, Severity kind_severity, const char *kind_format)
    : name(kind_name), severity(kind_severity), format(kind_format) {
    auto &kinds = registered();
    const auto by_name = [](const DiagnosticKind *a, const DiagnosticKind *b) {
        return std::strcmp(a->name, b->name) < 0;
    };
    kinds.insert(std::upper_bound(kinds.begin(), kinds.end(), this, by_name), this);
}

const std::vector<const DiagnosticKind *> &catalogue() {
    return registered();
}

Diagnostic &Diagnostic::note(SourceRange at, std::string message) {
    notes.push_back({at, std::move(message)});
    return *this;
}

Diagnostic &Diagnostics::report(const DiagnosticKind &kind, SourceRange where,
                                std::initializer_list<std::string> arguments) {
    if (kind.severity == Severity::error)
        ++errors_;
    all_.push_back({&kind, where, fill_in(kind.format, arguments), {}});
    return all_.back();
}

std::vector<const Diagnostic *> Diagnostics::sorted() const {
    std::vector<const Diagnostic *> result;
    for (const Diagnostic &diagnostic : all_)
        result.push_back(&diagnostic);
    std::stable_sort(result.begin(), result.end(), [](const Diagnostic *a, const Diagnostic *b) {
        return std::pair(a->where.file, a->where.begin) < std::pair(b->where.file, b->where.begin);
    });
    return result;
}

std::string Diagnostics::take_rendered() {
    std::string text = render();
    all_.clear();
    return text;
}

} // namespace planc::support

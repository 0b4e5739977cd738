#include "sema/context.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(not_lowered, error, "{0} is not lowered by this version of planc");

void Context::fail(const support::DiagnosticKind &kind, SourceRange where, std::initializer_list<std::string> arguments,
                   const std::vector<Note> &notes) const {
    support::Diagnostic &report = diagnostics.report(kind, where, arguments);
    for (const Note &note : notes)
        report.note(note.where, note.text);
    throw Failure{};
}

std::vector<Note> Context::suggestion(SourceRange where, const std::string &name,
                                      const std::vector<std::string> &candidates) {
    const std::string near = support::nearest(name, candidates);
    if (near.empty())
        return {};
    return {{where, "did you mean '" + near + "'?"}};
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

#include "front_end_check.h"

#include "sema/analyze.h"
#include "syntax/parse.h"
#include "syntax/print.h"

#include <algorithm>

namespace planc::fuzz {

namespace {

using support::Diagnostics;
using support::SourceFiles;

/// A result and no error, or no result and at least one.
std::string check_errors(const char *stage, bool result, const Diagnostics &diagnostics) {
    const auto errors = std::ranges::count_if(diagnostics.all(), [](const support::Diagnostic &diagnostic) {
        return diagnostic.kind->severity == support::Severity::error;
    });
    if ((errors == 0) == result && errors == diagnostics.errors())
        return {};
    return std::string(stage) + (result ? " succeeded" : " failed") + " with " + std::to_string(errors) + " errors:\n" +
           diagnostics.render();
}

std::string check_places(const Diagnostics &diagnostics, const SourceFiles &files) {
    for (const support::Diagnostic &diagnostic : diagnostics.all()) {
        const auto &where = diagnostic.where;
        if (where.file < 0)
            return "an error without a place: " + diagnostic.text;
        const auto size = static_cast<std::int32_t>(files.file(where.file).text.size());
        if (where.begin < 0 || where.end < where.begin || where.end > size)
            return "an error at an impossible place: " + diagnostic.text;
    }
    return {};
}

std::string check_format(const syntax::File &file, SourceFiles &files) {
    const std::string once = syntax::format(file, files);
    Diagnostics diagnostics(files);
    const auto again = syntax::parse(files.add("formatted.plan", once), files, diagnostics);
    if (!again)
        return "the formatted text does not parse:\n" + diagnostics.render();
    if (syntax::print_ast(*again) != syntax::print_ast(file))
        return "formatting changed the tree:\n" + once;
    if (again->comments.size() != file.comments.size())
        return "formatting lost comments:\n" + once;
    if (syntax::format(*again, files) != once)
        return "formatting is not idempotent:\n" + once;
    return {};
}

} // namespace

Outcome check_front_end(const std::string &text, const std::string &folder, const std::string &stdlib_directory) {
    Outcome outcome;
    SourceFiles files;
    const auto id = files.add(folder + "/input.plan", text);
    Diagnostics syntax_errors(files);
    const auto file = syntax::parse(id, files, syntax_errors);
    outcome.parsed = file != nullptr;
    outcome.wrong = check_errors("the parser", outcome.parsed, syntax_errors);
    if (outcome.wrong.empty() && file)
        outcome.wrong = check_format(*file, files);
    if (!outcome.wrong.empty())
        return outcome;

    Diagnostics diagnostics(files);
    const sema::Options options = {.stdlib_directory = stdlib_directory, .dimension_overrides = {}};
    outcome.analysed = sema::analyze(id, files, diagnostics, options).program.has_value();
    outcome.wrong = check_errors("the analysis", outcome.analysed, diagnostics);
    if (outcome.wrong.empty() && outcome.analysed && !outcome.parsed)
        outcome.wrong = "the analysis accepts what does not parse";
    if (outcome.wrong.empty())
        outcome.wrong = check_places(diagnostics, files);
    return outcome;
}

} // namespace planc::fuzz

// A text, parsed, for the tests of this folder.
#pragma once

#include "syntax/parse.h"
#include "syntax/print.h"

#include <filesystem>
#include <string>
#include <vector>

namespace planc::syntax {

struct Parsed {
    explicit Parsed(const std::string &text);

    support::SourceFiles files;
    support::Diagnostics diagnostics{files};
    std::unique_ptr<File> file;

    /// The only declaration, which must be a T.
    template <class T> const T &only() const { return std::get<T>(file->declarations.at(0)); }
    [[nodiscard]] std::string text(SourceRange range) const { return std::string(files.text(range)); }
    /// "line:column: message" of the only error, " | line:column: note" behind; empty: none.
    [[nodiscard]] std::string error() const;
    [[nodiscard]] std::string formatted() const { return format(*file, files); }
};

/// The expression of `dim x = <text>`.
struct ParsedExpression : Parsed {
    explicit ParsedExpression(const std::string &text) : Parsed("dim x = " + text) {}
    [[nodiscard]] const Expression &expression() const { return *only<DimensionDeclaration>().extent; }
    template <class T> const T &as() const { return std::get<T>(expression().node); }
    [[nodiscard]] std::string dump() const { return print_ast(*file); }
};

[[nodiscard]] std::string read(const std::filesystem::path &path);
/// Every .plan file of the source tree that parses: examples, library, tests.
[[nodiscard]] std::vector<std::filesystem::path> plan_files();

} // namespace planc::syntax

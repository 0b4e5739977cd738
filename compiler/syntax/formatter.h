// Turns a file into a document in canonical form (reference, L10). It walks the tree in the order of the text and
// inserts comments by their positions.
#pragma once

#include "syntax/ast.h"
#include "syntax/document.h"

#include <functional>
#include <vector>

namespace planc::syntax {

class Formatter {
  public:
    Formatter(const File &file, const support::SourceFiles &files);

    Document file();

  private:
    /// One item of a body or a list: where it is and how it is printed.
    struct Entry {
        SourceRange where;
        std::function<Document()> print;
    };
    using Entries = std::vector<Entry>;

    // Comments and blank lines (format_items.cpp).
    [[nodiscard]] const Comment *comment_before(std::int32_t offset) const; ///< the next comment, if it starts before
    std::string take_comment();
    void hoist_before(std::int32_t offset);
    [[nodiscard]] int line_ends(std::int32_t begin, std::int32_t end) const;
    Document body(SourceRange braces, const Entries &entries);
    Document inline_body(const Entries &entries);
    Document items(const Entries &entries, std::int32_t begin, std::int32_t end);
    Document item(Document &out, const Entry &entry, std::int32_t &last_end);
    void start_line(Document &out, std::int32_t begin, std::int32_t last_end);
    Document list(const char *open, const char *close, SourceRange where, const Entries &entries);

    // Expressions and types (format_expressions.cpp).
    Document expression(const Expression &expression);
    Document node(const Number &number);
    Document node(const String &string);
    Document node(const Boolean &boolean);
    Document node(const Reference &reference);
    Document node(const List &list);
    Document node(const Range &range);
    Document node(const Tuple &tuple);
    Document node(const Index &index);
    Document node(const Call &call);
    Document node(const Unary &unary);
    Document node(const Binary &binary);
    Document node(const Choice &choice);
    Document node(const Fold &fold);
    Document list_item(const ListItem &item);
    Document argument(const CallArgument &argument);
    Document dimension(const DimensionItem &item);
    Document type(const Type &type);

    // Statements, declarations (format_declarations.cpp).
    Document block(SourceRange braces, const Block &block);
    Document statement(const Statement &statement);
    Document conditional(const Conditional &conditional);
    Document declaration(const Declaration &declaration);
    Document callable(const CallableDeclaration &callable);
    Document results(const CallableDeclaration &callable);
    Document setting(const Setting &setting);
    Document groups(const Setting &setting);
    Document rows(const Setting &setting);
    Document settings(SourceRange braces, const std::vector<Setting> &settings);
    Document axes(SourceRange where, const std::vector<MeshAxis> &axes);
    Document mesh(const MeshDeclaration &mesh);

    // Layouts (format_layouts.cpp).
    Document layout(const LayoutDeclaration &layout);
    Document layout_items(SourceRange braces, const std::vector<LayoutItem> &items);
    Document layout_item(const LayoutItem &item);
    Document pipeline(const PipelineRule &rule);
    Document target(const AxisList &target);

    const File &file_;
    std::string_view text_;
    std::size_t next_comment_ = 0;
    SourceRange expression_where_;     ///< of the expression whose node is being printed
    std::vector<std::string> hoisted_; ///< comments inside the current item that cannot stay there: they are put before
                                       ///< it
};

[[nodiscard]] std::string quoted(const std::string &value);       ///< a string literal
[[nodiscard]] std::string joined(const std::vector<Name> &names); ///< `h, c`

} // namespace planc::syntax

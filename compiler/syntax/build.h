// Builds the syntax tree from ANTLR's parse tree. There is one function for each rule of the grammar.
#pragma once

#include "support/diagnostics.h"
#include "syntax/ast.h"
#include "syntax/recognize.h"

#include <string>
#include <vector>

namespace planc::syntax {

/// Thrown after an error was reported. It is caught where an item or a declaration is given up.
struct Abandoned {};

class Builder {
  public:
    Builder(const ParseTree &tree, const Places &places, support::Diagnostics &diagnostics)
        : tree_(tree), places_(places), diagnostics_(diagnostics) {}

    /// Fills in `declarations` and `broken`. False: an error was reported.
    bool build(File &file);

  private:
    using Grammar = grammar::PlanParser;

    /// Builds a part that can fail by itself. Returns false if an error was reported, by the parser or here.
    template <class Build> bool attempt(const antlr4::ParserRuleContext &context, const Build &build) {
        const int depth = depth_;
        if (!context.exception) {
            try {
                build();
                return true;
            } catch (const Abandoned &) {
                depth_ = depth;
            }
        }
        complete_ = false;
        return false;
    }
    void add_broken(std::size_t first, File &file) const;
    /// The name that an abandoned item would have bound; empty if it cannot be determined.
    [[nodiscard]] Name bound_name(const antlr4::ParserRuleContext &context) const;
    /// The same for a statement; none if they cannot be determined.
    [[nodiscard]] std::vector<Name> bound_names(const antlr4::ParserRuleContext &context) const;

    [[nodiscard]] SourceRange where(const antlr4::ParserRuleContext &context) const;
    [[nodiscard]] SourceRange where(const antlr4::ParserRuleContext *context) const; ///< no place for null
    [[nodiscard]] SourceRange where(const antlr4::Token &token) const { return places_.range(token); }
    Name name(Grammar::NameContext &context);
    /// Reports an expression before ':', '=' or '->' that should be a name.
    [[noreturn]] void not_a_name(SourceRange place, const std::string &sign);
    Name plain_name(const Expression &expression, const std::string &sign);

    Expression expression(Grammar::ExpressionContext &context);
    ExpressionPtr expression_pointer(Grammar::ExpressionContext *context); ///< null for null
    Expression primary(Grammar::PrimaryContext &context);
    Number number(Grammar::NumberContext &context);
    Expression binary(Grammar::ExpressionContext &context);
    Expression call(Grammar::CallContext &context);
    std::vector<CallArgument> arguments(Grammar::ArgumentsContext &context);
    CallArgument argument(Grammar::ArgumentContext &context);
    ListItem item(Grammar::ItemContext &context);
    Expression choice(Grammar::ChoiceContext &context);
    Expression fold(Grammar::FoldContext &context);
    std::string string(antlr4::tree::TerminalNode &node);

    DimensionItem dimension(Grammar::DimensionContext &context);
    Type type(Grammar::TypeContext &context);
    Block block(Grammar::BlockContext &context);
    Statement statement(Grammar::StatementContext &context);
    Conditional conditional(Grammar::ConditionalContext &context);
    Parameter parameter(Grammar::ParameterContext &context);

    Declaration declaration(Grammar::DeclarationContext &context);
    CallableDeclaration callable(Grammar::CallableDeclarationContext &context);
    std::vector<Setting> settings(Grammar::SettingsContext *context); ///< none for null
    Setting setting(Grammar::SettingContext &context);
    ParameterGroup group(Grammar::GroupContext &context);
    ScheduleRow row(Grammar::RowContext &context);
    MeshDeclaration mesh(Grammar::MeshDeclarationContext &context);
    std::vector<MeshAxis> axes(Grammar::AxesContext &context);

    LayoutDeclaration layout(Grammar::LayoutDeclarationContext &context);
    std::vector<LayoutItem> layout_body(Grammar::LayoutBodyContext *context); ///< none for null
    LayoutItem layout_item(Grammar::LayoutItemContext &context);
    PipelineRule pipeline(Grammar::LayoutItemContext &context);
    AxisList target(Grammar::TargetContext &context);
    Selector selector(Grammar::SelectorContext &context);
    Name plain_name(Grammar::SelectorContext &context, const std::string &sign);

    const ParseTree &tree_;
    const Places &places_;
    support::Diagnostics &diagnostics_;
    bool complete_ = true;
    int depth_ = 0; ///< of the expression that is being built
};

} // namespace planc::syntax

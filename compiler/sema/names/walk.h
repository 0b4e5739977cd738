// Visits of the syntax tree: every expression below an expression, every statement of a block.
#pragma once

#include "syntax/ast.h"

namespace planc::sema {

/// Calls visit(const Expression &) for each direct child; bodies of folds are blocks, not children.
template <class Visit> void for_each_child(const syntax::Expression &expression, const Visit &visit) {
    const auto each = [&](const syntax::ExpressionPtr &child) {
        if (child)
            visit(*child);
    };
    if (const auto *list = std::get_if<syntax::List>(&expression.node)) {
        for (const syntax::ListItem &item : list->items)
            each(item.value);
    } else if (const auto *range = std::get_if<syntax::Range>(&expression.node)) {
        each(range->first);
        each(range->last);
    } else if (const auto *tuple = std::get_if<syntax::Tuple>(&expression.node)) {
        for (const syntax::ExpressionPtr &item : tuple->items)
            each(item);
    } else if (const auto *index = std::get_if<syntax::Index>(&expression.node)) {
        each(index->list);
        each(index->index);
    } else if (const auto *call = std::get_if<syntax::Call>(&expression.node)) {
        for (const syntax::CallArgument &argument : call->arguments) {
            each(argument.value);
            each(argument.target);
        }
    } else if (const auto *unary = std::get_if<syntax::Unary>(&expression.node)) {
        each(unary->operand);
    } else if (const auto *binary = std::get_if<syntax::Binary>(&expression.node)) {
        each(binary->left);
        each(binary->right);
    } else if (const auto *choice = std::get_if<syntax::Choice>(&expression.node)) {
        each(choice->condition);
        each(choice->then);
        each(choice->otherwise);
    } else if (const auto *fold = std::get_if<syntax::Fold>(&expression.node)) {
        each(fold->start);
        each(fold->values);
    }
}

/// Calls visit(const Expression &) for every expression of a block, those in nested blocks included, and
/// parameter(const ParameterDeclaration &) for every declaration.
template <class Visit, class Parameter>
void for_each_expression(const syntax::Block &block, const Visit &visit, const Parameter &parameter);

template <class Visit, class Parameter>
void for_each_expression(const syntax::Expression &expression, const Visit &visit, const Parameter &parameter) {
    visit(expression);
    for_each_child(expression, [&](const syntax::Expression &child) { for_each_expression(child, visit, parameter); });
    if (const auto *fold = std::get_if<syntax::Fold>(&expression.node))
        for_each_expression(fold->body, visit, parameter);
}

template <class Visit, class Parameter>
void for_each_expression(const syntax::Statement &statement, const Visit &visit, const Parameter &parameter) {
    if (const auto *binding = std::get_if<syntax::Binding>(&statement.node)) {
        if (binding->value)
            for_each_expression(*binding->value, visit, parameter);
    } else if (const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node)) {
        parameter(*declaration);
        for_each_expression(*declaration->initializer, visit, parameter);
    } else if (const auto *shared = std::get_if<syntax::SharedLayer>(&statement.node)) {
        for_each_expression(*shared->layer, visit, parameter);
    } else if (const auto *conditional = std::get_if<syntax::Conditional>(&statement.node)) {
        for_each_expression(*conditional->condition, visit, parameter);
        for_each_expression(conditional->then, visit, parameter);
        for_each_expression(conditional->otherwise, visit, parameter);
    } else if (const auto *result = std::get_if<syntax::Return>(&statement.node)) {
        for_each_expression(*result->value, visit, parameter);
    } else if (const auto *yield = std::get_if<syntax::Yield>(&statement.node)) {
        for_each_expression(*yield->value, visit, parameter);
    }
}

template <class Visit, class Parameter>
void for_each_expression(const syntax::Block &block, const Visit &visit, const Parameter &parameter) {
    for (const syntax::Statement &statement : block)
        for_each_expression(statement, visit, parameter);
}

} // namespace planc::sema

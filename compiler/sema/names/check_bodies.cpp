#include "sema/names/check_bodies.h"

#include "sema/names/check_names.h"
#include "sema/names/walk.h"

#include <algorithm>
#include <set>

namespace planc::sema {

PLANC_DIAGNOSTIC(missing_return, error, "not every path through '{0}' returns");                            // N3
PLANC_DIAGNOSTIC(missing_yield, error, "not every path through the fold yields");                           // X8
PLANC_DIAGNOSTIC(misplaced_return, error, "'return' within a fold");                                        // X8
PLANC_DIAGNOSTIC(misplaced_yield, error, "'yield' outside of a fold");                                      // X8
PLANC_DIAGNOSTIC(unreachable_statement, error, "nothing may follow a '{0}'");                               // N3
PLANC_DIAGNOSTIC(unknown_parameter_type, error, "unknown kind of parameter '{0}'");                         // Y1
PLANC_DIAGNOSTIC(network_parameter, error, "the arguments of a network are tensors with named dimensions"); // N1
PLANC_DIAGNOSTIC(misplaced_rest, error, "'..' must be at the start of a pattern");                          // Y2
PLANC_DIAGNOSTIC(misplaced_spread, error, "'..{0}' must be at the end of a pattern");                       // Y2
PLANC_DIAGNOSTIC(repeated_parameter, error, "two parameters of '{0}' are named '{1}'");                     // Y1

namespace {

using Kind = syntax::DimensionItem::Kind;

/// Returns and yields.
class FlowChecker {
  public:
    explicit FlowChecker(const Context &context) : context_(context) {}

    /// Whether every path through the body ends in a `return`. A statement that did not parse may have been one.
    bool returns(const syntax::Block &body) { return ends(body, false) || unparsed_; }

  private:
    /// Whether every path through the block ends in a `return`, or in a `yield` within a fold.
    bool ends(const syntax::Block &block, bool in_fold) {
        bool ended = false;
        for (const syntax::Statement &statement : block) {
            if (ended) {
                context_.report(unreachable_statement, statement.where, {in_fold ? "yield" : "return"});
                break;
            }
            ended = ends(statement, in_fold);
        }
        return ended;
    }

    bool ends(const syntax::Statement &statement, bool in_fold) {
        if (const auto *binding = std::get_if<syntax::Binding>(&statement.node)) {
            unparsed_ = unparsed_ || (!binding->value && binding->names.empty());
            if (binding->value)
                check_folds(*binding->value);
        } else if (const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node)) {
            check_folds(*declaration->initializer);
        } else if (const auto *shared = std::get_if<syntax::SharedLayer>(&statement.node)) {
            check_folds(*shared->layer);
        } else if (const auto *conditional = std::get_if<syntax::Conditional>(&statement.node)) {
            check_folds(*conditional->condition);
            const bool then = ends(conditional->then, in_fold);
            const bool otherwise = ends(conditional->otherwise, in_fold);
            return then && otherwise;
        } else if (const auto *result = std::get_if<syntax::Return>(&statement.node)) {
            if (in_fold)
                context_.report(misplaced_return, statement.where, {}, {hint("a fold ends in 'yield'")});
            check_folds(*result->value);
            return true;
        } else if (const auto *yield = std::get_if<syntax::Yield>(&statement.node)) {
            if (!in_fold)
                context_.report(misplaced_yield, statement.where, {});
            check_folds(*yield->value);
            return true;
        }
        return false;
    }

    void check_folds(const syntax::Expression &expression) {
        for_each_child(expression, [&](const syntax::Expression &child) { check_folds(child); });
        if (const auto *fold = std::get_if<syntax::Fold>(&expression.node))
            if (!ends(fold->body, true) && !unparsed_)
                context_.report(missing_yield, fold->accumulators.front().where, {});
    }

    const Context &context_;
    bool unparsed_ = false; ///< some statement did not parse
};

void check_pattern(const syntax::Type &type, bool network, const Context &context) {
    for (const syntax::DimensionItem &item : type.dimensions) {
        if (network && item.kind != Kind::dimension)
            context.report(network_parameter, item.where, {});
        if (item.kind == Kind::rest && &item != &type.dimensions.front())
            context.report(misplaced_rest, item.where, {});
        if (item.kind == Kind::spread && &item != &type.dimensions.back())
            context.report(misplaced_spread, item.where, {item.name.text});
    }
}

void check_signature(const syntax::CallableDeclaration &callable, const Context &context) {
    const bool network = callable.kind == syntax::CallableDeclaration::Kind::network;
    const std::vector<std::string> kinds = {"dim",  "dims",   "int",         "ints", "float",
                                            "bool", "string", "initializer", "any"};
    std::set<std::string> names;
    for (const syntax::Parameter &parameter : callable.parameters) {
        if (!names.insert(parameter.name.text).second)
            context.report(repeated_parameter, parameter.name.where, {callable.name.text, parameter.name.text});
        if (parameter.type.tensor) {
            check_pattern(parameter.type, network, context);
            continue;
        }
        if (network) {
            context.report(network_parameter, parameter.type.where, {});
            continue;
        }
        const std::string word = parameter.type.word ? parameter.type.word->text : "";
        if (std::find(kinds.begin(), kinds.end(), word) == kinds.end()) {
            std::vector<Note> notes = Context::suggestion(word, kinds);
            if (notes.empty())
                notes = {
                    hint("it may be dim, dims, int, ints, float, bool, string, initializer, any or a tensor [...]")};
            context.report(unknown_parameter_type, parameter.type.where, {word}, notes);
        }
    }
    for (const syntax::Type &result : callable.results)
        check_pattern(result, network, context);
}

} // namespace

void check_bodies(Analysis &analysis) {
    for (int unit = 0; unit < analysis.declarations.unit_count(); ++unit)
        for (const auto *callable : analysis.declarations.in_order<syntax::CallableDeclaration>(unit)) {
            const std::int64_t before = analysis.context.failures();
            check_signature(*callable, analysis.context);
            if (!FlowChecker(analysis.context).returns(callable->body))
                analysis.context.report(missing_return, callable->name.where, {callable->name.text});
            if (analysis.context.failures() != before)
                analysis.failed_callables.insert(callable);
            check_names(*callable, unit, analysis);
        }
}

} // namespace planc::sema

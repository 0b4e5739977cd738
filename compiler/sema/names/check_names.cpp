#include "sema/names/check_names.h"

#include "sema/names/foreign_words.h"
#include "sema/names/library.h"
#include "sema/names/walk.h"
#include "sema/primitives/primitives.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(unknown_name, error, "unknown name '{0}'");                  // X4
PLANC_DIAGNOSTIC(unknown_function, error, "unknown layer or function '{0}'"); // X4

namespace {

bool is_to_report(Analysis &analysis, const std::string &name, int unit) {
    return !analysis.declarations.may_have_failed(name, unit) &&
           analysis.context.is_first("the name " + name + " in file " + std::to_string(unit));
}

} // namespace

void report_unknown_name(Analysis &analysis, const std::string &name, SourceRange where, int unit,
                         const std::vector<std::string> &candidates) {
    if (is_to_report(analysis, name, unit))
        analysis.context.report(unknown_name, where, {name}, Context::suggestion(name, candidates));
}

void report_unknown_function(Analysis &analysis, const std::string &name, SourceRange where, int unit,
                             const std::vector<std::string> &more_candidates) {
    if (!is_to_report(analysis, name, unit))
        return;
    std::vector<std::string> candidates = primitive_names();
    candidates.insert(candidates.end(), more_candidates.begin(), more_candidates.end());
    for (const std::string &declared : analysis.declarations.visible(&UnitNames::callables, unit))
        candidates.push_back(declared);
    const auto &library = library_callables(analysis.context);
    const auto import_of = [&](const std::string &callable) { return "import \"" + library.at(callable) + "\""; };
    if (library.contains(name)) {
        analysis.context.report(unknown_function, where, {name},
                                {hint("it is in the standard library: " + import_of(name))});
        return;
    }
    std::vector<Note> notes = Context::suggestion(name, candidates);
    const std::string here = counterpart(name, candidates);
    std::vector<std::string> of_library;
    for (const auto &[callable, file] : library)
        of_library.push_back(callable);
    std::string there = counterpart(name, of_library);
    if (notes.empty() && !here.empty())
        notes = {hint("it is called '" + here + "' here")};
    if (notes.empty() && there.empty())
        there = support::nearest(name, of_library);
    if (notes.empty() && !there.empty())
        notes = {hint("did you mean '" + there + "' of the standard library? " + import_of(there))};
    analysis.context.report(unknown_function, where, {name}, notes);
}

namespace {

using Kind = syntax::DimensionItem::Kind;

class NameChecker {
  public:
    NameChecker(Analysis &analysis, int unit) : analysis_(analysis), unit_(unit) {}

    void check(const syntax::CallableDeclaration &callable) {
        enter();
        const bool layer = callable.kind == syntax::CallableDeclaration::Kind::layer;
        for (const syntax::Parameter &parameter : callable.parameters) {
            bind(parameter.name.text);
            for (const syntax::DimensionItem &item : parameter.type.dimensions)
                if (layer && item.kind == Kind::dimension)
                    bind(item.name.text);
        }
        for (const syntax::Parameter &parameter : callable.parameters)
            if (parameter.fallback)
                check(*parameter.fallback);
        check(callable.body);
    }

  private:
    using Names = std::vector<std::string>;

    void enter() {
        names_.emplace_back();
        layers_.emplace_back();
    }
    void leave() {
        names_.pop_back();
        layers_.pop_back();
    }
    void bind(const std::string &name) { names_.back().push_back(name); }
    void bind(const std::vector<syntax::Name> &names) {
        for (const syntax::Name &name : names)
            bind(name.text);
    }

    static Names all(const std::vector<Names> &scopes) {
        Names all;
        for (const Names &scope : scopes)
            all.insert(all.end(), scope.begin(), scope.end());
        return all;
    }
    static bool contains(const std::vector<Names> &scopes, const std::string &name) {
        return std::any_of(scopes.begin(), scopes.end(), [&](const Names &scope) {
            return std::find(scope.begin(), scope.end(), name) != scope.end();
        });
    }

    void require(const std::string &name, SourceRange where) {
        if (unparsed_ || contains(names_, name) || is_plain_word(name) ||
            analysis_.dimensions.known(without_primes(name)))
            return;
        if (is_primitive(name) || contains(layers_, name) ||
            analysis_.declarations.find(&UnitNames::callables, name, unit_)) {
            if (is_to_report(analysis_, name, unit_))
                analysis_.context.report(unknown_name, where, {name},
                                         {hint("a function is called: '" + name + "(…)'")});
            return;
        }
        Names candidates = analysis_.dimensions.roles();
        const Names local = all(names_);
        candidates.insert(candidates.end(), local.begin(), local.end());
        report_unknown_name(analysis_, name, where, unit_, candidates);
    }

    void check(const syntax::Block &block) {
        enter();
        for (const syntax::Statement &statement : block)
            check(statement);
        leave();
    }

    void check(const syntax::Statement &statement) {
        if (const auto *binding = std::get_if<syntax::Binding>(&statement.node)) {
            unparsed_ = unparsed_ || (!binding->value && binding->names.empty());
            if (binding->value)
                check(*binding->value);
            bind(binding->names);
            if (!binding->value) // it may have been a shared layer
                for (const syntax::Name &name : binding->names)
                    layers_.back().push_back(name.text);
        } else if (const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node)) {
            for (const syntax::DimensionItem &item : declaration->type.dimensions) {
                if (item.extent)
                    check(*item.extent);
                else if (item.kind != Kind::rest)
                    require(item.name.text, item.where);
            }
            enter();
            for (const syntax::DimensionItem &item : declaration->type.dimensions)
                if (item.extent)
                    bind(item.name.text);
            check(*declaration->initializer);
            leave();
            bind(declaration->name.text);
        } else if (const auto *shared = std::get_if<syntax::SharedLayer>(&statement.node)) {
            check(*shared->layer);
            layers_.back().push_back(shared->name.text);
        } else if (const auto *conditional = std::get_if<syntax::Conditional>(&statement.node)) {
            check(*conditional->condition);
            check(conditional->then);
            check(conditional->otherwise);
        } else if (const auto *result = std::get_if<syntax::Return>(&statement.node)) {
            check(*result->value);
        } else if (const auto *yield = std::get_if<syntax::Yield>(&statement.node)) {
            check(*yield->value);
        }
    }

    void check(const syntax::Expression &expression) {
        if (const auto *reference = std::get_if<syntax::Reference>(&expression.node))
            require(reference->name, expression.where);
        if (const auto *call = std::get_if<syntax::Call>(&expression.node))
            if (!is_primitive(call->callee.text) && !contains(layers_, call->callee.text) &&
                !analysis_.declarations.find(&UnitNames::callables, call->callee.text, unit_))
                report_unknown_function(analysis_, call->callee.text, call->callee.where, unit_, all(layers_));
        if (const auto *list = std::get_if<syntax::List>(&expression.node))
            for (const syntax::ListItem &item : list->items)
                if (item.kind == syntax::ListItem::Kind::spread)
                    require(item.name->text, item.where);
        for_each_child(expression, [&](const syntax::Expression &child) { check(child); });
        if (const auto *fold = std::get_if<syntax::Fold>(&expression.node)) {
            enter();
            bind(fold->accumulators);
            bind(fold->variables);
            check(fold->body);
            leave();
        }
    }

    Analysis &analysis_;
    int unit_;
    std::vector<Names> names_;  ///< per scope, the inner ones last
    std::vector<Names> layers_; ///< shared layers, likewise
    bool unparsed_ = false;     ///< some statement did not parse and may have bound any name
};

} // namespace

void check_names(const syntax::CallableDeclaration &callable, int unit, Analysis &analysis) {
    NameChecker(analysis, unit).check(callable);
}

} // namespace planc::sema

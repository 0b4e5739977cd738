#include "sema/names/symbols.h"

#include "sema/analysis.h"
#include "sema/names/walk.h"

#include <algorithm>
#include <utility>

namespace planc::sema {
namespace {

using Kind = Symbol::Kind;

bool is_within(SourceRange where, SourceRange range) {
    return where.file == range.file && where.begin >= range.begin && where.begin <= range.end;
}

class SymbolCollector {
  public:
    explicit SymbolCollector(const Analysis &analysis)
        : analysis_(analysis), declarations_(analysis.declarations), files_(analysis.context.files) {}

    std::vector<Symbol> collect() {
        for (unit_ = 0; unit_ < declarations_.unit_count(); ++unit_)
            for (const syntax::Declaration &declaration : declarations())
                std::visit([this](const auto &node) { declare(node); }, declaration);
        for (unit_ = 0; unit_ < declarations_.unit_count(); ++unit_)
            for (const syntax::Declaration &declaration : declarations())
                std::visit([this](const auto &node) { visit(node); }, declaration);
        return std::move(symbols_);
    }

  private:
    using Index = std::size_t;

    const std::vector<syntax::Declaration> &declarations() const {
        return declarations_.units[static_cast<std::size_t>(unit_)].file->declarations;
    }

    // --- what is declared

    Index add(Kind kind, const syntax::Name &name, std::string detail, SourceRange scope = {}) {
        symbols_.push_back({kind, name.text, std::move(detail), name.where, scope, {}});
        return symbols_.size() - 1;
    }

    /// The user's words on one line.
    std::string words(SourceRange range) const {
        std::string text;
        for (const char c : files_.text(range))
            if (c != '\n' && c != '\r' && (c != ' ' || (!text.empty() && text.back() != ' ')))
                text += c;
        return text;
    }

    void declare(const syntax::Import &) {}
    void declare(const syntax::TrainDeclaration &) {}
    void declare(const syntax::DimensionDeclaration &node) {
        globals_[&node] = add(Kind::dimension, node.name, words(node.where));
    }
    void declare(const syntax::CallableDeclaration &node) {
        const bool network = node.kind == syntax::CallableDeclaration::Kind::network;
        globals_[&node] = add(network ? Kind::network : Kind::layer, node.name, words(node.head));
        for (const syntax::Parameter &parameter : node.parameters)
            members_[&node][parameter.name.text] =
                add(Kind::argument, parameter.name, words(parameter.where), node.where);
    }
    void declare(const syntax::DataDeclaration &node) {
        globals_[&node] = add(Kind::data, node.name, "data " + node.name.text + " = " + words(node.source->where));
        for (const syntax::Setting &setting : node.settings)
            if (!setting.name.text.empty() && setting.name.text != "split")
                members_[&node][setting.name.text] = add(Kind::field, setting.name, words(setting.where), node.where);
    }
    void declare(const syntax::MachineDeclaration &node) {
        globals_[&node] = add(Kind::machine, node.name, "machine " + node.name.text);
    }
    void declare(const syntax::MeshDeclaration &node) {
        globals_[&node] = add(Kind::mesh, node.name, words(node.where));
        declare_axes(&node, node.axes, node.where);
    }
    void declare(const syntax::LayoutDeclaration &node) {
        globals_[&node] = add(Kind::layout, node.name, "layout " + node.name.text);
        declare_axes(&node, node.axes, node.where);
    }
    void declare_axes(const void *owner, const std::vector<syntax::MeshAxis> &axes, SourceRange scope) {
        for (const syntax::MeshAxis &axis : axes)
            members_[owner][axis.name.text] = add(Kind::axis, axis.name, words(axis.where), scope);
    }

    // --- what is used

    void use(const void *node, SourceRange where) {
        if (const auto symbol = globals_.find(node); symbol != globals_.end())
            symbols_[symbol->second].uses.push_back(where);
    }
    void use_member(const void *owner, const syntax::Name &name) {
        const auto members = members_.find(owner);
        const auto member = members == members_.end() ? Members::iterator{} : members->second.find(name.text);
        if (members != members_.end() && member != members->second.end())
            symbols_[member->second].uses.push_back(name.where);
    }
    template <class Node> void use_declared(ByName<Node> UnitNames::*table, const syntax::Name &name) {
        use(declarations_.find(table, name.text, unit_), name.where);
    }
    /// Records the use of a local name or of a dimension.
    void use_name(const syntax::Name &name) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (const auto local = scope->find(name.text); local != scope->end()) {
                symbols_[local->second].uses.push_back(name.where);
                return;
            }
        use(analysis_.dimensions.declaration(without_primes(name.text), unit_), name.where);
    }

    void visit(const syntax::Import &) {}
    void visit(const syntax::DimensionDeclaration &node) { visit(*node.extent); }
    void visit(const syntax::CallableDeclaration &node) {
        scopes_.assign(1, members_[&node]);
        scope_ = node.where;
        const bool layer = node.kind == syntax::CallableDeclaration::Kind::layer;
        for (const syntax::Parameter &parameter : node.parameters)
            visit(parameter.type, layer);
        for (const syntax::Type &result : node.results)
            visit(result, layer);
        for (const syntax::Parameter &parameter : node.parameters)
            if (parameter.fallback)
                visit(*parameter.fallback);
        visit(node.body, node.braces);
        scopes_.clear();
        shared_.clear();
    }
    /// Visits a type. The names in a layer's signature belong to the layer.
    void visit(const syntax::Type &type, bool of_layer) {
        for (const syntax::DimensionItem &item : type.dimensions) {
            const bool named = item.kind == syntax::DimensionItem::Kind::dimension;
            if (of_layer && named && !scopes_.front().contains(item.name.text))
                bind(Kind::dimension, item.name, item.name.text);
            else if (!item.name.text.empty())
                use_name(item.name);
            if (item.extent)
                visit(*item.extent);
        }
    }
    void visit(const syntax::DataDeclaration &node) {
        visit(*node.source);
        visit_settings(node.settings);
    }
    void visit(const syntax::MachineDeclaration &node) { visit_settings(node.settings); }
    void visit(const syntax::MeshDeclaration &node) {
        if (node.machine)
            use_declared(&UnitNames::machines, *node.machine);
        for (const syntax::MeshAxis &axis : node.axes)
            if (axis.size)
                visit(*axis.size);
    }
    void visit(const syntax::LayoutDeclaration &node) {
        axes_of_ = &node;
        if (node.mesh) {
            use_declared(&UnitNames::meshes, *node.mesh);
            axes_of_ = declarations_.find(&UnitNames::meshes, node.mesh->text, unit_);
        }
        visit_items(node.items);
    }
    void visit_items(const std::vector<syntax::LayoutItem> &items) {
        for (const syntax::LayoutItem &item : items) {
            if (const auto *rule = std::get_if<syntax::LayoutRule>(&item.node)) {
                use_name(rule->dimension);
                visit(rule->target);
            } else if (const auto *selection = std::get_if<syntax::LayoutSelection>(&item.node)) {
                visit_items(selection->items);
            } else if (const auto *store = std::get_if<syntax::StoreRule>(&item.node)) {
                visit(store->target);
            } else if (const auto *pipeline = std::get_if<syntax::PipelineRule>(&item.node)) {
                visit(pipeline->target);
            }
        }
    }
    void visit(const syntax::AxisList &target) {
        for (const syntax::Name &axis : target.axes)
            use_member(axes_of_, axis);
    }
    void visit(const syntax::TrainDeclaration &node) {
        use_declared(&UnitNames::callables, node.network);
        use_declared(&UnitNames::data, node.data);
        for (const syntax::Setting &setting : node.settings) {
            const auto *word = setting.value ? std::get_if<syntax::Reference>(&setting.value->node) : nullptr;
            if (setting.name.text == "layout" && word)
                use_declared(&UnitNames::layouts, {word->name, setting.value->where});
            if (setting.name.text == "loss")
                scopes_.assign(1, members_[declarations_.find(&UnitNames::data, node.data.text, unit_)]);
            visit_setting(setting);
            scopes_.clear();
        }
    }
    void visit_settings(const std::vector<syntax::Setting> &settings) {
        for (const syntax::Setting &setting : settings)
            visit_setting(setting);
    }
    void visit_setting(const syntax::Setting &setting) {
        if (setting.value)
            visit(*setting.value);
        for (const syntax::ParameterGroup &group : setting.groups)
            visit_settings(group.settings);
    }

    // --- bodies

    void bind(Kind kind, const syntax::Name &name, std::string detail) {
        if (name.text.empty())
            return;
        const auto type = analysis_.types.find({name.where.file, name.where.begin});
        if (type != analysis_.types.end())
            detail = name.text + ": " + type->second;
        scopes_.back()[name.text] = add(kind, name, std::move(detail), scope_);
    }
    void visit(const syntax::Block &block, SourceRange braces) {
        const SourceRange outer = std::exchange(scope_, braces);
        scopes_.emplace_back();
        for (const syntax::Statement &statement : block)
            visit(statement);
        scopes_.pop_back();
        scope_ = outer;
    }
    void visit(const syntax::Statement &statement) {
        if (const auto *binding = std::get_if<syntax::Binding>(&statement.node)) {
            if (binding->value)
                visit(*binding->value);
            for (const syntax::Name &name : binding->names)
                bind(Kind::binding, name, name.text);
        } else if (const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node)) {
            visit(declaration->type, false);
            visit(*declaration->initializer);
            bind(Kind::parameter, declaration->name, words(statement.where));
        } else if (const auto *shared = std::get_if<syntax::SharedLayer>(&statement.node)) {
            visit(*shared->layer);
            bind(Kind::layer, shared->name, words(statement.where));
            shared_[shared->name.text] = std::get<syntax::Call>(shared->layer->node).callee.text;
        } else if (const auto *conditional = std::get_if<syntax::Conditional>(&statement.node)) {
            visit(*conditional->condition);
            visit(conditional->then, conditional->then_braces);
            visit(conditional->otherwise, conditional->otherwise_braces);
        } else if (const auto *result = std::get_if<syntax::Return>(&statement.node)) {
            visit(*result->value);
        } else if (const auto *yield = std::get_if<syntax::Yield>(&statement.node)) {
            visit(*yield->value);
        }
    }
    void visit(const syntax::Expression &expression) {
        if (const auto *reference = std::get_if<syntax::Reference>(&expression.node))
            use_name({reference->name, expression.where});
        if (const auto *call = std::get_if<syntax::Call>(&expression.node))
            visit(*call);
        if (const auto *list = std::get_if<syntax::List>(&expression.node))
            for (const syntax::ListItem &item : list->items)
                if (item.name)
                    use_name(*item.name);
        for_each_child(expression, [&](const syntax::Expression &child) { visit(child); });
        if (const auto *fold = std::get_if<syntax::Fold>(&expression.node)) {
            const SourceRange outer = std::exchange(scope_, fold->braces);
            scopes_.emplace_back();
            for (const auto *names : {&fold->accumulators, &fold->variables})
                for (const syntax::Name &name : *names)
                    bind(Kind::binding, name, name.text);
            visit(fold->body, fold->braces);
            scopes_.pop_back();
            scope_ = outer;
        }
    }
    void visit(const syntax::Call &call) {
        const auto shared = shared_.find(call.callee.text);
        const bool local = shared != shared_.end();
        const auto *callee =
            declarations_.find(&UnitNames::callables, local ? shared->second : call.callee.text, unit_);
        if (local)
            use_name(call.callee);
        else
            use(callee, call.callee.where);
        for (const syntax::CallArgument &argument : call.arguments) {
            if (argument.kind == syntax::CallArgument::Kind::named)
                use_member(callee, *argument.name);
            if (argument.kind == syntax::CallArgument::Kind::extent)
                use_name(*argument.name);
        }
    }

    using Members = std::map<std::string, Index>;

    const Analysis &analysis_;
    const Declarations &declarations_;
    const support::SourceFiles &files_;
    int unit_ = 0;
    std::vector<Symbol> symbols_;
    std::map<const void *, Index> globals_;     ///< by declaration
    std::map<const void *, Members> members_;   ///< of a declaration: arguments, fields, axes
    std::vector<Members> scopes_;               ///< of the current body, the inner ones last
    std::map<std::string, std::string> shared_; ///< of the current body: what each shared layer is a call of
    SourceRange scope_;                         ///< the braces of the innermost
    const void *axes_of_ = nullptr;             ///< the mesh, or the layout with one of its own
};

} // namespace

std::vector<Symbol> collect_symbols(const Analysis &analysis) {
    return SymbolCollector(analysis).collect();
}

const Symbol *symbol_at(const std::vector<Symbol> &symbols, SourceRange where) {
    for (const Symbol &symbol : symbols) {
        const auto here = [&](SourceRange range) { return is_within(where, range); };
        if (here(symbol.declared) || std::any_of(symbol.uses.begin(), symbol.uses.end(), here))
            return &symbol;
    }
    return nullptr;
}

std::vector<const Symbol *> visible_at(const std::vector<Symbol> &symbols, SourceRange where) {
    std::vector<const Symbol *> visible;
    for (const Symbol &symbol : symbols)
        if (symbol.scope.file < 0 || (is_within(where, symbol.scope) && symbol.declared.begin < where.begin))
            visible.push_back(&symbol);
    return visible;
}

} // namespace planc::sema

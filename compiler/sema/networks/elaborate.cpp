#include "sema/networks/elaborate.h"

#include "sema/names/walk.h"
#include "sema/networks/sparse_types.h"
#include "sema/primitives/primitives.h"
#include "sema/values/expect.h"
#include "support/scoped.h"

#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(already_bound, error, "'{0}' is bound twice");        // N2
PLANC_DIAGNOSTIC(wrong_tuple, error, "{0} names for {1}");             // X8, X9
PLANC_DIAGNOSTIC(not_shareable, error, "'{0}' cannot be shared: {1}"); // N8

Elaborator::Elaborator(Analysis &analysis, int unit) : analysis_(analysis), frame_(&outermost_) {
    outermost_.unit = unit;
    outermost_.scopes.emplace_back();
}

Elaborator::Elaborator(Analysis &analysis, Network &network)
    : analysis_(analysis), network_(&network), frame_(&outermost_) {
    outermost_.scopes.emplace_back();
}

void Elaborator::elaborate(const syntax::CallableDeclaration &callable) {
    network_->name = callable.name.text;
    network_->where = callable.head;
    outermost_.callable = &callable;
    outermost_.unit = analysis_.declarations.unit_of(callable.where);
    outermost_.names_layers = true;
    outermost_.layer = "output";
    context().attempt([&] { outermost_.element = element_of(callable); });
    for (const syntax::Parameter &parameter : callable.parameters) {
        const bool declared = context().attempt([&] {
            if (is_sparse(parameter.type)) {
                const SparseValue matrix = declared_matrix(parameter);
                add_matrix(matrix, parameter.where);
                return define(parameter.name, Value{matrix});
            }
            const TensorType type = declared_type(parameter.type);
            network_->arguments.push_back({parameter.name.text, type, parameter.where});
            define(parameter.name, Value{input(parameter.name.text, type, parameter.where)});
        });
        if (!declared)
            define_failed(parameter.name);
    }
    for (const TensorValue &result : call_results(outermost_, execute(callable.body), callable.head))
        network_->results.push_back(result.id);
}

Elaborator::Loss Elaborator::elaborate_loss(const syntax::Expression &expression, const LossNames &names, int unit) {
    loss_names_ = &names;
    outermost_.unit = unit;
    outermost_.layer = "loss";
    const auto *network = analysis_.declarations.find(&UnitNames::callables, names.network, unit);
    outermost_.element = element_of(*network); // the caller has seen to it that there is one
    for (const auto &[name, where] : names.fields)
        outermost_.scopes.front()[name] = {Value{FieldValue{name}}, where};
    for (const std::string &name : names.failed)
        outermost_.scopes.front()[name] = {Value{}, {}, true};
    const Value value = evaluate_at(expression, site_outside_bindings());
    loss_.loss = expect_tensor(value, expression.where, "the loss");
    network_->results = {loss_.loss.id};
    return loss_;
}

Elaborator::Flow Elaborator::execute(const syntax::Block &block) {
    for (const syntax::Statement &statement : block) {
        Flow flow;
        if (!context().attempt([&] { flow = execute(statement); }))
            mark_failed(statement);
        if (flow.result)
            return flow;
    }
    return {};
}

/// Marks a failed binding. After any other failed statement nothing is known, and the whole body gives up.
void Elaborator::mark_failed(const syntax::Statement &statement) {
    const auto *binding = std::get_if<syntax::Binding>(&statement.node);
    const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node);
    const auto *shared = std::get_if<syntax::SharedLayer>(&statement.node);
    const std::vector<syntax::Name> names = binding       ? binding->names
                                            : declaration ? std::vector{declaration->name}
                                            : shared      ? std::vector{shared->name}
                                                          : std::vector<syntax::Name>();
    if (frame_->names_layers) {
        analysis_.failed_layers.push_back(names.empty() ? frame_->layer : join(frame_->path, names.front().text));
        for_each_expression(
            statement,
            [&](const syntax::Expression &expression) {
                const auto *fold = std::get_if<syntax::Fold>(&expression.node);
                if (fold && fold->label)
                    analysis_.failed_layers.push_back(join(frame_->path, fold->label->text) + "[*]");
            },
            [](const syntax::ParameterDeclaration &) {});
    }
    if (names.empty())
        context().give_up();
    for (const syntax::Name &name : names)
        define_failed(name);
}

Elaborator::Flow Elaborator::execute(const syntax::Statement &statement) {
    if (const auto *binding = std::get_if<syntax::Binding>(&statement.node)) {
        bind(*binding);
    } else if (const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node)) {
        declare_parameter(*declaration, statement.where);
    } else if (const auto *shared = std::get_if<syntax::SharedLayer>(&statement.node)) {
        declare_shared(*shared);
    } else if (const auto *conditional = std::get_if<syntax::Conditional>(&statement.node)) {
        const Value condition = evaluate_at(*conditional->condition, site_outside_bindings(), Meant::dimension);
        const bool chosen = expect_boolean(context(), condition, conditional->condition->where, "a condition");
        const support::ScopedElement scope(frame_->scopes, Scope{}); // N4
        return execute(chosen ? conditional->then : conditional->otherwise);
    } else if (const auto *result = std::get_if<syntax::Return>(&statement.node)) {
        return {evaluate_at(*result->value, site_outside_bindings())};
    } else if (const auto *yield = std::get_if<syntax::Yield>(&statement.node)) {
        return {evaluate_at(*yield->value, site_of_yield(*yield))};
    }
    return {};
}

void Elaborator::bind(const syntax::Binding &binding) {
    if (!binding.value)
        context().give_up();
    for (const syntax::Name &name : binding.names)
        check_unbound(name);
    define(binding.names, evaluate_at(*binding.value, site_of_binding(binding)), binding.value->where);
}

void Elaborator::declare_shared(const syntax::SharedLayer &shared) {
    check_unbound(shared.name);
    const syntax::Name &callee = std::get<syntax::Call>(shared.layer->node).callee;
    const syntax::CallableDeclaration *callable = analysis_.ownership.callee(*shared.layer);
    if (shared_layer(callee.text))
        fail(not_shareable, callee.where, {callee.text, "it is shared already"});
    if (!callable && !is_primitive(callee.text)) // check_names() has reported it
        context().give_up();
    if (!callable || !analysis_.ownership.owns(*callable))
        fail(not_shareable, callee.where, {callee.text, "it owns no parameters"});
    static_cast<void>(arguments_of_shared(shared, *callable));
    const std::string path = join(frame_->path, shared.name.text);
    register_layer(path, shared.name);
    frame_->scopes.back()[shared.name.text] = {Value{}, shared.name.where, false, &shared, parameters_at(path)};
}

void Elaborator::check_unbound(const syntax::Name &name) const {
    for (const Scope &scope : frame_->scopes) {
        const auto earlier = scope.find(name.text);
        if (earlier != scope.end())
            fail(already_bound, name.where, {name.text}, {{earlier->second.where, "first bound here"}});
    }
}

void Elaborator::define(const syntax::Name &name, Value value) {
    check_unbound(name);
    const auto *tensor = value.get<TensorValue>();
    if (tensor && frame_ == &outermost_)
        analysis_.types.try_emplace({name.where.file, name.where.begin}, to_string(*tensor));
    frame_->scopes.back()[name.text] = {std::move(value), name.where};
}

/// Several names take a list apart; `where`: what gives it.
void Elaborator::define(const std::vector<syntax::Name> &names, const Value &value, SourceRange where) {
    if (names.size() == 1)
        return define(names.front(), value);
    const auto *list = value.get<ListValue>();
    const std::size_t count = list ? (*list)->size() : 1;
    if (count != names.size())
        fail(wrong_tuple, names.front().where, {std::to_string(names.size()), count_of_values(count)},
             {{where, "the values come from here"}});
    for (std::size_t i = 0; i < count; ++i)
        define(names[i], (**list)[i]);
}

void Elaborator::define_failed(const syntax::Name &name) {
    frame_->scopes.back()[name.text] = {Value{}, name.where, true};
}

Value Elaborator::evaluate_at(const syntax::Expression &expression, Site site, Meant meant) {
    const support::ScopedValue here(site_, std::move(site));
    return evaluate(expression, meant);
}

} // namespace planc::sema

#include "sema/networks/elaborate.h"

#include "sema/names/walk.h"
#include "sema/networks/sparse_types.h"
#include "sema/values/expect.h"
#include "support/scoped.h"

#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(already_bound, error, "'{0}' is bound twice"); // N2

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
    network_->result = call_result(outermost_, execute(callable.body), callable.head).id;
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
    network_->result = loss_.loss.id;
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
    const bool named = (binding && !binding->name.text.empty()) || declaration;
    if (frame_->names_layers) {
        analysis_.failed_layers.push_back(named ? join(frame_->path, (binding ? binding->name : declaration->name).text)
                                                : frame_->layer);
        for_each_expression(
            statement,
            [&](const syntax::Expression &expression) {
                const auto *fold = std::get_if<syntax::Fold>(&expression.node);
                if (fold && fold->label)
                    analysis_.failed_layers.push_back(join(frame_->path, fold->label->text) + "[*]");
            },
            [](const syntax::ParameterDeclaration &) {});
    }
    if (!named)
        context().give_up();
    define_failed(binding ? binding->name : declaration->name);
}

Elaborator::Flow Elaborator::execute(const syntax::Statement &statement) {
    if (const auto *binding = std::get_if<syntax::Binding>(&statement.node)) {
        bind(*binding);
    } else if (const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node)) {
        declare_parameter(*declaration, statement.where);
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
    check_unbound(binding.name);
    define(binding.name, evaluate_at(*binding.value, site_of_binding(binding)));
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

void Elaborator::define_failed(const syntax::Name &name) {
    frame_->scopes.back()[name.text] = {Value{}, name.where, true};
}

Value Elaborator::evaluate_at(const syntax::Expression &expression, Site site, Meant meant) {
    const support::ScopedValue here(site_, std::move(site));
    return evaluate(expression, meant);
}

} // namespace planc::sema

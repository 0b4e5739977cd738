#include "sema/networks/elaborate.h"

#include "sema/values/expect.h"

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
    outermost_.element = element_of(callable);
    for (const syntax::Parameter &parameter : callable.parameters) {
        const TensorType type = declared_type(parameter.type);
        network_->arguments.push_back({parameter.name.text, type, parameter.where});
        define(parameter.name, Value{input(parameter.name.text, type, parameter.where)});
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
    const Value value = evaluate_at(expression, site_outside_bindings());
    loss_.loss = expect_tensor(value, expression.where, "the loss");
    network_->result = loss_.loss.id;
    return loss_;
}

Elaborator::Flow Elaborator::execute(const syntax::Block &block) {
    for (const syntax::Statement &statement : block) {
        Flow flow = execute(statement);
        if (flow.result)
            return flow;
    }
    return {};
}

Elaborator::Flow Elaborator::execute(const syntax::Statement &statement) {
    if (const auto *binding = std::get_if<syntax::Binding>(&statement.node)) {
        bind(*binding);
    } else if (const auto *declaration = std::get_if<syntax::ParameterDeclaration>(&statement.node)) {
        declare_parameter(*declaration, statement.where);
    } else if (const auto *conditional = std::get_if<syntax::Conditional>(&statement.node)) {
        const Value condition = evaluate_at(*conditional->condition, site_outside_bindings(), Meant::dimension);
        const bool chosen = expect_boolean(context(), condition, conditional->condition->where, "a condition");
        frame_->scopes.emplace_back(); // N4
        Flow flow = execute(chosen ? conditional->then : conditional->otherwise);
        frame_->scopes.pop_back();
        return flow;
    } else if (const auto *result = std::get_if<syntax::Return>(&statement.node)) {
        return {evaluate_at(*result->value, site_outside_bindings())};
    } else if (const auto *yield = std::get_if<syntax::Yield>(&statement.node)) {
        return {evaluate_at(*yield->value, site_of_yield(*yield))};
    }
    return {};
}

void Elaborator::bind(const syntax::Binding &binding) {
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
    frame_->scopes.back()[name.text] = {std::move(value), name.where};
}

Value Elaborator::evaluate_at(const syntax::Expression &expression, Site site, Meant meant) {
    std::swap(site_, site);
    Value value = evaluate(expression, meant);
    std::swap(site_, site);
    return value;
}

} // namespace planc::sema

// Calls of layers and networks: inlined, in a frame of their own.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"
#include "support/scoped.h"

#include <algorithm>
#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(endless_recursion, error, "'{0}' calls itself without end ({1} calls deep)");                // N7
PLANC_DIAGNOSTIC(wrong_result, error, "'{0}' returns {1}, but is declared to return {2}");                    // N1, Y1
PLANC_DIAGNOSTIC(given_at_call, error, "a call of the shared layer '{1}' takes only its tensors, not '{0}'"); // N8
PLANC_DIAGNOSTIC(called_twice, error, "the loss calls network '{0}' twice");                                  // R2
PLANC_DIAGNOSTIC(other_network, error, "the loss calls network '{0}', but '{1}' is trained");                 // R2

namespace {

constexpr std::size_t deepest_call = 64;

std::string pattern_text(const syntax::Type &type) {
    std::string text = "[";
    for (const syntax::DimensionItem &item : type.dimensions)
        text += (text.size() > 1 ? ", " : "") +
                (item.kind == syntax::DimensionItem::Kind::dimension ? item.name.text : ".." + item.name.text);
    return text + "]";
}

} // namespace

/// If one name stands for several dimensions of the caller, the one with this extent; if none has it, the first.
int Elaborator::symbol_of_caller(const Frame &frame, const DimensionValue &dimension) {
    const auto found = frame.origins.find(dimension.symbol);
    if (found == frame.origins.end())
        return DimensionValue::by_role;
    const auto same = std::find_if(found->second.begin(), found->second.end(),
                                   [&](const DimensionValue &origin) { return origin.extent == dimension.extent; });
    return same == found->second.end() ? found->second.front().symbol : same->symbol;
}

Value Elaborator::call(const syntax::Call &call, SourceRange where) {
    if (const Local *shared = shared_layer(call.callee.text))
        return call_declared(call, *analysis_.ownership.callee(*shared->layer->layer), shared, where);
    const int unit = analysis_.declarations.unit_of(where);
    if (const auto *callable = analysis_.declarations.find(&UnitNames::callables, call.callee.text, unit))
        return call_declared(call, *callable, nullptr, where);
    return primitive(call, where);
}

const Elaborator::Local *Elaborator::shared_layer(const std::string &name) const {
    for (auto scope = frame_->scopes.rbegin(); scope != frame_->scopes.rend(); ++scope)
        if (const auto found = scope->find(name); found != scope->end()) {
            if (found->second.failed) // it may be a shared layer
                context().give_up();
            return found->second.layer ? &found->second : nullptr;
        }
    return nullptr;
}

Value Elaborator::argument(const syntax::CallArgument &argument, Meant meant) {
    if (argument.kind == syntax::CallArgument::Kind::extent)
        return {extent_on_the_spot(*argument.name, *argument.value)};
    return evaluate(*argument.value, meant);
}

std::optional<std::vector<std::string>> Elaborator::plain_arguments(const syntax::CallableDeclaration &callable,
                                                                    const Arguments &arguments) {
    std::vector<std::string> plain;
    for (const syntax::Parameter &parameter : callable.parameters) {
        const syntax::CallArgument *given = arguments.find(parameter.name.text);
        if (!given || !std::holds_alternative<syntax::Reference>(given->value->node))
            return std::nullopt;
        const Value value = argument(*given);
        const auto *tensor = value.get<TensorValue>();
        plain.push_back(tensor ? std::to_string(tensor->id) : describe(value));
    }
    return plain;
}

/// All but the tensors; what has no default must be there.
Arguments Elaborator::arguments_of_shared(const syntax::SharedLayer &shared,
                                          const syntax::CallableDeclaration &callable) {
    std::vector<std::string> names;
    for (const syntax::Parameter &parameter : callable.parameters)
        if (!parameter.type.tensor)
            names.push_back(parameter.name.text);
    if (takes_over(callable))
        names.emplace_back("over");
    Arguments arguments(context(), std::get<syntax::Call>(shared.layer->node), names);
    for (const syntax::Parameter &parameter : callable.parameters)
        if (!parameter.type.tensor && !parameter.fallback)
            static_cast<void>(arguments.require(parameter.name.text));
    return arguments;
}

Arguments Elaborator::arguments_of(const syntax::Call &call, const syntax::CallableDeclaration &callable,
                                   const Local *shared) {
    const auto find = [&](const std::string &name) {
        return std::find_if(call.arguments.begin(), call.arguments.end(), [&](const syntax::CallArgument &given) {
            return given.kind == syntax::CallArgument::Kind::named && given.name->text == name;
        });
    };
    std::vector<std::string> names;
    for (const syntax::Parameter &parameter : callable.parameters) {
        const std::string &name = parameter.name.text;
        if (!shared || parameter.type.tensor)
            names.push_back(name);
        else if (const auto given = find(name); given != call.arguments.end())
            fail(given_at_call, given->name->where, {name, call.callee.text},
                 {{shared->where, "give it where the shared layer is declared"}});
    }
    // Behind tensors alone, a further argument would be taken for it.
    if (takes_over(callable) && (!shared || find("over") != call.arguments.end()))
        names.emplace_back("over");
    const bool takes_dimensions =
        std::any_of(callable.parameters.begin(), callable.parameters.end(), [](const syntax::Parameter &parameter) {
            return parameter.type.word && (parameter.type.word->text == "dim" || parameter.type.word->text == "dims");
        });
    const auto is_dimension = [&](const std::string &name) {
        return takes_dimensions && analysis_.dimensions.known(name);
    };
    Arguments arguments(context(), call, names, "", is_dimension);
    if (shared)
        arguments.add(arguments_of_shared(*shared->layer, callable));
    return arguments;
}

Value Elaborator::call_declared(const syntax::Call &call, const syntax::CallableDeclaration &callable,
                                const Local *shared, SourceRange where) {
    if (!network_)
        fail_no_network(where);
    if (analysis_.failed_callables.contains(&callable))
        context().give_up();
    const Arguments arguments = arguments_of(call, callable, shared);
    Frame frame;
    frame.callable = &callable;
    frame.unit = analysis_.declarations.unit_of(callable.where);
    frame.scopes.emplace_back();
    const bool network = callable.kind == syntax::CallableDeclaration::Kind::network;
    frame.element = network ? element_of(callable) : frame_->element;
    const bool trained = network && loss_names_ && frame_ == &outermost_;
    if (trained) {
        if (trained_call_.arguments && trained_call_.arguments == plain_arguments(callable, arguments))
            return trained_call_.result;
        enter_trained_network(callable, where);
        trained_call_.arguments = plain_arguments(callable, arguments);
    }
    bind_signature(frame, arguments, where);
    frame.names_layers = network || analysis_.ownership.composite(callable);
    frame.path = trained ? "" : call_path(callable, call.callee, where);
    frame.layer = trained ? "output" : frame.path;
    frame.shared = frame_->shared;
    if (shared)
        frame.shared = {++shared_calls_, frame.path, shared->parameters, where};
    // Reports only a layer that is called within itself. A layer that is merely called deep inside of others is not the
    // cause of an endless recursion.
    if (calls_.size() >= deepest_call && std::find(calls_.begin(), calls_.end(), &callable) != calls_.end())
        stop(endless_recursion, call.callee.where, {callable.name.text, std::to_string(deepest_call)});
    std::vector<TensorValue> results = inlined(frame, where);
    if (trained)
        loss_.prediction = results.front().id;
    std::vector<Value> values;
    for (TensorValue &result : results) {
        // The dimensions that the layer's signature names get the caller's names again.
        for (DimensionValue &dimension : result.dimensions)
            dimension.symbol = symbol_of_caller(frame, dimension);
        values.push_back({result});
    }
    Value value = values.size() == 1 ? values.front() : list_of(std::move(values));
    if (trained)
        trained_call_.result = value;
    return value;
}

std::vector<TensorValue> Elaborator::inlined(Frame &frame, SourceRange where) {
    const support::ScopedElement call(calls_, frame.callable);
    const support::ScopedValue callee(frame_, &frame);
    Flow flow;
    {
        const support::ScopedElement from(analysis_.context.calls, where);
        flow = execute(frame.callable->body);
    }
    return call_results(frame, flow, where);
}

void Elaborator::enter_trained_network(const syntax::CallableDeclaration &callable, SourceRange where) {
    if (callable.name.text != loss_names_->network)
        fail(other_network, where, {callable.name.text, loss_names_->network});
    if (loss_.prediction >= 0)
        fail(called_twice, where, {callable.name.text});
}

std::vector<TensorValue> Elaborator::call_results(const Frame &frame, const Flow &flow, SourceRange where) {
    if (!flow.result) // check_bodies() has seen to it that every way returns, unless something did not parse
        context().give_up();
    const syntax::CallableDeclaration &callable = *frame.callable;
    const auto *list = flow.result->get<ListValue>();
    const std::vector<Value> values = list && (*list)->size() > 1 ? **list : std::vector<Value>{*flow.result};
    if (values.size() != callable.results.size()) {
        const bool network = callable.kind == syntax::CallableDeclaration::Kind::network;
        fail(wrong_result, network ? callable.results_where : where,
             {callable.name.text, count_of_values(values.size()), count_of_values(callable.results.size())},
             network ? std::vector<Note>() : std::vector<Note>{{callable.results_where, "declared here"}});
    }
    std::vector<TensorValue> results;
    for (std::size_t i = 0; i < values.size(); ++i) {
        results.push_back(expect_tensor(values[i], where, "the result of '" + callable.name.text + "'"));
        check_result(frame, results.back(), callable.results[i], where);
    }
    return results;
}

void Elaborator::check_result(const Frame &frame, const TensorValue &result, const syntax::Type &type,
                              SourceRange where) {
    const syntax::CallableDeclaration &callable = *frame.callable;
    check_dense(type);
    if (callable.kind == syntax::CallableDeclaration::Kind::network) {
        const TensorType declared = declared_type(type);
        const TensorType actual = type_of(result);
        if (declared.element != actual.element || declared.dimensions != actual.dimensions)
            fail(wrong_result, type.where, {callable.name.text, to_string(result), to_string(declared)});
        return;
    }
    // For a layer, only the roles are checked, because extents may change, for example by a stride.
    std::vector<std::string> roles;
    for (const syntax::DimensionItem &item : type.dimensions) {
        std::vector<DimensionValue> some;
        if (item.kind == syntax::DimensionItem::Kind::rest)
            some = rest(item.where);
        else if (item.kind == syntax::DimensionItem::Kind::spread)
            some = spread(item.name);
        else if (const auto bound = frame.bound.find(item.name.text); bound != frame.bound.end())
            some = bound->second;
        else
            some = {{item.name.text, DimensionValue::open, DimensionValue::by_role, item.where}};
        for (const DimensionValue &dimension : some)
            roles.push_back(without_primes(dimension.role));
    }
    std::vector<std::string> actual;
    for (const DimensionValue &dimension : result.dimensions)
        actual.push_back(without_primes(dimension.role));
    if (frame.over) { // the dimensions that `in` stands for may lie between the others
        std::sort(roles.begin(), roles.end());
        std::sort(actual.begin(), actual.end());
    }
    if (actual != roles)
        fail(wrong_result, where, {callable.name.text, to_string(result), pattern_text(type)},
             {{type.where, "declared here"}});
}

} // namespace planc::sema

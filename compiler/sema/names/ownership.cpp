#include "sema/names/ownership.h"

#include "sema/names/walk.h"

#include <algorithm>

namespace planc::sema {

const syntax::CallableDeclaration *Ownership::callee(const syntax::Expression &expression) const {
    const auto *call = std::get_if<syntax::Call>(&expression.node);
    if (!call)
        return nullptr;
    return declarations_.find(&UnitNames::callables, call->callee.text, declarations_.unit_of(expression.where));
}

const Ownership::Answer &Ownership::answer(const syntax::CallableDeclaration &callable) {
    const auto [entry, fresh] = answers_.try_emplace(&callable);
    if (!fresh)
        return entry->second; // for a layer that calls itself: what is known so far
    std::vector<const syntax::CallableDeclaration *> callees;
    bool declares = false;
    for_each_expression(
        callable.body,
        [&](const syntax::Expression &expression) {
            if (const syntax::CallableDeclaration *called = callee(expression))
                callees.push_back(called);
        },
        [&](const syntax::ParameterDeclaration &) { declares = true; });
    answers_[&callable].declares = declares;
    for (const syntax::CallableDeclaration *called : callees)
        if (owns(*called))
            answers_[&callable].calls = true;
    return answers_[&callable];
}

bool Ownership::owns(const syntax::CallableDeclaration &callable) {
    const Answer &known = answer(callable);
    return known.declares || known.calls;
}

bool Ownership::composite(const syntax::CallableDeclaration &callable) {
    return answer(callable).calls;
}

std::map<std::string, int> Ownership::owning_calls(const syntax::Expression &expression, const Shared &shared) {
    std::map<std::string, int> counts;
    const auto add = [&](const syntax::Expression &child) {
        for (const auto &[name, count] : owning_calls(child, shared))
            counts[name] += count;
    };
    if (const auto *choice = std::get_if<syntax::Choice>(&expression.node)) {
        counts = owning_calls(*choice->then, shared);
        for (const auto &[name, count] : owning_calls(*choice->otherwise, shared))
            counts[name] = std::max(counts[name], count);
        add(*choice->condition);
        return counts;
    }
    for_each_child(expression, add);
    const auto *call = std::get_if<syntax::Call>(&expression.node);
    const syntax::CallableDeclaration *local = call ? shared(call->callee.text) : nullptr;
    const syntax::CallableDeclaration *called = local ? local : callee(expression);
    if (called && owns(*called))
        ++counts[call->callee.text];
    return counts;
}

} // namespace planc::sema

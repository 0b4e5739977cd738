#include "sema/values/arguments.h"

#include "sema/names/foreign_words.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(too_many_arguments, error, "'{0}' takes {1}, got more");                                   // X6
PLANC_DIAGNOSTIC(unknown_argument, error, "'{0}' has no argument '{1}'");                                   // X6
PLANC_DIAGNOSTIC(duplicate_argument, error, "argument '{1}' of '{0}' is given twice");                      // X6
PLANC_DIAGNOSTIC(missing_argument, error, "'{0}' needs the argument '{1}'");                                // X6
PLANC_DIAGNOSTIC(misplaced_arrow, error, "'{0}' takes no arrow");                                           // X6
PLANC_DIAGNOSTIC(missing_arrow, error, "'{0}' needs '-> [dimensions of the result]' after argument '{1}'"); // O17

Arguments::Arguments(const Context &context, const syntax::Call &call, std::vector<std::string> parameters,
                     const std::string &mapped, const IsDimension &is_dimension)
    : context_(context), callee_(call.callee), parameters_(std::move(parameters)) {
    std::size_t next = 0;
    for (const syntax::CallArgument &argument : call.arguments) {
        const bool arrow = argument.kind == syntax::CallArgument::Kind::mapping;
        const bool place_of_arrow = next < parameters_.size() && parameters_[next] == mapped;
        if (arrow && !place_of_arrow)
            context.fail(misplaced_arrow, argument.where, {callee_.text});
        const syntax::CallArgument *&place = slot(argument, next, is_dimension);
        place = &argument;
        if (!arrow && !mapped.empty() && find(mapped) == &argument)
            context.fail(missing_arrow, argument.where, {callee_.text, mapped});
    }
}

/// Suggestions for an unknown argument.
std::vector<Note> Arguments::on_unknown(const std::string &name, const IsDimension &is_dimension) const {
    if (name == "betas" && counterpart(name, parameters_) == "beta1")
        return {hint("they are two here: 'beta1' and 'beta2'")};
    if (std::vector<Note> near = Context::suggestion(name, parameters_); !near.empty())
        return near;
    if (is_dimension && is_dimension(name))
        return {hint("a dimension with its extent takes ':': write '" + name + ": …'")};
    if (const std::string ours = counterpart(name, parameters_); !ours.empty())
        return {hint("it is called '" + ours + "' here")};
    return {};
}

const syntax::CallArgument *&Arguments::slot(const syntax::CallArgument &argument, std::size_t &next,
                                             const IsDimension &is_dimension) {
    std::string parameter;
    if (argument.kind == syntax::CallArgument::Kind::named) {
        parameter = argument.name->text;
        if (std::find(parameters_.begin(), parameters_.end(), parameter) == parameters_.end())
            context_.fail(unknown_argument, argument.name->where, {callee_.text, parameter},
                          on_unknown(parameter, is_dimension));
    } else {
        if (next >= parameters_.size())
            context_.fail(too_many_arguments, argument.where,
                          {callee_.text, parameters_.size() == 1 ? "one argument"
                                         : parameters_.empty()   ? "no arguments"
                                                                 : std::to_string(parameters_.size()) + " arguments"});
        parameter = parameters_[next++];
    }
    const syntax::CallArgument *&place = given_[parameter];
    if (place)
        context_.fail(duplicate_argument, argument.where, {callee_.text, parameter},
                      {{place->where, "first given here"}});
    return place;
}

void Arguments::add(const Arguments &other) {
    for (const auto &[parameter, argument] : other.given_)
        if (const auto [known, fresh] = given_.emplace(parameter, argument); !fresh)
            context_.fail(duplicate_argument, known->second->where, {callee_.text, parameter},
                          {{argument->where, "first given here"}});
}

const syntax::CallArgument *Arguments::find(const std::string &parameter) const {
    const auto entry = given_.find(parameter);
    return entry == given_.end() ? nullptr : entry->second;
}

const syntax::CallArgument &Arguments::require(const std::string &parameter) const {
    if (const syntax::CallArgument *argument = find(parameter))
        return *argument;
    context_.fail(missing_argument, callee_.where, {callee_.text, parameter});
}

std::string Arguments::what(const std::string &parameter) const {
    return "'" + parameter + "' of '" + callee_.text + "'";
}

} // namespace planc::sema

#include "sema/values/settings.h"

#include "sema/names/foreign_words.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(unknown_setting, error, "{0} has no setting '{1}'");                         // M2
PLANC_DIAGNOSTIC(duplicate_setting, error, "'{0}' is set twice");                             // M2
PLANC_DIAGNOSTIC(missing_setting, error, "{0} needs the setting '{1}'");                      // M1
PLANC_DIAGNOSTIC(misplaced_shares, error, "'{0}' is not a split into shares");                // M2
PLANC_DIAGNOSTIC(misplaced_groups, error, "'{0}' has no groups of parameters");               // R5
PLANC_DIAGNOSTIC(misplaced_table, error, "actions go with 'schedule = table' of a pipeline"); // P8
PLANC_DIAGNOSTIC(unknown_word, error, "{0} must be {1}");                                     // M1

namespace {

[[noreturn]] void fail_unknown_word(const Context &context, SourceRange where, const std::string &what,
                                    const std::string &word, const std::vector<std::string> &known) {
    std::vector<Note> notes = Context::suggestion(word, known);
    if (notes.empty() && word.ends_with("(…)")) {
        std::vector<std::string> bare;
        for (const std::string &form : known)
            bare.push_back(form.substr(0, form.find('(')));
        if (const std::string ours = counterpart(word.substr(0, word.find('(')), bare); !ours.empty())
            notes = {hint("it is called '" + ours + "' here")};
    }
    context.fail(unknown_word, where, {what, one_of(known)}, notes);
}

/// Suggestions for an unknown setting: what is likely meant, where the setting belongs, or all settings.
std::vector<Note> on_unknown(const std::string &name, const std::vector<std::string> &known) {
    if (std::vector<Note> near = Context::suggestion(name, known); !near.empty())
        return near;
    if (const std::string ours = counterpart(name, known); !ours.empty())
        return {hint("it is called '" + ours + "' here")};
    if (name == "batch" || name == "batch_size")
        return {hint("the batch is a dimension of the network's arguments: dim batch = 64")};
    if (!Context::suggestion(name, {"microbatches"}).empty() || counterpart(name, {"microbatches"}) == "microbatches")
        return {hint("a layout says it: layout NAME on MESH { microbatches = 4 }")};
    return {hint("a setting is " + one_of(known))};
}

} // namespace

std::string one_of(const std::vector<std::string> &words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + ("'" + words[i] + "'");
    return text;
}

std::string some_of(const std::vector<std::string> &names) {
    constexpr std::size_t most_shown = 5;
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < most_shown; ++i)
        text += (i == 0 ? "'" : ", '") + names[i] + "'";
    return names.size() > most_shown ? text + ", …" : text;
}

Settings::Settings(const Context &context, std::string owner, SourceRange where,
                   const std::vector<syntax::Setting> &settings, const std::vector<std::string> &known)
    : context_(context), owner_(std::move(owner)), where_(where) {
    for (const syntax::Setting &setting : settings) {
        const std::string &name = setting.name.text;
        if (name.empty()) { // a line that did not parse
            complete_ = false;
            continue;
        }
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            context.report(unknown_setting, setting.name.where, {owner_, name}, on_unknown(name, known));
            complete_ = false;
            continue;
        }
        const auto [entry, fresh] = settings_.emplace(name, &setting);
        if (!fresh)
            context.report(duplicate_setting, setting.name.where, {name},
                           {{entry->second->name.where, "first set here"}});
    }
}

const syntax::Setting *Settings::find(const std::string &name) const {
    const auto entry = settings_.find(name);
    if (entry == settings_.end())
        return nullptr;
    if (!entry->second->value && entry->second->shares.empty())
        context_.give_up();
    return entry->second;
}

const syntax::Setting &Settings::require(const std::string &name) const {
    if (const syntax::Setting *setting = find(name))
        return *setting;
    if (!complete_)
        context_.give_up();
    context_.fail(missing_setting, where_, {owner_, name});
}

const syntax::Expression &Settings::value(const syntax::Setting &setting, Braces braces) const {
    if (!setting.rows.empty() && braces != Braces::table)
        context_.fail(misplaced_table, setting.braces, {});
    if (setting.braces.file >= 0 && setting.rows.empty() && braces != Braces::groups)
        context_.fail(misplaced_groups, setting.braces, {setting.name.text});
    if (!setting.value && setting.shares.empty()) // did not parse
        context_.give_up();
    if (!setting.value)
        context_.fail(misplaced_shares, setting.where, {setting.name.text});
    return *setting.value;
}

std::string expect_word(const Context &context, const syntax::Expression &expression, const std::string &what,
                        const std::vector<std::string> &known) {
    const auto *reference = std::get_if<syntax::Reference>(&expression.node);
    if (!reference || std::find(known.begin(), known.end(), reference->name) == known.end())
        fail_unknown_word(context, expression.where, what, reference ? reference->name : "", known);
    return reference->name;
}

const syntax::Call &expect_call(const Context &context, const syntax::Expression &expression, const std::string &what,
                                const std::vector<std::string> &known) {
    const auto *call = std::get_if<syntax::Call>(&expression.node);
    std::vector<std::string> forms;
    for (const std::string &name : known)
        forms.push_back(name + "(…)");
    if (!call || std::find(known.begin(), known.end(), call->callee.text) == known.end())
        fail_unknown_word(context, call ? call->callee.where : expression.where, what,
                          call ? call->callee.text + "(…)" : "", forms);
    return *call;
}

} // namespace planc::sema

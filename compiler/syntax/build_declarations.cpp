#include "syntax/build.h"

namespace planc::syntax {

namespace {

bool is_name(const antlr4::Token &token) {
    using G = grammar::PlanParser;
    return token.getType() == G::NAME || (token.getType() >= G::IMPORT && token.getType() <= G::FORBID);
}

} // namespace

bool Builder::build(File &file) {
    for (auto *child : tree_.root->declaration()) {
        const bool built = attempt(*child, [&] { file.declarations.push_back(declaration(*child)); });
        if (!built && !child->exception) // else the parser has reported it
            add_broken(child->start->getTokenIndex(), file);
    }
    for (const std::size_t first : tree_.declarations)
        add_broken(first, file);
    return complete_;
}

void Builder::add_broken(std::size_t first, File &file) const {
    const antlr4::Token &head = *tree_.stream->get(first);
    if (head.getType() == Grammar::TRAIN) // which nothing refers to
        return;
    const bool named = head.getType() != Grammar::IMPORT && is_name(head) && first + 1 < tree_.stream->size() &&
                       is_name(*tree_.stream->get(first + 1));
    file.broken.emplace_back();
    if (named) {
        const antlr4::Token &name = *tree_.stream->get(first + 1);
        file.broken.back().name = {name.getText(), where(name)};
    }
}

Name Builder::bound_name(const antlr4::ParserRuleContext &context) const {
    const std::size_t first = context.start->getTokenIndex();
    const antlr4::Token &word = *context.start;
    if (first + 1 >= tree_.stream->size() || !is_name(word))
        return {};
    const antlr4::Token &next = *tree_.stream->get(first + 1);
    if (next.getType() == Grammar::ASSIGN)
        return {word.getText(), where(word)};
    const bool declares =
        word.getType() == Grammar::PARAM || word.getType() == Grammar::STATE || word.getType() == Grammar::SHARED;
    return declares && is_name(next) ? Name{next.getText(), where(next)} : Name{};
}

std::vector<Name> Builder::bound_names(const antlr4::ParserRuleContext &context) const {
    std::vector<Name> names;
    for (std::size_t i = context.start->getTokenIndex(); i + 1 < tree_.stream->size(); i += 2) {
        const antlr4::Token &word = *tree_.stream->get(i);
        const std::size_t next = tree_.stream->get(i + 1)->getType();
        if (!is_name(word) || (next != Grammar::ASSIGN && next != Grammar::COMMA))
            break;
        names.push_back({word.getText(), where(word)});
        if (next == Grammar::ASSIGN)
            return names;
    }
    const Name declared = bound_name(context);
    return declared.text.empty() ? std::vector<Name>() : std::vector<Name>{declared};
}

Declaration Builder::declaration(Grammar::DeclarationContext &context) {
    const SourceRange place = where(context);
    if (auto *import = context.importDeclaration())
        return Import{string(*import->STRING()), where(*import->STRING()->getSymbol()), place};
    if (auto *dim = context.dimDeclaration())
        return DimensionDeclaration{name(*dim->name()), expression_pointer(dim->expression()), place};
    if (auto *declared = context.callableDeclaration())
        return callable(*declared);
    if (auto *data = context.dataDeclaration())
        return DataDeclaration{name(*data->name()), expression_pointer(data->expression()), settings(data->settings()),
                               place, where(data->settings())};
    if (auto *machine = context.machineDeclaration())
        return MachineDeclaration{name(*machine->name()), settings(machine->settings()), place,
                                  where(machine->settings())};
    if (auto *declared = context.meshDeclaration())
        return mesh(*declared);
    if (auto *declared = context.layoutDeclaration())
        return layout(*declared);
    auto *train = context.trainDeclaration();
    return TrainDeclaration{name(*train->name(0)), name(*train->name(1)), settings(train->settings()), place,
                            where(train->settings())};
}

CallableDeclaration Builder::callable(Grammar::CallableDeclarationContext &context) {
    CallableDeclaration result;
    result.kind = context.LAYER() ? CallableDeclaration::Kind::layer : CallableDeclaration::Kind::network;
    result.name = name(*context.name());
    for (auto *child : context.parameter())
        result.parameters.push_back(parameter(*child));
    for (auto *child : context.results()->type())
        result.results.push_back(type(*child));
    result.results_where = where(*context.results());
    result.body = block(*context.block());
    result.where = where(context);
    result.braces = where(context.block());
    result.head = places_.from_to(*context.start, *context.results()->stop);
    return result;
}

std::vector<Setting> Builder::settings(Grammar::SettingsContext *context) {
    std::vector<Setting> result;
    if (context) {
        if (tree_.bodies.contains(context))
            result.emplace_back();
        for (auto *child : context->setting())
            if (!attempt(*child, [&] { result.push_back(setting(*child)); }))
                result.emplace_back().name = bound_name(*child);
    }
    return result;
}

Setting Builder::setting(Grammar::SettingContext &context) {
    Setting result;
    result.where = where(context);
    result.name = name(*context.name());
    result.value = expression_pointer(context.expression());
    for (auto *share : context.share())
        result.shares.push_back({name(*share->name()), number(*share->number()), where(*share)});
    if (context.groups()) {
        result.braces = where(*context.groups());
        for (auto *child : context.groups()->group())
            attempt(*child, [&] { result.groups.push_back(group(*child)); });
    }
    if (context.table()) {
        result.braces = where(*context.table());
        for (auto *child : context.table()->row())
            attempt(*child, [&] { result.rows.push_back(row(*child)); });
    }
    return result;
}

ParameterGroup Builder::group(Grammar::GroupContext &context) {
    return {selector(*context.selector()), settings(context.settings()), where(context), where(context.settings())};
}

ScheduleRow Builder::row(Grammar::RowContext &context) {
    ScheduleRow result{{context.rank->getText(), where(*context.rank)}, {}, where(context)};
    for (auto *action : context.action())
        result.actions.push_back({action->getText(), where(*action)});
    return result;
}

MeshDeclaration Builder::mesh(Grammar::MeshDeclarationContext &context) {
    MeshDeclaration result;
    result.where = where(context);
    result.name = name(*context.name(0));
    if (context.ON())
        result.machine = name(*context.name(1));
    result.automatic = context.AUTO() != nullptr;
    if (context.axes())
        result.axes = axes(*context.axes());
    return result;
}

std::vector<MeshAxis> Builder::axes(Grammar::AxesContext &context) {
    std::vector<MeshAxis> result;
    for (auto *child : context.axis())
        result.push_back({name(*child->name()), expression_pointer(child->expression()), where(*child)});
    return result;
}

} // namespace planc::syntax

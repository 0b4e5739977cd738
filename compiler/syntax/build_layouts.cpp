#include "syntax/build.h"

namespace planc::syntax {

namespace {

PLANC_DIAGNOSTIC(selector_with_spaces, error, "a layer selector is written without spaces: '{0}'");

} // namespace

LayoutDeclaration Builder::layout(Grammar::LayoutDeclarationContext &context) {
    LayoutDeclaration result;
    result.where = where(context);
    result.name = name(*context.name(0));
    if (context.axes()) {
        result.axes = axes(*context.axes());
        result.mesh_where = where(*context.axes());
    } else {
        result.mesh = name(*context.name(1));
        result.mesh_where = result.mesh->where;
    }
    result.automatic = context.AUTO() != nullptr;
    result.items = layout_body(context.layoutBody());
    result.braces = where(context.layoutBody());
    return result;
}

std::vector<LayoutItem> Builder::layout_body(Grammar::LayoutBodyContext *context) {
    std::vector<LayoutItem> result;
    if (context) {
        for (auto *child : context->layoutItem())
            attempt(*child, [&] { result.push_back(layout_item(*child)); });
    }
    return result;
}

LayoutItem Builder::layout_item(Grammar::LayoutItemContext &context) {
    LayoutItem result;
    result.where = where(context);
    if (context.STORE())
        result.node = StoreRule{name(*context.name()), target(*context.target())};
    else if (context.PIPELINE())
        result.node = pipeline(context);
    else if (context.FORBID())
        result.node = ForbidRule{name(*context.name())};
    else if (context.RECOMPUTE())
        result.node = RecomputeRule{};
    else if (context.ARROW())
        result.node = LayoutRule{plain_name(*context.selector(), "->"), target(*context.target())};
    else if (context.LESS_EQUAL())
        result.node = LimitRule{plain_name(*context.selector(), "<="), expression_pointer(context.expression())};
    else if (context.ASSIGN())
        result.node =
            Setting{plain_name(*context.selector(), "="), expression_pointer(context.expression()), {}, result.where};
    else
        result.node = LayoutSelection{selector(*context.selector()), layout_body(context.layoutBody()),
                                      where(context.layoutBody())};
    return result;
}

PipelineRule Builder::pipeline(Grammar::LayoutItemContext &context) {
    PipelineRule result;
    result.target = target(*context.target());
    if (!context.pipelineBody())
        return result;
    result.braces = where(*context.pipelineBody());
    for (auto *item : context.pipelineBody()->pipelineItem()) {
        attempt(*item, [&] {
            if (item->setting()) {
                result.settings.push_back(setting(*item->setting()));
                return;
            }
            Cut cut{item->AFTER() != nullptr, {}, where(*item)};
            for (auto *layer : item->selector())
                cut.layers.push_back(selector(*layer));
            result.cuts.push_back(std::move(cut));
        });
    }
    return result;
}

AxisList Builder::target(Grammar::TargetContext &context) {
    AxisList result;
    result.where = where(context);
    for (auto *axis : context.name())
        result.axes.push_back(name(*axis));
    if (!context.LEFT_BRACKET() && result.axes.front().text == "none")
        result.axes.clear();
    return result;
}

Selector Builder::selector(Grammar::SelectorContext &context) {
    const SourceRange place = where(context);
    const std::string_view written = places_.text(place);
    std::string text = context.getText();
    if (written != text) {
        diagnostics_.report(selector_with_spaces, place, {std::string(written)}).note(place, "write '" + text + "'");
        throw Abandoned{};
    }
    return {std::move(text), place};
}

Name Builder::plain_name(Grammar::SelectorContext &context, const std::string &sign) {
    Selector whole = selector(context);
    auto *first = context.pattern(0)->name();
    if (!first || first->getText() != whole.text)
        not_a_name(whole.where, sign);
    return {std::move(whole.text), whole.where};
}

} // namespace planc::syntax

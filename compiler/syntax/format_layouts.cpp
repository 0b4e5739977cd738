#include "syntax/formatter.h"

#include <algorithm>

namespace planc::syntax {

Document Formatter::layout(const LayoutDeclaration &layout) {
    Document out = "layout " + layout.name.text + " on ";
    out += layout.mesh ? Document(layout.mesh->text) : axes(layout.mesh_where, layout.axes);
    if (layout.automatic)
        out += " = auto";
    return layout.braces.file < 0 ? out : out + " " + layout_items(layout.braces, layout.items);
}

Document Formatter::layout_items(SourceRange braces, const std::vector<LayoutItem> &items) {
    Entries entries;
    for (const LayoutItem &one : items)
        entries.push_back({one.where, [this, &one] { return layout_item(one); }});
    return body(braces, entries);
}

Document Formatter::layout_item(const LayoutItem &item) {
    if (const auto *rule = std::get_if<LayoutRule>(&item.node))
        return rule->dimension.text + " -> " + target(rule->target);
    if (const auto *selection = std::get_if<LayoutSelection>(&item.node))
        return selection->selector.text + " " + layout_items(selection->braces, selection->items);
    if (const auto *store = std::get_if<StoreRule>(&item.node))
        return "store " + store->what.text + " -> " + target(store->target);
    if (const auto *rule = std::get_if<PipelineRule>(&item.node))
        return pipeline(*rule);
    if (const auto *limit = std::get_if<LimitRule>(&item.node))
        return limit->what.text + " <= " + expression(*limit->bound);
    if (const auto *forbid = std::get_if<ForbidRule>(&item.node))
        return "forbid " + forbid->what.text;
    if (std::holds_alternative<RecomputeRule>(item.node))
        return "recompute";
    return setting(std::get<Setting>(item.node));
}

/// Settings and cuts, in the order of the text.
Document Formatter::pipeline(const PipelineRule &rule) {
    const Document head = "pipeline -> " + target(rule.target);
    if (rule.braces.file < 0)
        return head;
    Entries entries;
    for (const Setting &one : rule.settings)
        entries.push_back({one.where, [this, &one] { return setting(one); }});
    for (const Cut &cut : rule.cuts) {
        entries.push_back({cut.where, [&cut] {
                               std::string layers;
                               for (const Selector &layer : cut.layers)
                                   layers += (layers.empty() ? "" : ", ") + layer.text;
                               return Document((cut.after ? "cut after " : "cut before ") + layers);
                           }});
    }
    std::ranges::sort(entries, {}, [](const Entry &entry) { return entry.where.begin; });
    return head + " " + body(rule.braces, entries);
}

Document Formatter::target(const AxisList &target) {
    const auto begin = static_cast<std::size_t>(target.where.begin);
    if (text_[begin] != '[')
        return target.axes.empty() ? "none" : target.axes.front().text;
    Entries entries;
    for (const Name &axis : target.axes)
        entries.push_back({axis.where, [&axis] { return Document(axis.text); }});
    return list("[", "]", target.where, entries);
}

} // namespace planc::syntax

#include "sema/layouts/layout_rules.h"

#include <algorithm>

namespace planc::sema {
namespace {

std::vector<std::string_view> components(std::string_view path) {
    std::vector<std::string_view> parts;
    if (path.empty())
        return parts;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', begin)) {
        parts.push_back(path.substr(begin, dot - begin));
        begin = dot + 1;
    }
    parts.push_back(path.substr(begin));
    return parts;
}

/// For each component, whether it is exact. These lists are compared lexicographically, so that an exact component
/// beats a pattern and a longer selector beats the one outside of it.
std::vector<bool> precedence(std::string_view selector) {
    std::vector<bool> exact;
    for (const std::string_view part : components(selector))
        exact.push_back(part.find('*') == std::string_view::npos);
    return exact;
}

} // namespace

/// On a mismatch, it suffices that the last `*` takes one more character.
bool matches_text(std::string_view pattern, std::string_view text) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t taken = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

bool selects(std::string_view selector, std::string_view layer) {
    const std::vector<std::string_view> wanted = components(selector);
    const std::vector<std::string_view> path = components(layer);
    if (wanted.size() > path.size())
        return false;
    return std::equal(wanted.begin(), wanted.end(), path.begin(), matches_text);
}

bool may_select_within(std::string_view selector, std::string_view layer) {
    const std::vector<std::string_view> wanted = components(selector);
    const std::vector<std::string_view> path = components(layer);
    const auto both = static_cast<std::ptrdiff_t>(std::min(wanted.size(), path.size()));
    return std::equal(wanted.begin(), wanted.begin() + both, path.begin(),
                      [](std::string_view a, std::string_view b) { return matches_text(a, b) || matches_text(b, a); });
}

ResolvedLayout resolve_layout(const Layout &layout, const Network &network) {
    ResolvedLayout resolved;
    for (const std::string &layer : network.layers) {
        auto &rules = resolved[layer];
        for (const Rule &rule : layout.rules) {
            if (!selects(rule.selector, layer))
                continue;
            const Rule *&place = rules[rule.dimension];
            if (!place || precedence(place->selector) <= precedence(rule.selector))
                place = &rule;
        }
    }
    return resolved;
}

std::vector<std::string> loop_names(const Network &network, const Operation &operation) {
    std::vector<std::string> names;
    const auto add = [&](const std::string &name) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    };
    if (!operation.loops.empty()) { // an operation with subscripts
        for (const Loop &loop : operation.loops)
            add(loop.name);
        return names;
    }
    for (const ValueId operand : operation.operands)
        for (const Dimension &dimension : network.operations[static_cast<std::size_t>(operand)].type.dimensions)
            add(dimension.role);
    for (const Dimension &dimension : operation.type.dimensions)
        add(dimension.role);
    return names;
}

} // namespace planc::sema

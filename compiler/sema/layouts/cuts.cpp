#include "sema/layouts/cuts.h"

#include "sema/layouts/layout_rules.h"

#include <algorithm>

namespace planc::sema {

std::string text(const Cut &cut) {
    return (cut.after ? "cut after " : "cut before ") + cut.path;
}

std::optional<std::size_t> place_of(const Cut &cut, const std::vector<std::string> &layers) {
    const auto selected = [&](const std::string &layer) { return selects(cut.path, layer); };
    const auto first = std::find_if(layers.begin(), layers.end(), selected);
    if (first == layers.end())
        return std::nullopt;
    if (!cut.after)
        return static_cast<std::size_t>(first - layers.begin());
    return static_cast<std::size_t>(std::find_if(layers.rbegin(), layers.rend(), selected).base() - layers.begin());
}

/// One of the two forms always names the place. A path selects a layer and those within it, which a micro-batch passes
/// one directly after the other. If `before` fails, the layer in front of the place is one of those within the layer
/// behind it, which is then none of those within the layer in front: so `after` does not fail.
Cut cut_at(std::size_t place, const std::vector<std::string> &layers) {
    const Cut before{false, layers[place], {}};
    return place_of(before, layers) == place ? before : Cut{true, layers[place - 1], {}};
}

} // namespace planc::sema

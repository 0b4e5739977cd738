#include "certificate/messages.h"

#include <algorithm>
#include <limits>

namespace planc::certificate {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The cost of each kept strategy, including what messages give to it.
PerLayer<std::vector<double>> own(const Terms &terms, const Kept &kept, const std::vector<Factor> &factors,
                                  const Messages &messages) {
    PerLayer<std::vector<double>> result;
    for (const LayerId l : kept.ids()) {
        std::vector<double> &of_layer = result.emplace_back();
        for (int strategy : kept[l])
            of_layer.push_back(terms.alone()[l][strategy]);
    }
    for (std::size_t f = 0; f < factors.size(); ++f)
        for (std::size_t i = 0; i < factors[f].layers.size(); ++i) {
            std::vector<double> &of_layer = result[factors[f].layers[i]];
            for (std::size_t x = 0; x < of_layer.size(); ++x)
                of_layer[x] += messages[f][i][factors[f].class_of[i][x]];
        }
    return result;
}

/// The minimum of what is left of a factor. If entries can be priced, the one that decides is priced.
double least(Terms &terms, Factor &factor, const std::vector<std::vector<double>> &messages, bool exactly) {
    const std::vector<double> given = sums_of_entries(messages);
    const auto rest = [&](std::size_t entry) { return factor.seconds[entry] - given[entry]; };
    std::size_t where = 0;
    for (std::size_t entry = 1; entry < given.size(); ++entry)
        where = rest(entry) < rest(where) ? entry : where;
    const double found = rest(where);
    if (!exactly || !terms.price(factor, where, classes_of(where, factor.classes)))
        return found;
    double sure = rest(where);
    for (std::size_t entry = 0; entry < given.size(); ++entry)
        if (rest(entry) < sure) {
            terms.price(factor, entry, classes_of(entry, factor.classes));
            sure = std::min(sure, rest(entry));
        }
    return sure;
}

} // namespace

Bounds bounds(Terms &terms, const Kept &kept, std::vector<Factor> &factors, const Messages &messages, bool exactly,
              double target, double share) {
    Bounds result{terms.constant(), own(terms, kept, factors, messages)};
    PerLayer<double> of_layer;
    for (const std::vector<double> &seconds : result.of)
        result.total += of_layer.emplace_back(*std::min_element(seconds.begin(), seconds.end()));
    std::vector<double> of_factor;
    for (std::size_t f = 0; f < factors.size(); ++f)
        result.total += of_factor.emplace_back(least(terms, factors[f], messages[f], exactly));
    if (result.total >= target) {
        result.of.clear();
        return result;
    }
    const double price_below = share < 1 ? result.total + share * (target - result.total) : target;
    for (const LayerId l : kept.ids())
        for (double &seconds : result.of[l])
            seconds += result.total - of_layer[l];
    for (std::size_t f = 0; f < factors.size(); ++f) {
        Factor &factor = factors[f];
        const double others = result.total - of_factor[f];
        std::vector<std::vector<double>> by_class;
        for (int classes : factor.classes)
            by_class.emplace_back(classes, infinity);
        const std::vector<double> given = sums_of_entries(messages[f]);
        for_entries(factor.classes, [&](std::size_t entry, const std::vector<int> &at) {
            if (exactly && others + factor.seconds[entry] - given[entry] < price_below)
                terms.price(factor, entry, at);
            const double rest = factor.seconds[entry] - given[entry];
            for (std::size_t i = 0; i < at.size(); ++i)
                by_class[i][at[i]] = std::min(by_class[i][at[i]], rest);
        });
        for (std::size_t i = 0; i < factor.layers.size(); ++i) {
            std::vector<double> &of = result.of[factor.layers[i]];
            for (std::size_t x = 0; x < of.size(); ++x)
                of[x] += by_class[i][factor.class_of[i][x]] - of_factor[f];
        }
    }
    return result;
}

Kept most_promising(const Kept &kept, const Bounds &bounds) {
    Kept result;
    for (const LayerId l : kept.ids()) {
        const std::vector<double> &of = bounds.of[l];
        result.push_back({kept[l][static_cast<std::size_t>(std::min_element(of.begin(), of.end()) - of.begin())]});
    }
    return result;
}

} // namespace planc::certificate

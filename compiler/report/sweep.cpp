#include "report/sweep.h"

#include "cost/reports/report.h"

#include <algorithm>

namespace planc::report {

namespace {

const Coordinate *find(const SweepPoint &point, const std::string &name) {
    const auto at = std::find_if(point.coordinates.begin(), point.coordinates.end(),
                                 [&](const Coordinate &coordinate) { return coordinate.name == name; });
    return at == point.coordinates.end() ? nullptr : &*at;
}

/// What distinguishes points besides `axis` and scaling.
std::vector<std::string> identity(const SweepPoint &point, const std::string &axis) {
    std::vector<std::string> words{point.label, point.layout};
    for (const Coordinate &coordinate : point.coordinates)
        words.push_back(coordinate.name == axis ? "" : coordinate.name + " " + coordinate.text);
    return words;
}

/// Names series by the words in which they differ.
void set_names(std::vector<Series> &all) {
    for (Series &one : all) {
        one.name.clear();
        for (std::size_t i = 0; i < one.identity.size(); ++i) {
            const bool same = std::all_of(all.begin(), all.end(),
                                          [&](const Series &other) { return other.identity[i] == one.identity[i]; });
            if (!same)
                one.name += (one.name.empty() ? "" : ", ") + one.identity[i];
        }
        if (one.name.empty())
            one.name = one.identity[0] + ", " + one.identity[1];
    }
}

std::vector<Series> series(const Sweep &sweep, const std::string &axis, const std::string &scaling) {
    std::vector<Series> result;
    for (const SweepPoint &point : sweep.points) {
        if (point.scaling != scaling || find(point, axis) == nullptr)
            continue;
        const std::vector<std::string> own = identity(point, axis);
        auto known =
            std::find_if(result.begin(), result.end(), [&](const Series &other) { return other.identity == own; });
        if (known == result.end())
            known = result.insert(result.end(), {"", own, {}});
        if (point.failure.empty())
            known->points.push_back(&point);
    }
    for (Series &one : result)
        std::stable_sort(one.points.begin(), one.points.end(), [&](const SweepPoint *a, const SweepPoint *b) {
            return find(*a, axis)->value < find(*b, axis)->value;
        });
    return result;
}

} // namespace

std::vector<Plot> plots(const Sweep &sweep, const std::string &axis, const std::string &scaling,
                        std::size_t most_lines) {
    std::vector<Series> all = series(sweep, axis, scaling);
    std::vector<Plot> result;
    if (all.size() <= most_lines) {
        result.push_back({"", std::move(all)});
    } else {
        for (Series &one : all) {
            const std::string of = one.identity[0] + ", " + one.identity[1];
            auto known = std::find_if(result.begin(), result.end(), [&](const Plot &other) { return other.of == of; });
            if (known == result.end())
                known = result.insert(result.end(), {of, {}});
            known->series.push_back(std::move(one));
        }
    }
    for (Plot &plot : result)
        set_names(plot.series);
    return result;
}

std::string words(const SweepPoint &point) {
    std::string text = point.label + ", " + point.layout;
    for (const Coordinate &coordinate : point.coordinates)
        text += ", " + coordinate.name + " " + coordinate.text;
    return text;
}

bool has_overlap(const Sweep &sweep) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [](const SweepPoint &point) { return point.overlap.has_value(); });
}

bool steps_are_sums(const Sweep &sweep) {
    return std::all_of(sweep.points.begin(), sweep.points.end(), [](const SweepPoint &point) {
        return point.step.value >= point.sum_of_parts().value * (1 - 1e-9);
    });
}

std::string step_words(const SweepPoint &point) {
    const std::string sum = cost::human_seconds(point.sum_of_parts());
    if (point.overlap)
        return cost::human_seconds(*point.overlap) + " with overlap, sum of parts " + sum;
    if (point.step.value < point.sum_of_parts().value)
        return cost::human_seconds(point.step) + " as the profile lets them overlap, sum of parts " + sum;
    return "sum of parts " + sum;
}

double speedup(const Series &series, const SweepPoint &point) {
    const double first = series.points.front()->samples_per_second();
    return first > 0 ? point.samples_per_second() / first : 0;
}

} // namespace planc::report

#include "report/sweep.h"

#include <algorithm>

namespace planc::report {

namespace {

const Coordinate *find(const SweepPoint &point, const std::string &name) {
    const auto at = std::find_if(point.coordinates.begin(), point.coordinates.end(),
                                 [&](const Coordinate &coordinate) { return coordinate.name == name; });
    return at == point.coordinates.end() ? nullptr : &*at;
}

/// What tells points apart beside `axis` and scaling.
std::vector<std::string> identity(const SweepPoint &point, const std::string &axis) {
    std::vector<std::string> words{short_name(point.file), point.layout};
    for (const Coordinate &coordinate : point.coordinates)
        words.push_back(coordinate.name == axis ? "" : coordinate.name + " " + coordinate.text);
    return words;
}

/// Of the words that tell series apart, those that are not the same in all of them.
std::string name_of(const std::vector<std::string> &words, const std::vector<std::vector<std::string>> &all) {
    std::string name;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool same = std::all_of(all.begin(), all.end(), [&](const auto &other) { return other[i] == words[i]; });
        if (!same && !words[i].empty())
            name += (name.empty() ? "" : ", ") + words[i];
    }
    return name.empty() ? words.front() + ", " + words[1] : name;
}

} // namespace

std::vector<Series> series(const Sweep &sweep, const std::string &axis, const std::string &scaling) {
    std::vector<std::vector<std::string>> identities;
    std::vector<Series> result;
    for (const SweepPoint &point : sweep.points) {
        if (point.scaling != scaling || find(point, axis) == nullptr)
            continue;
        const std::vector<std::string> words = identity(point, axis);
        const auto known = std::find(identities.begin(), identities.end(), words);
        const auto index = static_cast<std::size_t>(known - identities.begin());
        if (known == identities.end()) {
            identities.push_back(words);
            result.emplace_back();
        }
        if (point.failure.empty())
            result[index].points.push_back(&point);
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i].name = name_of(identities[i], identities);
        std::stable_sort(
            result[i].points.begin(), result[i].points.end(),
            [&](const SweepPoint *a, const SweepPoint *b) { return find(*a, axis)->value < find(*b, axis)->value; });
    }
    return result;
}

std::string short_name(const std::string &file) {
    const std::size_t slash = file.find_last_of('/');
    std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
    if (name.ends_with(".plan"))
        name.resize(name.size() - 5);
    return name;
}

double speedup(const Series &series, const SweepPoint &point) {
    const double first = series.points.front()->samples_per_second();
    return first > 0 ? point.samples_per_second() / first : 0;
}

} // namespace planc::report

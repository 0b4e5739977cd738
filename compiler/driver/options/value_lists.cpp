#include "driver/options/value_lists.h"

#include "sema/values/units.h"
#include "support/diagnostics.h"
#include "support/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace planc::driver {

namespace {

constexpr std::size_t most_values = 1000;
constexpr double least_amount = 1e-30; // in base units: what is computed of amounts stays a number
constexpr double most_amount = 1e30;

std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        result.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

/// "name=a,b,other=c" as pairs of a name and its items.
std::vector<std::pair<std::string, std::vector<std::string>>> named_parts(const std::string &option,
                                                                          std::string_view text, const char *form) {
    std::vector<std::pair<std::string, std::vector<std::string>>> result;
    for (const std::string &part : parts(text)) {
        const std::size_t equals = part.find('=');
        if (equals == 0 || (equals == std::string::npos && result.empty()))
            throw WrongUsage{option + " takes " + form + ", got '" + part + "'"};
        if (equals == std::string::npos) {
            result.back().second.push_back(part);
            continue;
        }
        const std::string name = part.substr(0, equals);
        for (const auto &[other, values] : result)
            if (other == name)
                throw WrongUsage{option + " names '" + name + "' twice"};
        result.push_back({name, {part.substr(equals + 1)}});
    }
    return result;
}

void check_count(const std::string &option, std::size_t count) {
    if (count > most_values)
        throw WrongUsage{option + " takes at most " + std::to_string(most_values) + " values"};
}

std::vector<std::int64_t> expand(const std::string &option, const std::vector<std::string> &items, std::int64_t most) {
    std::vector<std::int64_t> values;
    const auto add = [&](std::int64_t value) {
        if (std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(value);
        check_count(option, values.size());
    };
    for (const std::string &item : items) {
        const std::size_t dots = item.find("..");
        const std::int64_t first = whole_number(option, std::string_view(item).substr(0, dots), most);
        const std::int64_t last =
            dots == std::string::npos ? first : whole_number(option, std::string_view(item).substr(dots + 2), most);
        if (last < first)
            throw WrongUsage{option + ": '" + item + "' ends below its beginning"};
        for (std::int64_t value = first; value<last; value = value> last / 2 ? last : 2 * value)
            add(value);
        add(last);
    }
    return values;
}

struct Parsed {
    double number = 0;
    std::string unit;
    double factor = 1;
};

/// "2us", "200 Gbit/s"
Parsed quantity(const std::string &option, const std::string &name, const std::string &text) {
    Parsed parsed;
    const char *const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, parsed.number);
    const char *unit = std::find_if(stop, end, [](char c) { return c != ' '; });
    parsed.unit = std::string(unit, end);
    const sema::Measure measure = machine_figure(name)->measure;
    const auto known = sema::parse_unit(parsed.unit);
    if (error != std::errc{} || !known || known->measure != measure || !(parsed.number > 0) ||
        !std::isfinite(parsed.number))
        throw WrongUsage{option + ": '" + name + "' takes " + sema::describe(measure) + ", above zero, got '" + text +
                         "'"};
    parsed.factor = known->factor;
    const double amount = parsed.number * parsed.factor;
    if (amount < least_amount || amount > most_amount)
        throw WrongUsage{option + ": '" + name + "' takes 1e-30 to 1e30 " + machine_figure(name)->unit + ", got '" +
                         text + "'"};
    return parsed;
}

Amount amount(const Parsed &parsed, double number) {
    return {number * parsed.factor, support::json_number(number) + parsed.unit};
}

std::vector<Amount> amounts(const std::string &option, const std::string &name, const std::vector<std::string> &items) {
    std::vector<Amount> result;
    for (const std::string &item : items) {
        const std::size_t dots = item.find("..");
        const Parsed first = quantity(option, name, item.substr(0, dots));
        if (dots == std::string::npos) {
            result.push_back(amount(first, first.number));
        } else {
            const Parsed last = quantity(option, name, item.substr(dots + 2));
            const double end = last.number * last.factor;
            if (end < first.number * first.factor)
                throw WrongUsage{option + ": '" + item + "' ends below its beginning"};
            for (double number = first.number; number * first.factor < end; number *= 2) {
                result.push_back(amount(first, number));
                check_count(option, result.size());
            }
            result.push_back(amount(last, last.number));
        }
        check_count(option, result.size());
    }
    return result;
}

} // namespace

std::int64_t whole_number(const std::string &option, std::string_view text, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > most)
        throw WrongUsage{option + " takes a whole number from 1 to " + std::to_string(most) + ", got '" +
                         std::string(text) + "'"};
    return value;
}

double factor(const std::string &option, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0.01) || !(value <= 1000))
        throw WrongUsage{option + " takes a number from 0.01 to 1000, got '" + std::string(text) + "'"};
    return value;
}

std::vector<std::int64_t> whole_numbers(const std::string &option, std::string_view text, std::int64_t most) {
    return expand(option, parts(text), most);
}

std::vector<std::string> words(const std::string &option, std::string_view text) {
    std::vector<std::string> result = parts(text);
    for (std::size_t i = 0; i < result.size(); ++i)
        if (result[i].empty() || std::find(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(i),
                                           result[i]) != result.begin() + static_cast<std::ptrdiff_t>(i))
            throw WrongUsage{option + " takes different names separated by commas, got '" + std::string(text) + "'"};
    return result;
}

std::vector<Extents> extent_lists(const std::string &option, std::string_view text, std::int64_t most) {
    std::vector<Extents> result;
    for (const auto &[name, items] : named_parts(option, text, "name=size pairs separated by commas"))
        result.push_back({name, expand(option, items, most)});
    return result;
}

std::vector<MachineSetting> machine_settings(const std::string &option, std::string_view text) {
    std::vector<MachineSetting> result;
    for (const auto &[name, items] : named_parts(option, text, "setting=value pairs separated by commas")) {
        if (machine_figure(name) == nullptr) {
            std::vector<std::string> known;
            for (const MachineFigure &figure : machine_figures())
                known.push_back(figure.name);
            const std::string near = support::nearest(name, known);
            throw WrongUsage{option + ": a machine has no setting '" + name + "' to change" +
                             (near.empty() ? "; there are latency, bandwidth, peak, memory_bandwidth and memory"
                                           : "; did you mean '" + near + "'?")};
        }
        result.push_back({name, amounts(option, name, items)});
    }
    return result;
}

} // namespace planc::driver

#include "report/axis.h"

#include "cost/reports/report.h"

#include <cmath>
#include <cstdio>

namespace planc::report {

namespace {

constexpr double rounding = 1e-9;

std::string general(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return buffer;
}

/// 1, 2 or 5 times a power of ten, at or above.
double round_step(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (value <= factor * power * (1 + rounding))
            return factor * power;
    return 10 * power;
}

} // namespace

Axis::Axis(Scale scale, double least, double most) : scale_(scale) {
    if (scale == Scale::linear)
        add_linear_ticks(most);
    else
        add_logarithmic_ticks(least, most);
}

void Axis::add_linear_ticks(double most) {
    constexpr int most_ticks = 6;
    const double step = most > 0 ? round_step(most / most_ticks) : 1;
    int count = 0;
    while (count * step < (most > 0 ? most : 1) * (1 - rounding))
        ++count;
    for (int i = 0; i <= count; ++i)
        ticks_.push_back(i * step);
    end_ = ticks_.back();
}

void Axis::add_logarithmic_ticks(double least, double most) {
    constexpr double few_decades = 3.4;
    std::vector<double> factors{1, 2, 5};
    if (std::log10(most / least) > few_decades)
        factors = {1};
    const int first = static_cast<int>(std::floor(std::log10(least) + rounding));
    const int last = static_cast<int>(std::ceil(std::log10(most) - rounding));
    std::vector<double> all;
    for (int decade = first; decade <= last; ++decade)
        for (const double factor : factors)
            all.push_back(factor * std::pow(10, decade));
    // The largest tick at or below the values to the smallest at or above them, two at least.
    std::size_t from = 0;
    while (from + 2 < all.size() && all[from + 1] <= least * (1 + rounding))
        ++from;
    std::size_t to = from + 1;
    while (to + 1 < all.size() && all[to] < most * (1 - rounding))
        ++to;
    for (std::size_t i = from; i <= to; ++i)
        ticks_.push_back(all[i]);
    begin_ = ticks_.front();
    end_ = ticks_.back();
    for (int decade = first; decade <= last; ++decade)
        for (int factor = 1; factor < 10; ++factor)
            if (const double value = factor * std::pow(10, decade); value > begin_ && value < end_)
                minor_ticks_.push_back(value);
}

double Axis::place(double value) const {
    if (scale_ == Scale::linear)
        return value / end_;
    return std::log(value / begin_) / std::log(end_ / begin_);
}

std::string number_label(double value) {
    return value >= 10'000 && value == std::floor(value) ? cost::grouped(value) : general(value);
}

std::string seconds_label(double value) {
    if (value <= 0)
        return "0";
    for (const auto &[unit, factor] : {std::pair{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}})
        if (value >= factor * (1 - rounding))
            return general(value / factor) + " " + unit;
    return general(value / 1e-9) + " ns";
}

std::string percent_label(double value) {
    return general(100 * value) + " %";
}

std::string metric_label(double value, const std::string &unit) {
    for (const auto &[prefix, factor] : {std::pair{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}})
        if (value >= factor * (1 - rounding))
            return general(value / factor) + " " + prefix + unit;
    return general(value) + " " + unit;
}

} // namespace planc::report

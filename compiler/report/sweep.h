// A sweep: predictions at many points, as a table, CSV, JSON, or a page with plots.
//
// Example: alexnet.plan under two layouts on 1, 2, 4, … 1000 ranks has 22 points; a plot of the time of a step over the
// ranks has two lines.
#pragma once

#include "support/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace planc::report {

using support::Bytes;
using support::Seconds;

/// The value of one varied quantity at a point.
struct Coordinate {
    std::string name; ///< "ranks", "batch", "latency", …
    double value = 0; ///< in base units
    std::string text; ///< "1000", "2us"
    std::string unit; ///< of the value: "s", "B/s", "flop/s", "B"; empty: a plain number
};

struct LayerTime {
    std::string name;
    Seconds compute{};
    Seconds communication{};
};

struct SweepPoint {
    std::string label; ///< the name in tables and plots: the network
    std::string file;
    std::string layout;
    std::string scaling; ///< "strong", "weak"
    std::int64_t ranks = 1;
    std::int64_t batch = 0;              ///< samples of a step
    std::vector<Coordinate> coordinates; ///< all quantities that were given as lists, in the same order at all points;
                                         ///< ranks first
    std::string failure;                 ///< why there are no figures: one line; empty if there are some
    std::string mesh;                    ///< "rows 4 x cols 2"
    Seconds step{}; ///< the sum of computation and communication, or less if the profile lets them overlap
    Seconds compute{};
    Seconds communication{};
    std::optional<Seconds> overlap; ///< the step in the simulated schedule, with overlap
    Bytes payload{};                ///< handed to MPI by the busiest rank; 0 under a profile
    Bytes memory{};                 ///< of a rank; 0 under a profile
    std::vector<LayerTime> layers;

    /// The time without any overlap, to which the bars of a chart by layer add up.
    [[nodiscard]] Seconds sum_of_parts() const { return compute + communication; }
    /// The predicted time of a step.
    [[nodiscard]] Seconds predicted() const { return overlap.value_or(step); }
    [[nodiscard]] double samples_per_second() const {
        return predicted().value > 0 ? static_cast<double>(batch) / predicted().value : 0;
    }
};

struct Sweep {
    std::string title;                    ///< "alexnet, vgg16 on machine skylake"
    std::vector<std::string> assumptions; ///< lines
    std::string batch;                    ///< the role of the samples
    std::vector<SweepPoint> points;       ///< points of one line of a plot are adjacent, with ascending ranks
};

/// Whether any of its points was simulated.
[[nodiscard]] bool has_overlap(const Sweep &sweep);
/// Whether SweepPoint::step is the sum of its parts at all points. It is not if a profile lets compute and
/// communication overlap.
[[nodiscard]] bool steps_are_sums(const Sweep &sweep);
/// "338 us with overlap, sum of parts 464 us", or the one there is.
[[nodiscard]] std::string step_words(const SweepPoint &point);

[[nodiscard]] std::string text_report(const Sweep &sweep);
[[nodiscard]] std::string csv_report(const Sweep &sweep);
[[nodiscard]] std::string json_report(const Sweep &sweep);
/// A self-contained page.
[[nodiscard]] std::string html_report(const Sweep &sweep);

/// Points that differ in one coordinate only: one line of a plot.
struct Series {
    std::string name;                       ///< distinguishes it from the other series of its plot
    std::vector<std::string> identity;      ///< network, layout, and the other coordinates
    std::vector<const SweepPoint *> points; ///< with figures, by ascending value
};

struct Plot {
    std::string of; ///< network and layout; empty: all of them
    std::vector<Series> series;
};
/// The series along a coordinate under one scaling, all in one plot, or, if there were more than `most_lines`, one plot
/// for each network and layout. Series without figures have no points.
[[nodiscard]] std::vector<Plot> plots(const Sweep &sweep, const std::string &axis, const std::string &scaling,
                                      std::size_t most_lines);

/// "alexnet, best, ranks 8, latency 2us"
[[nodiscard]] std::string words(const SweepPoint &point);

/// The speed-up of a point over the first point of its series: of step times under strong scaling, of samples per
/// second under weak scaling.
[[nodiscard]] double speedup(const Series &series, const SweepPoint &point);

} // namespace planc::report

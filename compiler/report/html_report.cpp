// The page of a sweep: plots along every list that was given, the time by layer, and all points as a table.
#include "report/chart.h"
#include "report/page.h"
#include "report/sweep.h"

#include "cost/reports/report.h"
#include "support/xml.h"

#include <algorithm>

namespace planc::report {

namespace {

constexpr std::size_t most_lines = 10; ///< of one plot
constexpr std::size_t most_bars = 40;

std::vector<std::string> scalings(const Sweep &sweep) {
    std::vector<std::string> found;
    for (const SweepPoint &point : sweep.points)
        if (std::find(found.begin(), found.end(), point.scaling) == found.end())
            found.push_back(point.scaling);
    return found;
}

/// Coordinates with more than one value.
std::vector<Coordinate> swept(const Sweep &sweep) {
    std::vector<Coordinate> found;
    const std::vector<Coordinate> &first = sweep.points.front().coordinates;
    for (std::size_t i = 0; i < first.size(); ++i)
        if (std::any_of(sweep.points.begin(), sweep.points.end(),
                        [&](const SweepPoint &point) { return point.coordinates[i].text != first[i].text; }))
            found.push_back(first[i]);
    return found;
}

double value_of(const SweepPoint &point, const std::string &name) {
    for (const Coordinate &coordinate : point.coordinates)
        if (coordinate.name == name)
            return coordinate.value;
    return 0;
}

std::string spaced(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

/// A bandwidth that was given in bits is plotted in bits.
double factor(const Coordinate &axis) {
    return axis.text.ends_with("bit/s") ? 8 : 1;
}

AxisOptions along(const Coordinate &axis) {
    if (axis.unit == "s")
        return {spaced(axis.name), Scale::logarithmic, seconds_label};
    if (axis.unit.empty())
        return {spaced(axis.name), Scale::logarithmic, number_label};
    return {spaced(axis.name), Scale::logarithmic,
            [unit = factor(axis) > 1 ? "bit/s" : axis.unit](double value) { return metric_label(value, unit); }};
}

/// A quantity of the points that a plot shows.
struct Quantity {
    AxisOptions axis;
    double (*of)(const Series &, const SweepPoint &);
};

const Quantity step_time{{"time of a step", Scale::logarithmic, seconds_label},
                         [](const Series &, const SweepPoint &point) { return point.predicted().value; }};
const Quantity sample_rate{{"samples per second", Scale::logarithmic, number_label},
                           [](const Series &, const SweepPoint &point) { return point.samples_per_second(); }};
const Quantity relative_speed{{"speed-up", Scale::logarithmic, number_label}, speedup};
const Quantity share{{"communication / (compute + communication)", Scale::linear, percent_label},
                     [](const Series &, const SweepPoint &point) {
                         const Seconds sum = point.compute + point.communication;
                         return sum.value > 0 ? point.communication / sum : 0;
                     }};

class Page {
  public:
    explicit Page(const Sweep &sweep) : sweep_(sweep), overlap_(has_overlap(sweep)) {}

    std::string make() {
        for (const std::string &line : sweep_.assumptions)
            html_ += "<p>" + support::xml_escaped(line) + "</p>\n";
        for (const Coordinate &axis : swept(sweep_))
            for (const std::string &scaling : scalings(sweep_))
                axis.name == "ranks" ? add_scaling(axis, scaling) : add_along(axis, scaling);
        add_layers();
        add_table();
        return page(sweep_.title, html_);
    }

  private:
    [[nodiscard]] std::string time_of_step() const {
        if (overlap_)
            return "Time of a step, with overlap";
        return steps_are_sums(sweep_) ? "Time of a step, sum of parts" : "Time of a step";
    }

    void add_scaling(const Coordinate &ranks, const std::string &scaling) {
        const bool strong = scaling == "strong";
        html_ += strong ? "<h2>Strong scaling: the batch is constant</h2>\n"
                        : "<h2>Weak scaling: the batch grows with the ranks</h2>\n";
        add_plot(time_of_step(), ranks, scaling, step_time, false);
        add_plot("Samples per second", ranks, scaling, sample_rate, false);
        add_plot("Speed-up over the fewest ranks, in samples per second", ranks, scaling, relative_speed, true);
        add_plot("Share of communication", ranks, scaling, share, false);
    }

    void add_along(const Coordinate &axis, const std::string &scaling) {
        html_ += "<h2>Over " + support::xml_escaped(spaced(axis.name)) +
                 (scalings(sweep_).size() > 1 ? ", " + scaling + " scaling" : "") + "</h2>\n";
        add_plot(time_of_step(), axis, scaling, step_time, false);
        if (axis.name == sweep_.batch)
            add_plot("Samples per second", axis, scaling, sample_rate, false);
        add_plot("Share of communication", axis, scaling, share, false);
    }

    void add_plot(const std::string &title, const Coordinate &axis, const std::string &scaling,
                  const Quantity &quantity, bool ideal) {
        for (const Plot &plot : plots(sweep_, axis.name, scaling, most_lines))
            add_plot(title + (plot.of.empty() ? "" : ": " + plot.of), axis, plot.series, quantity, ideal);
    }

    void add_plot(const std::string &title, const Coordinate &axis, const std::vector<Series> &all,
                  const Quantity &quantity, bool ideal) {
        const std::size_t left_out = all.size() > most_lines ? all.size() - most_lines : 0;
        LineChart chart{title, along(axis), quantity.axis, {}};
        if (ideal)
            chart.lines.push_back(ideal_line(all));
        for (std::size_t i = 0; i + left_out < all.size(); ++i) {
            Line &line = chart.lines.emplace_back(Line{all[i].name, {}});
            for (const SweepPoint *point : all[i].points)
                line.points.push_back(
                    {factor(axis) * value_of(*point, axis.name), quantity.of(all[i], *point), figures(*point)});
        }
        const std::string picture = svg(chart);
        if (picture.empty())
            return;
        html_ += "<figure>\n" + picture;
        if (left_out > 0)
            html_ += "<figcaption>" + std::to_string(left_out) + " more lines are in the table only.</figcaption>\n";
        html_ += "</figure>\n";
    }

    static Line ideal_line(const std::vector<Series> &all) {
        Line line{"proportional to the ranks", {}, true};
        double least = 0;
        double most = 0;
        for (const Series &one : all)
            for (const SweepPoint *point : one.points) {
                const auto ranks = static_cast<double>(point->ranks);
                least = least == 0 ? ranks : std::min(least, ranks);
                most = std::max(most, ranks);
            }
        if (most > least)
            line.points = {{least, 1, ""}, {most, most / least, ""}};
        return line;
    }

    static std::string figures(const SweepPoint &point) {
        return std::to_string(point.ranks) + " ranks, a step: " + step_words(point) + " = " +
               cost::human_seconds(point.compute) + " compute + " + cost::human_seconds(point.communication) +
               " communication";
    }

    /// For each file, layout and scaling: the point with figures that has the most ranks.
    void add_layers() {
        std::vector<const SweepPoint *> last;
        for (const SweepPoint &point : sweep_.points) {
            if (!point.failure.empty() || point.layers.empty())
                continue;
            const auto known = std::find_if(last.begin(), last.end(), [&](const SweepPoint *other) {
                return other->label == point.label && other->layout == point.layout && other->scaling == point.scaling;
            });
            if (known == last.end())
                last.push_back(&point);
            else if (point.ranks > (*known)->ranks)
                *known = &point;
        }
        if (!last.empty())
            html_ += "<h2>Time by layer</h2>\n<p>The bars of a plot add up to its sum of parts, in which nothing "
                     "overlaps.</p>\n";
        for (const SweepPoint *point : last)
            add_bars(*point);
    }

    void add_bars(const SweepPoint &point) {
        std::string title = words(point);
        if (scalings(sweep_).size() > 1)
            title += ", " + point.scaling + " scaling";
        BarChart chart{title,
                       {"time in a step: " + step_words(point), Scale::linear, seconds_label},
                       [](double value) { return cost::human_seconds(Seconds(value)); },
                       {"compute", "communication"},
                       {}};
        for (const LayerTime &layer : grouped(point.layers))
            chart.bars.push_back({layer.name, {layer.compute.value, layer.communication.value}});
        html_ += "<figure>\n" + svg(chart) + "</figure>\n";
    }

    /// If there are many layers, sums them by the first components of their paths.
    static std::vector<LayerTime> grouped(const std::vector<LayerTime> &layers) {
        for (int names = 3; names > 0; --names) {
            std::vector<LayerTime> sums;
            for (const LayerTime &layer : layers) {
                const std::string name = beginning(layer.name, names);
                auto sum =
                    std::find_if(sums.begin(), sums.end(), [&](const LayerTime &other) { return other.name == name; });
                if (sum == sums.end())
                    sum = sums.insert(sums.end(), {name, {}, {}});
                sum->compute += layer.compute;
                sum->communication += layer.communication;
            }
            if (sums.size() <= most_bars || names == 1)
                return sums;
        }
        return layers;
    }

    static std::string beginning(const std::string &path, int names) {
        std::size_t end = 0;
        for (int i = 0; i < names && end != std::string::npos; ++i)
            end = path.find('.', end == 0 ? 0 : end + 1);
        return path.substr(0, end);
    }

    void add_table() {
        html_ += "<h2>All points</h2>\n<table>\n<tr><th class=\"w\">network</th><th class=\"w\">layout</th>"
                 "<th class=\"w\">scaling</th>";
        for (const Coordinate &coordinate : sweep_.points.front().coordinates)
            html_ += "<th>" + support::xml_escaped(spaced(coordinate.name)) + "</th>";
        html_ += "<th>samples</th><th class=\"w\">mesh</th><th>" +
                 std::string(steps_are_sums(sweep_) ? "sum of parts" : "step") +
                 "</th><th>compute</th><th>communication</th>";
        html_ += overlap_ ? "<th>with overlap</th><th>samples/s</th></tr>\n" : "<th>samples/s</th></tr>\n";
        for (const SweepPoint &point : sweep_.points)
            add_row(point);
        html_ += "</table>\n";
    }

    void add_row(const SweepPoint &point) {
        const auto words = [&](const std::string &text) {
            html_ += "<td class=\"w\">" + support::xml_escaped(text) + "</td>";
        };
        const auto figure = [&](const std::string &text) { html_ += "<td>" + support::xml_escaped(text) + "</td>"; };
        html_ += "<tr>";
        words(point.label);
        words(point.layout);
        words(point.scaling);
        for (const Coordinate &coordinate : point.coordinates)
            figure(coordinate.text);
        figure(cost::grouped(point.batch));
        if (point.failure.empty()) {
            words(point.mesh);
            figure(cost::human_seconds(point.step));
            figure(cost::human_seconds(point.compute));
            figure(cost::human_seconds(point.communication));
            if (overlap_)
                figure(point.overlap ? cost::human_seconds(*point.overlap) : "-");
            figure(number_label(point.samples_per_second() < 100 ? point.samples_per_second()
                                                                 : static_cast<double>(static_cast<std::int64_t>(
                                                                       point.samples_per_second() + 0.5))));
        } else {
            html_ += std::string("<td class=\"why\" colspan=\"") + (overlap_ ? "6" : "5") + "\">" +
                     support::xml_escaped(point.failure) + "</td>";
        }
        html_ += "</tr>\n";
    }

    const Sweep &sweep_;
    bool overlap_;
    std::string html_;
};

} // namespace

std::string html_report(const Sweep &sweep) {
    return Page(sweep).make();
}

} // namespace planc::report

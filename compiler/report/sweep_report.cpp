#include "report/sweep.h"

#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "support/csv.h"
#include "support/json.h"

#include <algorithm>
#include <cstdio>

namespace planc::report {

namespace {

bool any_named(const Sweep &sweep, std::string SweepPoint::*member) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&](const SweepPoint &point) { return point.*member != sweep.points.front().*member; });
}

std::string rate(double samples_per_second) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, samples_per_second < 100 ? "%.3g" : "%.0f", samples_per_second);
    return buffer;
}

} // namespace

std::string text_report(const Sweep &sweep) {
    cost::Lines lines;
    const bool scalings = any_named(sweep, &SweepPoint::scaling);
    std::vector<std::string> head{"network", "layout"};
    if (scalings)
        head.emplace_back("scaling");
    for (const Coordinate &coordinate : sweep.points.front().coordinates)
        head.push_back(coordinate.name);
    head.insert(head.end(), {"mesh", steps_are_sums(sweep) ? "sum of parts" : "step", "compute", "communication"});
    const bool overlap = has_overlap(sweep);
    if (overlap)
        head.emplace_back("with overlap");
    head.emplace_back("samples/s");
    const std::size_t width = head.size();
    lines.row(head);
    for (const SweepPoint &point : sweep.points) {
        std::vector<std::string> row{point.label, point.layout};
        if (scalings)
            row.push_back(point.scaling);
        for (const Coordinate &coordinate : point.coordinates)
            row.push_back(coordinate.text);
        if (!point.failure.empty()) {
            row.resize(width, "-");
            row.push_back(point.failure);
            lines.row(row);
            continue;
        }
        row.insert(row.end(), {point.mesh, cost::human_seconds(point.step), cost::human_seconds(point.compute),
                               cost::human_seconds(point.communication)});
        if (overlap)
            row.push_back(point.overlap ? cost::human_seconds(*point.overlap) : "-");
        row.push_back(rate(point.samples_per_second()));
        lines.row(row);
    }
    std::string text = sweep.title + "\n";
    for (const std::string &line : sweep.assumptions)
        text += "  " + line + "\n";
    return text + "\n" + lines.text(2, width);
}

std::string csv_report(const Sweep &sweep) {
    std::vector<std::string> head{"file", "layout", "scaling"};
    for (const Coordinate &coordinate : sweep.points.front().coordinates)
        head.push_back(coordinate.name);
    head.insert(head.end(), {"samples", "mesh", "seconds", "compute_seconds", "communication_seconds",
                             "overlap_seconds", "samples_per_second", "bytes", "memory_bytes", "failure"});
    std::string text = support::csv_line(head);
    for (const SweepPoint &point : sweep.points) {
        std::vector<std::string> row{point.file, point.layout, point.scaling};
        for (const Coordinate &coordinate : point.coordinates)
            row.push_back(support::json_number(coordinate.value));
        row.push_back(std::to_string(point.batch));
        const auto number = [&](double value) {
            row.push_back(point.failure.empty() ? support::json_number(value) : "");
        };
        row.push_back(point.mesh);
        number(point.step.value);
        number(point.compute.value);
        number(point.communication.value);
        row.push_back(point.overlap ? support::json_number(point.overlap->value) : "");
        number(point.samples_per_second());
        number(point.payload.value);
        number(point.memory.value);
        row.push_back(point.failure);
        text += support::csv_line(row);
    }
    return text;
}

std::string json_report(const Sweep &sweep) {
    support::JsonWriter json;
    json.begin_object().member("title", sweep.title).key("assumptions").begin_array();
    for (const std::string &line : sweep.assumptions)
        json.value(line);
    json.end_array().key("points").begin_array();
    for (const SweepPoint &point : sweep.points) {
        json.begin_object().member("file", point.file).member("layout", point.layout);
        json.member("scaling", point.scaling).member("ranks", point.ranks).member("samples", point.batch);
        json.key("coordinates").begin_object();
        for (const Coordinate &coordinate : point.coordinates)
            json.member(coordinate.name, coordinate.value);
        json.end_object();
        if (!point.failure.empty()) {
            json.member("failure", point.failure).end_object();
            continue;
        }
        json.member("mesh", point.mesh).member("seconds", point.step.value);
        json.member("compute_seconds", point.compute.value);
        json.member("communication_seconds", point.communication.value);
        if (point.overlap)
            json.member("overlap_seconds", point.overlap->value);
        json.member("samples_per_second", point.samples_per_second());
        json.member("bytes", point.payload.value).member("memory_bytes", point.memory.value);
        json.key("layers").begin_array();
        for (const LayerTime &layer : point.layers)
            json.begin_object()
                .member("name", layer.name)
                .member("compute_seconds", layer.compute.value)
                .member("communication_seconds", layer.communication.value)
                .end_object();
        json.end_array().end_object();
    }
    return json.end_array().end_object().text();
}

} // namespace planc::report

// The page: two charts with the same rows on the same scale, and a table of both.
#include "cost/reports/report.h"
#include "report/axis.h"
#include "report/page.h"
#include "report/svg_writer.h"
#include "support/xml.h"
#include "timeline/chart.h"
#include "timeline/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace planc::timeline {

namespace {

using report::Anchor;
using report::SvgWriter;

constexpr std::size_t most_rows = 64;
constexpr double width = 1180; // pixels, of a chart
constexpr double left = 190;
constexpr double right = 20;
constexpr double top = 34; // of the first row
constexpr double run_height = 26;
constexpr double network_height = 7;
constexpr double row_height = run_height + network_height + 11;
constexpr double least_width = 0.05; // of a bar that is drawn
constexpr const char *waits_colour = "#ffffff";
constexpr const char *transfer_colour = "#8f8f8f";
constexpr const char *samples_colour = "#dddddd";

/// A chart of one trace, with the rows of these ranks.
class Chart {
  public:
    Chart(const Trace &trace, const std::vector<const TraceRow *> &rows, Seconds scale, const std::string &title)
        : trace_(trace), rows_(rows), scale_(scale),
          svg_(width, top + row_height * static_cast<double>(rows.size()) + 24, title) {}

    std::string draw() {
        const double bottom = top + row_height * static_cast<double>(rows_.size());
        const Ticks ticks(scale_, 10);
        for (int tick = 0; tick < ticks.count; ++tick) {
            const double x = at(tick * ticks.step);
            svg_.line(x, top - 8, x, bottom, "stroke=\"#ccc\"");
            svg_.text(x, bottom + 15, ticks.label(tick) + (tick == 0 ? std::string(" ") + ticks.unit : ""),
                      Anchor::middle);
        }
        const double end = at(trace_.step);
        svg_.line(end, top - 8, end, bottom, "stroke=\"#111\" stroke-dasharray=\"3 3\"");
        svg_.text(std::min(end, width - right), top - 14, "end of the step: " + cost::human_seconds(trace_.step),
                  Anchor::end);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            row(*rows_[i], top + row_height * static_cast<double>(i));
        return svg_.done();
    }

  private:
    [[nodiscard]] double at(Seconds time) const { return left + (width - left - right) * (time / scale_); }

    void row(const TraceRow &row, double y) {
        svg_.text(left - 10, y + 17, report::shortened(row.name, left - 14), Anchor::end);
        for (const TraceEvent &event : row.compute)
            if (event.kind != TraceEvent::Kind::kernel)
                bar(event, y, run_height, fill(event));
        for (const TraceEvent &event : row.compute)
            if (event.kind == TraceEvent::Kind::run)
                label(event, y);
        for (const std::vector<TraceEvent> &lane : row.network)
            for (const TraceEvent &event : lane)
                bar(event, y + run_height + 1, network_height, transfer_colour);
    }

    static std::string fill(const TraceEvent &event) {
        return event.holds_up()                          ? waits_colour
               : event.kind == TraceEvent::Kind::samples ? samples_colour
                                                         : colour_of(event.phase);
    }

    void bar(const TraceEvent &event, double y, double height, const std::string &colour) {
        const double x = at(event.begin);
        const double length = at(event.end) - x;
        if (length < least_width)
            return;
        const bool is_run = event.kind == TraceEvent::Kind::run;
        const std::string what =
            is_run ? event.name + ": " + event.phase + " of stage " + std::to_string(event.stage) : event.name;
        svg_.rectangle(x, y, length, height,
                       "fill=\"" + colour + "\" stroke=\"#4a4a4a\" stroke-width=\"0.4\"" +
                           (event.kind == TraceEvent::Kind::transfer ? " fill-opacity=\"0.6\"" : ""),
                       what + ", micro-batch " + std::to_string(event.micro_batch) + ", " +
                           cost::human_seconds(event.seconds()) + " from " + cost::human_seconds(event.begin));
    }

    void label(const TraceEvent &run, double y) {
        const double length = at(run.end) - at(run.begin);
        if (length > report::text_width(run.name) + 2)
            svg_.text(at(run.begin) + length / 2, y + 17, run.name, Anchor::middle, "pointer-events=\"none\"");
    }

    const Trace &trace_;
    const std::vector<const TraceRow *> &rows_;
    Seconds scale_;
    SvgWriter svg_;
};

/// "+12 %": how far the prediction is from the measurement.
std::string off_by(Seconds predicted, Seconds measured) {
    if (predicted.value <= 0 || measured.value <= 0)
        return "";
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%+.0f %%", 100 * (predicted / measured - 1));
    return buffer;
}

class Page {
  public:
    Page(const Program &program, const Timeline &timeline, const Trace &predicted, const Trace *measured,
         const std::vector<report::MatrixChart> &matrices)
        : predicted_(predicted), measured_(measured), matrices_(matrices), has_schedule_(program.has_schedule()),
          scale_(measured == nullptr ? predicted.step : std::max(predicted.step, measured->step)) {
        std::vector<int> shown =
            program.roles.empty() ? shown_ranks(timeline, most_rows) : busiest_of_roles(program, timeline);
        shown.resize(std::min(shown.size(), most_rows));
        for (const int rank : shown) {
            rows_.push_back(&predicted.rows[static_cast<std::size_t>(rank)]);
            if (measured != nullptr)
                measured_rows_.push_back(measured->row_of(rows_.back()->rank));
        }
    }

    [[nodiscard]] std::string make() const {
        std::string body = "<p>" + legend() + "</p>\n<h2>Predicted</h2>\n<figure>\n" +
                           Chart(predicted_, rows_, scale_, "predicted").draw() + "</figure>\n";
        if (measured_ != nullptr)
            body += "<h2>Measured</h2>\n<p>" + support::xml_escaped(measured_->title) +
                    ", the one with the median time of those in the trace.</p>\n<figure>\n" +
                    Chart(*measured_, measured_rows_, scale_, "measured").draw() + "</figure>\n";
        return report::page(predicted_.title, body + table() + blocks());
    }

  private:
    [[nodiscard]] std::string legend() const {
        const auto entry = [](const char *colour, const std::string &name) {
            return std::string("<span style=\"white-space: nowrap; margin-right: 1em\"><span style=\"display: "
                               "inline-block; width: 14px; height: 11px; border: 1px solid #4a4a4a; background: ") +
                   colour + "\"></span> " + name + "</span>\n";
        };
        std::string text;
        for (const auto &[phase, colour] : phase_colours())
            if (occurs(phase))
                text += entry(colour, phase);
        if (measured_ != nullptr)
            text += entry(samples_colour, "loads samples");
        return text + entry(waits_colour, "waits, or works for communication") +
               entry(transfer_colour, "communication under way");
    }

    [[nodiscard]] bool occurs(const std::string &phase) const {
        return std::any_of(predicted_.rows.begin(), predicted_.rows.end(), [&](const TraceRow &row) {
            return std::any_of(row.compute.begin(), row.compute.end(), [&](const TraceEvent &event) {
                return event.kind == TraceEvent::Kind::run && event.phase == phase;
            });
        });
    }

    [[nodiscard]] std::string table() const {
        std::string text = "<h2>Times of a step</h2>\n<table>\n<tr><th class=\"w\"></th><th>predicted</th>" +
                           std::string(measured_ == nullptr ? "" : "<th>measured</th><th>off by</th>") + "</tr>\n";
        const auto of_measured = [&](Seconds (Trace::*value)() const) {
            return measured_ == nullptr ? Seconds() : (measured_->*value)();
        };
        text += line("step", predicted_.step, measured_ == nullptr ? Seconds() : measured_->step);
        if (has_schedule_)
            text += line("bubble: the step less the work of the busiest rank", predicted_.bubble(),
                         of_measured(&Trace::bubble));
        for (std::size_t i = 0; i < rows_.size(); ++i)
            text += line(rows_[i]->name + " is busy", rows_[i]->busy(),
                         measured_ == nullptr ? Seconds() : measured_rows_[i]->busy());
        return text + "</table>\n";
    }

    [[nodiscard]] std::string line(const std::string &name, Seconds predicted, Seconds measured) const {
        const auto cell = [](const std::string &words) { return "<td>" + words + "</td>"; };
        return "<tr><td class=\"w\">" + support::xml_escaped(name) + "</td>" + cell(cost::human_seconds(predicted)) +
               (measured_ == nullptr ? "" : cell(cost::human_seconds(measured)) + cell(off_by(predicted, measured))) +
               "</tr>\n";
    }

    [[nodiscard]] std::string blocks() const {
        if (matrices_.empty())
            return "";
        std::string text =
            "<h2>Blocks of sparse matrices</h2>\n<p>Which rank multiplies by which block, for each way in which layers "
            "cut a matrix. Darker places have more nonzeros; point at a block to see what is in it.</p>\n";
        for (const report::MatrixChart &matrix : matrices_)
            text += "<figure>\n" + svg(matrix) + "</figure>\n";
        return text;
    }

    const Trace &predicted_;
    const Trace *measured_;
    const std::vector<report::MatrixChart> &matrices_;
    bool has_schedule_;
    Seconds scale_;
    std::vector<const TraceRow *> rows_;
    std::vector<const TraceRow *> measured_rows_; ///< of the same ranks
};

} // namespace

std::string html_report(const Program &program, const Timeline &timeline, const ReportOptions &options,
                        const Trace *measured, const std::vector<report::MatrixChart> &matrices) {
    const Trace predicted = predicted_trace(program, timeline, options);
    return Page(program, timeline, predicted, measured, matrices).make();
}

} // namespace planc::timeline

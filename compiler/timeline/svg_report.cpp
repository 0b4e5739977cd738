#include "cost/reports/report.h"
#include "support/xml.h"
#include "timeline/chart.h"

#include <algorithm>
#include <cstdio>

namespace planc::timeline {

namespace {

constexpr std::size_t most_ranks = 8;
constexpr std::size_t most_stages = 64;
constexpr double width = 1280;
constexpr double left = 170; ///< of the lanes
constexpr double right = 24;
constexpr double top = 118; ///< of the first rank
constexpr double runs_height = 18;
constexpr double compute_height = 30;
constexpr double network_height = 18; ///< of a lane
constexpr double rank_gap = 22;
constexpr double letter_width = 6.4; ///< of the labels' font, about
constexpr double least_width = 0.05; ///< of a bar that is drawn

std::string number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f", value);
    return buffer;
}

std::string text_at(double x, double y, const char *style, const std::string &text) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + style + "\">" +
           support::xml_escaped(text) + "</text>\n";
}

class Svg {
  public:
    Svg(const Program &program, const Timeline &timeline, const ReportOptions &options)
        : program_(program), timeline_(timeline), options_(options),
          ranks_(program.roles.empty() ? shown_ranks(timeline, most_ranks) : busiest_of_roles(program, timeline)),
          runs_height_(program.has_schedule() ? runs_height : 0) {
        ranks_.resize(std::min(ranks_.size(), most_stages));
    }

    std::string make() {
        std::string bars;
        double y = top;
        for (int rank : ranks_) {
            const std::vector<std::vector<Event>> network =
                network_lanes(timeline_.ranks[static_cast<std::size_t>(rank)]);
            bars += lanes(rank, network, y);
            y += runs_height_ + compute_height +
                 network_height * static_cast<double>(std::max<std::size_t>(network.size(), 1)) + rank_gap;
        }
        std::string text = head(y + 40) + title() + legend() + axis(y) + bars;
        if (ranks_.size() < timeline_.ranks.size())
            text += text_at(left, y + 34, "small",
                            "and " + std::to_string(timeline_.ranks.size() - ranks_.size()) + " more that differ");
        return text + "</svg>\n";
    }

  private:
    [[nodiscard]] double at(Seconds time) const { return left + (width - left - right) * (time / timeline_.makespan); }

    static std::string head(double height) {
        const std::string size = number(width) + " " + number(height);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" + number(width) +
               "\" height=\"" + number(height) +
               "\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#1a1a1a\">\n"
               "<style>.title { font-size: 16px; font-weight: bold } .line { font-size: 13px } .small { font-size: "
               "11px } .middle { font-size: 11px; text-anchor: middle; pointer-events: none } .end { font-size: 12px; "
               "text-anchor: end } "
               "rect { stroke: #4a4a4a; stroke-width: 0.25 } .grid { stroke: #c8c8c8; stroke-width: 0.8 }</style>\n"
               "<defs><pattern id=\"waits\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
               "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#ffffff\" stroke=\"none\" "
               "style=\"stroke: none\"/><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#8a8a8a\" "
               "stroke-width=\"1.6\"/></pattern></defs>\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\" style=\"stroke: none\"/>\n";
    }

    [[nodiscard]] std::string title() const {
        const std::vector<std::string> lines = summary(program_, timeline_, options_);
        std::string text = text_at(16, 26, "title", lines[0]);
        for (std::size_t i = 1; i < lines.size(); ++i)
            text += text_at(16, 28 + 18 * static_cast<double>(i), "line", lines[i]);
        return text;
    }

    [[nodiscard]] std::string legend() const {
        std::string text;
        double x = left;
        const auto entry = [&](const std::string &fill, const std::string &name) {
            text += "<rect x=\"" + number(x) + "\" y=\"82\" width=\"16\" height=\"12\" fill=\"" + fill + "\"/>\n" +
                    text_at(x + 21, 92, "small", name);
            x += 21 + letter_width * static_cast<double>(name.size()) + 18;
        };
        for (const auto &[phase, colour] : phase_colours())
            if (occurs(phase) || (runs_height_ > 0 && runs(phase)))
                entry(colour, phase);
        entry("url(#waits)", has_work(program_) ? "waits or works for communication" : "waits for communication");
        return text;
    }

    [[nodiscard]] bool occurs(const std::string &phase) const {
        const auto of_phase = [&](const auto &each) { return each.phase == phase; };
        return std::any_of(program_.kernels.begin(), program_.kernels.end(), of_phase) ||
               std::any_of(program_.collectives.begin(), program_.collectives.end(), of_phase);
    }

    [[nodiscard]] bool runs(const std::string &kind) const {
        return std::any_of(program_.runs.begin(), program_.runs.end(),
                           [&](const Run &run) { return planrt::name_of(run.kind) == kind; });
    }

    [[nodiscard]] std::string axis(double bottom) const {
        const Ticks ticks(timeline_.makespan, 10);
        std::string text;
        for (int tick = 0; tick < ticks.count; ++tick) {
            const std::string x = number(at(tick * ticks.step));
            text += "<line class=\"grid\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + number(top - 8) + "\" y2=\"" +
                    number(bottom - 6) + "\"/>\n" +
                    text_at(at(tick * ticks.step), bottom + 10, "middle",
                            ticks.label(tick) + (tick == 0 ? std::string(" ") + ticks.unit : ""));
        }
        return text;
    }

    [[nodiscard]] std::string lanes(int number, const std::vector<std::vector<Event>> &network, double y) const {
        const RankTime &rank = timeline_.ranks[static_cast<std::size_t>(number)];
        const RankClass &ranks = program_.classes[static_cast<std::size_t>(number)];
        const std::string stage = program_.roles.empty() ? "" : program_.roles[static_cast<std::size_t>(ranks.role)];
        std::string text =
            (stage.empty() ? "" : text_at(left - 10, y + 13, "end", stage)) +
            text_at(left - 10, y + runs_height_ + 14, "end", rank_words(ranks)) +
            text_at(left - 10, y + runs_height_ + 28, "end", "computes " + cost::human_seconds(rank.computing)) +
            text_at(left - 10, y + runs_height_ + compute_height + 15, "end",
                    "network " + cost::human_seconds(rank.communicating));
        for (const RunTime &run : rank.runs)
            if (runs_height_ > 0)
                text += bar(run, y);
        y += runs_height_;
        for (const Event &event : rank.compute)
            text += bar(event, y, compute_height);
        for (std::size_t lane = 0; lane < network.size(); ++lane)
            for (const Event &event : network[lane])
                text += bar(event, y + compute_height + network_height * static_cast<double>(lane), network_height);
        return text;
    }

    [[nodiscard]] std::string bar(const Event &event, double y, double height) const {
        const double x = at(event.begin);
        const double length = at(event.end) - x;
        if (length < least_width)
            return "";
        const EventWords what = words(program_, event);
        const std::string fill = is_held_up(event) ? "url(#waits)" : colour_of(what.phase);
        return rectangle(x, y, length, height, fill,
                         what.layer + ", " + what.phase + ": " + what.name + ", " +
                             cost::human_seconds(event.seconds()) + " from " + cost::human_seconds(event.begin)) +
               label(is_held_up(event) ? "" : what.layer, x, y, length, height);
    }

    [[nodiscard]] std::string bar(const RunTime &time, double y) const {
        const double x = at(time.begin);
        const double length = at(time.end) - x;
        if (length < least_width)
            return "";
        const Run &run = program_.runs[static_cast<std::size_t>(time.run)];
        const std::string kind = planrt::name_of(run.kind);
        return rectangle(x, y, length, runs_height, colour_of(kind),
                         run.name + ": " + kind + " of stage " + std::to_string(run.stage) + ", micro-batch " +
                             std::to_string(run.micro_batch) + ", " + cost::human_seconds(time.end - time.begin) +
                             " from " + cost::human_seconds(time.begin)) +
               label(run.name, x, y, length, runs_height);
    }

    static std::string rectangle(double x, double y, double length, double height, const std::string &fill,
                                 const std::string &tip) {
        return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(length) + "\" height=\"" +
               number(height) + "\" fill=\"" + fill + "\"><title>" + support::xml_escaped(tip) + "</title></rect>\n";
    }

    static std::string label(const std::string &words, double x, double y, double length, double height) {
        const double wanted = letter_width * static_cast<double>(words.size()) + 4;
        return words.empty() || length <= wanted ? "" : text_at(x + length / 2, y + height / 2 + 4, "middle", words);
    }

    const Program &program_;
    const Timeline &timeline_;
    const ReportOptions &options_;
    std::vector<int> ranks_;
    double runs_height_; ///< 0: runs are not shown
};

} // namespace

std::string svg_report(const Program &program, const Timeline &timeline, const ReportOptions &options) {
    return Svg(program, timeline, options).make();
}

} // namespace planc::timeline

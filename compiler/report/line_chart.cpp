#include "report/chart.h"
#include "report/svg_writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace planc::report {

namespace {

constexpr double plot_width = 520;
constexpr double plot_height = 320;
constexpr double left = 84;
constexpr double top = 40;
constexpr double bottom = 56;
constexpr double most_legend = 300;

struct Look {
    const char *colour;
    const char *dashes;
    const char *marker; ///< around 0, 0
    bool filled;
};

constexpr const char *circle = "m -4,0 a 4,4 0 1,0 8,0 a 4,4 0 1,0 -8,0 z";
constexpr const char *square = "m -3.6,-3.6 h 7.2 v 7.2 h -7.2 z";
constexpr const char *triangle = "m 0,-4.6 l 4.4,8 h -8.8 z";
constexpr const char *diamond = "m 0,-5 l 5,5 l -5,5 l -5,-5 z";
constexpr const char *flat = "m -4.4,-3.4 h 8.8 l -4.4,8 z";

constexpr std::array looks = {
    Look{"#0b3c6f", "none", circle, true},  Look{"#a63c00", "7 3", square, false},
    Look{"#00694b", "2 3", triangle, true}, Look{"#6d2a63", "9 3 2 3", diamond, false},
    Look{"#000000", "none", square, true},  Look{"#5b5600", "4 2", circle, false},
    Look{"#8a1c3c", "1 4", diamond, true},  Look{"#2c5f78", "12 4", triangle, false},
    Look{"#444444", "6 2 1 2", flat, true}, Look{"#7a4a00", "none", flat, false},
};

std::string stroke(const Look &look) {
    return std::string("stroke=\"") + look.colour + "\" stroke-width=\"1.8\"" +
           (std::string(look.dashes) == "none" ? "" : std::string(" stroke-dasharray=\"") + look.dashes + "\"");
}

constexpr const char *reference_stroke = "stroke=\"#666\" stroke-width=\"1\" stroke-dasharray=\"3 3\"";

struct Extent {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    void add(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

class Drawing {
  public:
    Drawing(const LineChart &chart, const Extent &x, const Extent &y)
        : chart_(chart), x_(chart.x.scale, x.least, x.most), y_(chart.y.scale, y.least, y.most),
          legend_(legend_width()), svg_(left + plot_width + legend_, top + plot_height + bottom, chart.title) {}

    std::string draw() {
        svg_.text(left, 22, chart_.title, Anchor::start, "font-size=\"15\" font-weight=\"bold\"");
        draw_grid();
        std::size_t look = 0;
        double row = top + 12;
        for (const Line &line : chart_.lines) {
            const Look &own = looks[line.reference ? 0 : look++ % looks.size()];
            draw_line(line, own);
            draw_legend(line, own, row);
            row += 20;
        }
        return svg_.done();
    }

  private:
    [[nodiscard]] double legend_width() const {
        double width = 0;
        for (const Line &line : chart_.lines)
            width = std::max(width, text_width(line.name));
        return std::min(width, most_legend) + 74;
    }

    [[nodiscard]] double px(double value) const { return left + plot_width * x_.place(value); }
    [[nodiscard]] double py(double value) const { return top + plot_height * (1 - y_.place(value)); }

    void draw_grid() {
        const double base = top + plot_height;
        for (const double tick : x_.minor_ticks())
            svg_.line(px(tick), base, px(tick), base + 3, "stroke=\"#111\"");
        for (const double tick : y_.minor_ticks())
            svg_.line(left - 3, py(tick), left, py(tick), "stroke=\"#111\"");
        double free_from = 0; // labels do not touch each other
        for (const double tick : x_.ticks()) {
            svg_.line(px(tick), top, px(tick), base + 6, "stroke=\"#ddd\"");
            svg_.line(px(tick), base, px(tick), base + 6, "stroke=\"#111\"");
            const std::string label = chart_.x.label(tick);
            if (px(tick) - text_width(label) / 2 < free_from)
                continue;
            svg_.text(px(tick), base + 20, label, Anchor::middle);
            free_from = px(tick) + text_width(label) / 2 + 4;
        }
        for (const double tick : y_.ticks()) {
            svg_.line(left, py(tick), left + plot_width, py(tick), "stroke=\"#ddd\"");
            svg_.line(left - 6, py(tick), left, py(tick), "stroke=\"#111\"");
            svg_.text(left - 9, py(tick) + 4, chart_.y.label(tick), Anchor::end);
        }
        svg_.rectangle(left, top, plot_width, plot_height, "fill=\"none\" stroke=\"#111\"");
        svg_.text(left + plot_width / 2, base + 42, chart_.x.title, Anchor::middle);
        const double middle = top + plot_height / 2;
        svg_.text(16, middle, chart_.y.title, Anchor::middle, "transform=\"rotate(-90 16 " + pixels(middle) + ")\"");
    }

    void draw_line(const Line &line, const Look &look) {
        std::string points;
        for (const Point &point : line.points)
            points += (points.empty() ? "" : " ") + pixels(px(point.x)) + "," + pixels(py(point.y));
        if (line.points.size() > 1)
            svg_.polyline(points, line.reference ? reference_stroke : stroke(look));
        for (const Point &point : line.points)
            if (!line.reference)
                draw_marker(px(point.x), py(point.y), look, line.name + ", " + point.words);
    }

    void draw_marker(double x, double y, const Look &look, const std::string &tip) {
        svg_.path("M " + pixels(x) + "," + pixels(y) + " " + look.marker,
                  std::string("fill=\"") + (look.filled ? look.colour : "#fff") + "\" stroke=\"" + look.colour +
                      "\" stroke-width=\"1.4\"",
                  tip);
    }

    void draw_legend(const Line &line, const Look &look, double row) {
        const double begin = left + plot_width + 16;
        svg_.line(begin, row, begin + 36, row, line.reference ? reference_stroke : stroke(look));
        if (!line.reference)
            draw_marker(begin + 18, row, look, line.name);
        svg_.text(begin + 44, row + 4, shortened(line.name, most_legend), Anchor::start);
    }

    const LineChart &chart_;
    Axis x_;
    Axis y_;
    double legend_;
    SvgWriter svg_;
};

} // namespace

std::string svg(const LineChart &chart) {
    Extent x;
    Extent y;
    for (const Line &line : chart.lines)
        for (const Point &point : line.points) {
            x.add(point.x);
            y.add(point.y);
        }
    return x.least > x.most ? "" : Drawing(chart, x, y).draw();
}

} // namespace planc::report

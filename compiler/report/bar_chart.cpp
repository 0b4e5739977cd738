#include "report/chart.h"
#include "report/svg_writer.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace planc::report {

namespace {

constexpr double plot_width = 520;
constexpr double row_height = 20;
constexpr double top = 66; ///< title and legend
constexpr double bottom = 52;
constexpr double most_names = 240;

/// Dark, light, hatched: also without colours.
constexpr std::array fills = {"#1f4e79", "#f3c79a", "#d9d9d9", "#7fa38c"};

std::string style(std::size_t part) {
    return std::string("fill=\"") + fills[part % fills.size()] + "\" stroke=\"#111\" stroke-width=\"0.8\"";
}

double sum(const Bar &bar) {
    return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0);
}

class Drawing {
  public:
    Drawing(const BarChart &chart, double most, double names)
        : chart_(chart), axis_(Scale::linear, 0, most), left_(names + 24),
          height_(row_height * static_cast<double>(chart.bars.size())),
          svg_(left_ + plot_width + 84, top + height_ + bottom, chart.title) {}

    std::string draw() {
        svg_.text(16, 22, chart_.title, Anchor::start, "font-size=\"15\" font-weight=\"bold\"");
        draw_legend();
        draw_axis();
        for (std::size_t i = 0; i < chart_.bars.size(); ++i)
            draw_bar(chart_.bars[i], top + row_height * static_cast<double>(i));
        svg_.line(left_, top, left_, top + height_, "stroke=\"#111\"");
        return svg_.done();
    }

  private:
    [[nodiscard]] double px(double value) const { return left_ + plot_width * axis_.place(value); }

    void draw_legend() {
        double x = left_;
        for (std::size_t part = 0; part < chart_.parts.size(); ++part) {
            svg_.rectangle(x, 38, 22, 12, style(part));
            svg_.text(x + 28, 48, chart_.parts[part], Anchor::start);
            x += 28 + text_width(chart_.parts[part]) + 24;
        }
    }

    void draw_axis() {
        const double base = top + height_;
        for (const double tick : axis_.ticks()) {
            svg_.line(px(tick), top, px(tick), base + 6, "stroke=\"#ddd\"");
            svg_.line(px(tick), base, px(tick), base + 6, "stroke=\"#111\"");
            svg_.text(px(tick), base + 20, chart_.x.label(tick), Anchor::middle);
        }
        svg_.line(left_, base, left_ + plot_width, base, "stroke=\"#111\"");
        svg_.text(left_ + plot_width / 2, base + 42, chart_.x.title, Anchor::middle);
    }

    void draw_bar(const Bar &bar, double y) {
        svg_.text(left_ - 8, y + 14, shortened(bar.name, most_names), Anchor::end);
        double from = 0;
        for (std::size_t part = 0; part < bar.parts.size(); ++part) {
            const double to = from + bar.parts[part];
            if (bar.parts[part] > 0)
                svg_.rectangle(px(from), y + 3, px(to) - px(from), row_height - 6, style(part),
                               bar.name + ", " + chart_.parts[part] + ": " + chart_.label(bar.parts[part]));
            from = to;
        }
        svg_.text(px(from) + 6, y + 14, chart_.label(from), Anchor::start);
    }

    const BarChart &chart_;
    Axis axis_;
    double left_;
    double height_;
    SvgWriter svg_;
};

} // namespace

std::string svg(const BarChart &chart) {
    double most = 0;
    double names = 0;
    for (const Bar &bar : chart.bars) {
        most = std::max(most, sum(bar));
        names = std::max(names, text_width(bar.name));
    }
    return chart.bars.empty() ? "" : Drawing(chart, most, std::min(names, most_names)).draw();
}

} // namespace planc::report

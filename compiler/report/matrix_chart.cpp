#include "report/chart.h"
#include "report/svg_writer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace planc::report {

namespace {

constexpr double longer_side = 460;
constexpr double least_side = 40;
constexpr double left = 40;
constexpr double right = 24;
constexpr double top = 66;
constexpr double bottom = 24;
constexpr double room_for_name = 16;    ///< the height of a block with a name
constexpr std::size_t most_lines = 128; ///< more of them hide the nonzeros

/// From few nonzeros to many.
constexpr std::array shades = {"#dce6f1", "#b3cbe2", "#7fa8cf", "#4a7fb5", "#1f4e79"};

class Drawing {
  public:
    explicit Drawing(const MatrixChart &chart)
        : chart_(chart), scale_(longer_side / static_cast<double>(std::max(chart.rows.extent, chart.columns.extent))),
          width_(std::max(least_side, scale_ * static_cast<double>(chart.columns.extent))),
          height_(std::max(least_side, scale_ * static_cast<double>(chart.rows.extent))),
          svg_(std::max(left + width_ + right, 32 + 1.3 * text_width(chart.title)), top + height_ + bottom,
               chart.title) {}

    std::string draw() {
        svg_.text(16, 22, chart_.title, Anchor::start, "font-size=\"15\" font-weight=\"bold\"");
        svg_.text(left, top - 10, "columns " + chart_.columns.label, Anchor::start);
        const std::string x = pixels(left - 14);
        const std::string y = pixels(top + height_);
        svg_.text(left - 14, top + height_, "rows " + chart_.rows.label, Anchor::start,
                  "transform=\"rotate(-90 " + x + " " + y + ")\"");
        draw_nonzeros();
        draw_cuts();
        for (const MatrixChart::Block &block : chart_.blocks)
            draw(block);
        return svg_.done();
    }

  private:
    /// One path for each shade.
    void draw_nonzeros() {
        const auto most = static_cast<double>(*std::max_element(chart_.nonzeros.begin(), chart_.nonzeros.end()));
        const double width = width_ / chart_.cells_across;
        const double height = height_ / chart_.cells_down;
        const std::string cell =
            "h" + pixels(width + 0.1) + "v" + pixels(height + 0.1) + "h-" + pixels(width + 0.1) + "z";
        std::array<std::string, shades.size()> paths;
        for (std::size_t i = 0; i < chart_.nonzeros.size(); ++i) {
            const auto count = static_cast<double>(chart_.nonzeros[i]);
            if (count <= 0)
                continue;
            const auto number = static_cast<double>(shades.size());
            const double share = std::log(1 + count) / std::log(1 + most); // degrees differ by orders of magnitude
            const auto shade = static_cast<std::size_t>(std::min(number - 1, std::floor(number * share)));
            const auto across = static_cast<std::size_t>(chart_.cells_across);
            paths[shade] += "M" + pixels(left + width * static_cast<double>(i % across)) + "," +
                            pixels(top + height * static_cast<double>(i / across)) + cell;
        }
        for (std::size_t shade = 0; shade < shades.size(); ++shade)
            if (!paths[shade].empty())
                svg_.path(paths[shade], std::string("fill=\"") + shades[shade] + "\"");
    }

    [[nodiscard]] double x_of(std::int64_t column) const {
        return left + width_ * static_cast<double>(column) / static_cast<double>(chart_.columns.extent);
    }
    [[nodiscard]] double y_of(std::int64_t row) const {
        return top + height_ * static_cast<double>(row) / static_cast<double>(chart_.rows.extent);
    }

    void draw_cuts() {
        constexpr const char *style = "stroke=\"#b5413a\" stroke-width=\"1.4\"";
        if (chart_.columns.cuts.size() <= most_lines)
            for (const std::int64_t column : chart_.columns.cuts)
                svg_.line(x_of(column), top, x_of(column), top + height_, style);
        if (chart_.rows.cuts.size() <= most_lines)
            for (const std::int64_t row : chart_.rows.cuts)
                svg_.line(left, y_of(row), left + width_, y_of(row), style);
        svg_.rectangle(left, top, width_, height_, "fill=\"none\" stroke=\"#111\"");
    }

    void draw(const MatrixChart::Block &block) {
        const double x = x_of(chart_.columns.cuts[block.column]);
        const double y = y_of(chart_.rows.cuts[block.row]);
        const double width = x_of(chart_.columns.cuts[block.column + 1]) - x;
        const double height = y_of(chart_.rows.cuts[block.row + 1]) - y;
        svg_.rectangle(x, y, width, height, "fill=\"#fff\" fill-opacity=\"0\"", block.words);
        if (height >= room_for_name && width >= text_width(block.name) + 6)
            svg_.text(x + width / 2, y + height / 2 + 4, block.name, Anchor::middle,
                      "paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"3\" pointer-events=\"none\"");
    }

    const MatrixChart &chart_;
    double scale_; ///< pixels of a row
    double width_;
    double height_;
    SvgWriter svg_;
};

} // namespace

std::string svg(const MatrixChart &chart) {
    return Drawing(chart).draw();
}

} // namespace planc::report

// Writes elements of SVG, with numbers to a tenth of a pixel.
#pragma once

#include <string>

namespace planc::report {

enum class Anchor : unsigned char { start, middle, end };

class SvgWriter {
  public:
    SvgWriter(double width, double height, const std::string &title);

    void line(double x1, double y1, double x2, double y2, const std::string &style);
    void polyline(const std::string &points, const std::string &style);
    /// `tip`: the tooltip.
    void rectangle(double x, double y, double width, double height, const std::string &style,
                   const std::string &tip = {});
    void path(const std::string &d, const std::string &style, const std::string &tip = {});
    void text(double x, double y, const std::string &words, Anchor anchor, const std::string &style = {});
    void raw(const std::string &element) { text_ += element; }

    [[nodiscard]] std::string done() const { return text_ + "</svg>\n"; }

  private:
    std::string text_;
};

/// "12.5"
[[nodiscard]] std::string pixels(double value);
/// The approximate width of words in 12 px letters.
[[nodiscard]] double text_width(const std::string &words);
/// The words, cut to a width with an ellipsis.
[[nodiscard]] std::string shortened(const std::string &words, double width);

} // namespace planc::report

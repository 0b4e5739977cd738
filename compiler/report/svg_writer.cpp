#include "report/svg_writer.h"

#include "report/chart.h"
#include "support/xml.h"

#include <cmath>
#include <cstdio>

namespace planc::report {

namespace {

constexpr double letter = 6.6; ///< width of a letter at 12 px, on average rather too wide

std::string closed(const std::string &element, const std::string &name, const std::string &tip) {
    return tip.empty() ? element + "/>\n"
                       : element + "><title>" + support::xml_escaped(tip) + "</title></" + name + ">\n";
}

/// Letters, not bytes.
std::size_t letters(const std::string &words) {
    std::size_t count = 0;
    for (const char c : words)
        count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    return count;
}

} // namespace

SvgWriter::SvgWriter(double width, double height, const std::string &title)
    : text_("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixels(width) + "\" height=\"" + pixels(height) +
            "\" viewBox=\"0 0 " + pixels(width) + " " + pixels(height) +
            "\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#111\">\n<title>" +
            support::xml_escaped(title) + "</title>\n") {
    rectangle(0, 0, width, height, "fill=\"#fff\"");
}

void SvgWriter::line(double x1, double y1, double x2, double y2, const std::string &style) {
    text_ += "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) + "\" y2=\"" + pixels(y2) +
             "\" " + style + "/>\n";
}

void SvgWriter::polyline(const std::string &points, const std::string &style) {
    text_ += "<polyline points=\"" + points + "\" fill=\"none\" " + style + "/>\n";
}

void SvgWriter::rectangle(double x, double y, double width, double height, const std::string &style,
                          const std::string &tip) {
    text_ += closed("<rect x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" + pixels(width) + "\" height=\"" +
                        pixels(height) + "\" " + style,
                    "rect", tip);
}

void SvgWriter::path(const std::string &d, const std::string &style, const std::string &tip) {
    text_ += closed("<path d=\"" + d + "\" " + style, "path", tip);
}

void SvgWriter::text(double x, double y, const std::string &words, Anchor anchor, const std::string &style) {
    static constexpr const char *anchors[] = {"start", "middle", "end"};
    text_ += "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" +
             anchors[static_cast<int>(anchor)] + "\"" + (style.empty() ? "" : " " + style) + ">" +
             support::xml_escaped(words) + "</text>\n";
}

std::string pixels(double value) {
    char buffer[32];
    const double rounded = std::round(10 * value) / 10;
    std::snprintf(buffer, sizeof buffer, "%.10g", rounded == 0 ? 0.0 : rounded);
    return buffer;
}

double text_width(const std::string &words) {
    return letter * static_cast<double>(letters(words));
}

std::string shortened(const std::string &words, double width) {
    const auto most = static_cast<std::size_t>(width / letter);
    if (letters(words) <= most)
        return words;
    std::string cut;
    std::size_t count = 0;
    for (const char c : words) {
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U && ++count >= most)
            break;
        cut += c;
    }
    return cut + "…";
}

} // namespace planc::report

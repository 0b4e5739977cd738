// Plots as SVG: dark lines and text on white, lines told apart by dashes and markers too, so that a print in black and
// white can be read. Nothing outside of the text is needed to show them.
#pragma once

#include "report/axis.h"

#include <string>
#include <vector>

namespace planc::report {

struct Point {
    double x = 0;
    double y = 0;
    std::string words; ///< what is shown when one points at it
};

struct Line {
    std::string name;
    std::vector<Point> points;
    bool reference = false; ///< thin, without markers: "ideal"
};

struct LineChart {
    std::string title;
    AxisOptions x;
    AxisOptions y;
    std::vector<Line> lines; ///< a legend stands to the right
};
/// Lines without points are in the legend only. Empty if there is no point.
[[nodiscard]] std::string svg(const LineChart &chart);

struct Bar {
    std::string name;
    std::vector<double> parts; ///< as BarChart::parts
};

/// Bars lie, one below the other, their parts stacked.
struct BarChart {
    std::string title;
    AxisOptions x;                            ///< linear
    std::function<std::string(double)> label; ///< of a value
    std::vector<std::string> parts;
    std::vector<Bar> bars;
};
[[nodiscard]] std::string svg(const BarChart &chart);

} // namespace planc::report

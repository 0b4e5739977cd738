// Plots as self-contained SVG, with dark lines and text on white. Lines also differ in dashes and markers, so that a
// black-and-white print can be read.
#pragma once

#include "report/axis.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace planc::report {

struct Point {
    double x = 0;
    double y = 0;
    std::string words; ///< the tooltip
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
    std::vector<Line> lines; ///< the legend is to the right
};
/// Lines without points appear only in the legend. Returns an empty text if there is no point.
[[nodiscard]] std::string svg(const LineChart &chart);

struct Bar {
    std::string name;
    std::vector<double> parts; ///< as BarChart::parts
};

/// Horizontal bars, one below another, with stacked parts.
struct BarChart {
    std::string title;
    AxisOptions x;                            ///< linear
    std::function<std::string(double)> label; ///< of a value
    std::vector<std::string> parts;
    std::vector<Bar> bars;
};
[[nodiscard]] std::string svg(const BarChart &chart);

/// A sparse matrix and the blocks into which ranks cut it: the darker a place, the more nonzeros it has.
struct MatrixChart {
    struct Side {
        std::string label; ///< "cut over rows"
        std::int64_t extent = 0;
        std::vector<std::int64_t> cuts; ///< 0, where each further part begins, `extent`
    };
    struct Block {
        std::size_t row = 0; ///< number of the part
        std::size_t column = 0;
        std::string name;  ///< where there is room
        std::string words; ///< the tooltip
    };
    std::string title;
    Side rows;
    Side columns;
    int cells_down = 0; ///< equal parts of the rows …
    int cells_across = 0;
    std::vector<std::int64_t> nonzeros; ///< … and the nonzeros in each cell, row by row
    std::vector<Block> blocks;
};
[[nodiscard]] std::string svg(const MatrixChart &chart);

} // namespace planc::report

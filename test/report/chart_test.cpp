#include "report/chart.h"
#include "report/svg_writer.h"
#include "support/xml.h"

#include <gtest/gtest.h>

#include <regex>

namespace planc::report {

namespace {

int count(const std::string &text, const std::string &part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

LineChart two_lines() {
    return {"Time",
            {"ranks", Scale::logarithmic, number_label},
            {"time", Scale::logarithmic, seconds_label},
            {{"a < b", {{1, 1, "first"}, {10, 0.1, "second"}}},
             {"no point", {}},
             {"ideal", {{1, 1, ""}, {10, 1, ""}}, true}}};
}

/// Coordinates of the paths of a drawing that begin so; without `begin`, of its markers.
std::vector<std::pair<double, double>> markers(const std::string &drawing,
                                               const char *begin = "<path d=\"M ([0-9.]+),([0-9.]+) ") {
    std::vector<std::pair<double, double>> found;
    const std::regex form(begin);
    for (std::sregex_iterator at(drawing.begin(), drawing.end(), form), end; at != end; ++at)
        found.emplace_back(std::stod((*at)[1]), std::stod((*at)[2]));
    return found;
}

} // namespace

TEST(LineChart, points_stand_where_their_values_are) {
    const std::string drawing = svg(two_lines());
    const auto places = markers(drawing);
    ASSERT_EQ(places.size(), 4U);                            // two points, two in the legend
    EXPECT_EQ(places[0], std::pair(84.0, 40.0));             // 1 and 1 s: left, on top
    EXPECT_EQ(places[1], std::pair(84.0 + 520, 40.0 + 320)); // 10 and 100 ms: right, at the bottom
    EXPECT_EQ(places[2].second + 20, places[3].second) << "rows of the legend do not touch";
    EXPECT_GT(places[2].first, 84.0 + 520) << "the legend stands outside";
}

TEST(LineChart, words_are_escaped_and_points_say_what_they_are) {
    const std::string drawing = svg(two_lines());
    EXPECT_EQ(count(drawing, "a &lt; b</text>"), 1);
    EXPECT_EQ(count(drawing, "<title>a &lt; b, second</title>"), 1);
    EXPECT_EQ(count(drawing, "<polyline"), 2);
    EXPECT_EQ(drawing.find("a < b"), std::string::npos);
}

TEST(LineChart, nothing_is_drawn_of_nothing) {
    LineChart chart = two_lines();
    for (Line &line : chart.lines)
        line.points.clear();
    EXPECT_EQ(svg(chart), "");
}

TEST(LineChart, labels_of_the_x_axis_do_not_touch) {
    LineChart chart = two_lines();
    chart.x.label = [](double) { return std::string("a label that is rather long"); };
    EXPECT_LT(count(svg(chart), "rather long"), 4);
}

TEST(BarChart, parts_are_stacked) {
    const BarChart chart{"Layers",
                         {"time", Scale::linear, seconds_label},
                         seconds_label,
                         {"compute", "communication"},
                         {{"fc1", {1, 3}}, {"fc2", {2, 0}}}};
    const std::string drawing = svg(chart);
    EXPECT_EQ(count(drawing, "<title>fc1, compute: 1 s</title>"), 1);
    EXPECT_EQ(count(drawing, "<title>fc1, communication: 3 s</title>"), 1);
    EXPECT_EQ(count(drawing, "fc2, communication"), 0) << "nothing of no length";
    const std::regex bar("<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\"[^>]*><title>");
    std::vector<std::vector<double>> bars;
    for (std::sregex_iterator at(drawing.begin(), drawing.end(), bar), end; at != end; ++at)
        bars.push_back({std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3])});
    ASSERT_EQ(bars.size(), 3U);
    EXPECT_DOUBLE_EQ(bars[0][0] + bars[0][2], bars[1][0]);
    EXPECT_DOUBLE_EQ(3 * bars[0][2], bars[1][2]);
    EXPECT_DOUBLE_EQ(bars[0][0], bars[2][0]);
    EXPECT_GT(bars[2][1], bars[0][1]);
}

TEST(MatrixChart, blocks_and_nonzeros_stand_where_they_are) {
    // Rows 0 to 3 and 4 to 5 of 6 x 3; a cell is a row and a column.
    MatrixChart chart{"a", {"cut over rows", 6, {0, 4, 6}}, {"not cut", 3, {0, 3}}, 6, 3, {}, {}};
    chart.nonzeros = {9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    chart.blocks = {{0, 0, "rank 0", "rank 0: 9 nonzeros"}, {1, 0, "rank 1", "rank 1: 1 nonzero"}};
    const std::string drawing = svg(chart);
    const std::regex block(
        "<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\"[^>]*><title>");
    std::vector<std::vector<double>> blocks;
    for (std::sregex_iterator at(drawing.begin(), drawing.end(), block), end; at != end; ++at)
        blocks.push_back({std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3]), std::stod((*at)[4])});
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_NEAR(blocks[0][3], 2 * blocks[1][3], 0.2);
    EXPECT_NEAR(blocks[0][1] + blocks[0][3], blocks[1][1], 0.2);
    const double side = blocks[1][3] / 2;
    const auto cells = markers(drawing, "<path d=\"M([0-9.]+),([0-9.]+)h");
    ASSERT_EQ(cells.size(), 2U) << "one path for each shade";
    const auto &[many, few] = std::pair(cells[1], cells[0]); // light shades come first
    EXPECT_NEAR(many.first, blocks[0][0], 0.2);
    EXPECT_NEAR(many.second, blocks[0][1], 0.2);
    EXPECT_NEAR(few.first, blocks[0][0] + 2 * side, 0.2);
    EXPECT_NEAR(few.second, blocks[1][1] + side, 0.2);
    EXPECT_EQ(count(drawing, ">rank 0</text>"), 1);
    EXPECT_EQ(count(drawing, ">columns not cut</text>"), 1);
}

TEST(Svg, long_words_are_cut_by_letters) {
    EXPECT_EQ(shortened("abc", 100), "abc");
    EXPECT_EQ(shortened("häßlich lang", 6.6 * 5), "häßl…");
    EXPECT_EQ(support::xml_escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    EXPECT_EQ(pixels(12.345), "12.3");
    EXPECT_EQ(pixels(-0.01), "0");
}

} // namespace planc::report

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

/// Coordinates of the markers of a drawing.
std::vector<std::pair<double, double>> markers(const std::string &drawing) {
    std::vector<std::pair<double, double>> found;
    const std::regex form("<path d=\"M ([0-9.]+),([0-9.]+) ");
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

TEST(Svg, long_words_are_cut_by_letters) {
    EXPECT_EQ(shortened("abc", 100), "abc");
    EXPECT_EQ(shortened("häßlich lang", 6.6 * 5), "häßl…");
    EXPECT_EQ(support::xml_escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    EXPECT_EQ(pixels(12.345), "12.3");
    EXPECT_EQ(pixels(-0.01), "0");
}

} // namespace planc::report

#include "report/sweep.h"

#include <gtest/gtest.h>

namespace planc::report {

namespace {

SweepPoint point(const std::string &network, const std::string &layout, std::int64_t ranks, double seconds,
                 const std::string &latency) {
    SweepPoint result;
    result.label = network;
    result.file = network + ".plan";
    result.layout = layout;
    result.scaling = "strong";
    result.ranks = ranks;
    result.batch = 64;
    result.coordinates = {{"ranks", static_cast<double>(ranks), std::to_string(ranks), ""},
                          {"latency", latency == "1us" ? 1e-6 : 2e-6, latency, "s"}};
    result.mesh = "rows " + std::to_string(ranks);
    result.step = result.compute = Seconds(seconds);
    result.layers = {{"fc1", Seconds(seconds), {}}};
    if (seconds == 0)
        result.failure = "no plan fits, \"really\"";
    return result;
}

Sweep small() {
    return {"net on machine m",
            {"a line"},
            "batch",
            {point("net", "best", 2, 0.5, "1us"), point("net", "best", 1, 1, "1us"), point("net", "best", 4, 0, "1us"),
             point("net", "best", 1, 1, "2us"), point("net", "other", 1, 2, "1us")}};
}

} // namespace

TEST(Sweep, lines_are_points_that_differ_in_one_coordinate) {
    const Sweep sweep = small(); // plots point into it
    const std::vector<Plot> all = plots(sweep, "ranks", "strong", 10);
    ASSERT_EQ(all.size(), 1U);
    ASSERT_EQ(all[0].series.size(), 3U);
    EXPECT_EQ(all[0].series[0].name, "best, latency 1us");
    EXPECT_EQ(all[0].series[1].name, "best, latency 2us");
    EXPECT_EQ(all[0].series[2].name, "other, latency 1us");
    const Series &first = all[0].series[0];
    ASSERT_EQ(first.points.size(), 2U) << "without the one that has no figures";
    EXPECT_EQ(first.points[0]->ranks, 1);
    EXPECT_EQ(first.points[1]->ranks, 2);
    EXPECT_DOUBLE_EQ(speedup(first, *first.points[1]), 2);
    EXPECT_TRUE(plots(small(), "ranks", "weak", 10)[0].series.empty());
}

TEST(Sweep, many_lines_are_plots_by_network_and_layout) {
    const Sweep sweep = small();
    const std::vector<Plot> all = plots(sweep, "ranks", "strong", 2);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].of, "net, best");
    EXPECT_EQ(all[0].series[1].name, "latency 2us");
    EXPECT_EQ(all[1].of, "net, other");
    EXPECT_EQ(all[1].series[0].name, "net, other");
}

TEST(Sweep, csv_has_a_line_for_each_point) {
    Sweep sweep = small();
    sweep.points[0].overlap = Seconds(0.25);
    EXPECT_EQ(csv_report(sweep),
              "file,layout,scaling,ranks,latency,samples,mesh,seconds,compute_seconds,communication_seconds,"
              "overlap_seconds,samples_per_second,bytes,memory_bytes,failure\n"
              "net.plan,best,strong,2,1e-06,64,rows 2,0.5,0.5,0,0.25,256,0,0,\n"
              "net.plan,best,strong,1,1e-06,64,rows 1,1,1,0,,64,0,0,\n"
              "net.plan,best,strong,4,1e-06,64,rows 4,,,,,,,,\"no plan fits, \"\"really\"\"\"\n"
              "net.plan,best,strong,1,2e-06,64,rows 1,1,1,0,,64,0,0,\n"
              "net.plan,other,strong,1,1e-06,64,rows 1,2,2,0,,32,0,0,\n");
}

TEST(Sweep, the_table_says_what_was_simulated) {
    Sweep sweep = small();
    EXPECT_EQ(text_report(sweep).find("with overlap"), std::string::npos);
    EXPECT_EQ(html_report(sweep).find("with overlap"), std::string::npos);
    EXPECT_NE(html_report(sweep).find("Time of a step, sum of parts"), std::string::npos);
    sweep.points[0].overlap = Seconds(0.25);
    EXPECT_NE(text_report(sweep).find("with overlap"), std::string::npos);
    EXPECT_NE(text_report(sweep).find("250 ms        256\n"), std::string::npos) << text_report(sweep);
    EXPECT_NE(html_report(sweep).find("<td>250 ms</td><td>256</td>"), std::string::npos);
    EXPECT_NE(html_report(sweep).find("Time of a step, with overlap"), std::string::npos);
    EXPECT_NE(html_report(sweep).find("2 ranks, a step: 250 ms with overlap, sum of parts 500 ms = 500 ms compute"),
              std::string::npos);
}

TEST(Sweep, a_step_of_a_profile_may_be_less_than_its_parts) {
    Sweep sweep = small();
    EXPECT_NE(text_report(sweep).find("sum of parts"), std::string::npos);
    EXPECT_EQ(step_words(sweep.points[0]), "sum of parts 500 ms");
    sweep.points[0].communication = Seconds(0.25);
    EXPECT_EQ(text_report(sweep).find("sum of parts"), std::string::npos);
    EXPECT_EQ(step_words(sweep.points[0]), "500 ms as the profile lets them overlap, sum of parts 750 ms");
}

TEST(Sweep, the_page_stands_alone) {
    const std::string page = html_report(small());
    EXPECT_NE(page.find("<h2>Strong scaling"), std::string::npos);
    EXPECT_NE(page.find("<h2>Over latency</h2>"), std::string::npos);
    EXPECT_NE(page.find("<h2>Time by layer</h2>\n<p>The bars of a plot add up to its sum of parts"), std::string::npos);
    EXPECT_NE(page.find("no plan fits, &quot;really&quot;"), std::string::npos);
    for (const char *outside : {"<script", "<link", "<img", "url(", "@import", "href="})
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    EXPECT_EQ(page, html_report(small()));
}

} // namespace planc::report

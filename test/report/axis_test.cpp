#include "report/axis.h"

#include <gtest/gtest.h>

namespace planc::report {

namespace {

std::vector<std::string> labels(const Axis &axis, std::string (*label)(double)) {
    std::vector<std::string> words;
    for (const double tick : axis.ticks())
        words.push_back(label(tick));
    return words;
}

using Words = std::vector<std::string>;

} // namespace

TEST(Axis, logarithmic_ticks_are_round_and_enclose_the_values) {
    EXPECT_EQ(labels(Axis(Scale::logarithmic, 1, 1000), number_label),
              (Words{"1", "2", "5", "10", "20", "50", "100", "200", "500", "1000"}));
    EXPECT_EQ(labels(Axis(Scale::logarithmic, 0.0031, 0.017), seconds_label),
              (Words{"2 ms", "5 ms", "10 ms", "20 ms"}));
    EXPECT_EQ(labels(Axis(Scale::logarithmic, 3e-7, 40), seconds_label),
              (Words{"100 ns", "1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"}));
}

TEST(Axis, one_value_has_an_axis_too) {
    const Axis at_tick(Scale::logarithmic, 10, 10);
    EXPECT_EQ(labels(at_tick, number_label), (Words{"10", "20"}));
    EXPECT_DOUBLE_EQ(at_tick.place(10), 0);
    const Axis between(Scale::logarithmic, 3, 3);
    EXPECT_EQ(labels(between, number_label), (Words{"2", "5"}));
    EXPECT_GT(between.place(3), 0);
    EXPECT_LT(between.place(3), 1);
}

TEST(Axis, linear_ticks_begin_at_0) {
    EXPECT_EQ(labels(Axis(Scale::linear, 0.2, 0.96), percent_label),
              (Words{"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"}));
    EXPECT_EQ(labels(Axis(Scale::linear, 0, 0), number_label), (Words{"0", "1"}));
    EXPECT_DOUBLE_EQ(Axis(Scale::linear, 0, 8).place(4), 0.5);
}

TEST(Axis, places_of_powers_are_equally_far_apart) {
    const Axis axis(Scale::logarithmic, 1, 100);
    EXPECT_DOUBLE_EQ(axis.place(1), 0);
    EXPECT_DOUBLE_EQ(axis.place(10), 0.5);
    EXPECT_DOUBLE_EQ(axis.place(100), 1);
    for (const double minor : axis.minor_ticks()) {
        EXPECT_GT(axis.place(minor), 0);
        EXPECT_LT(axis.place(minor), 1);
    }
}

TEST(Axis, labels_have_units) {
    EXPECT_EQ(seconds_label(0.5), "500 ms");
    EXPECT_EQ(seconds_label(0), "0");
    EXPECT_EQ(number_label(20'000), "20,000");
    EXPECT_EQ(number_label(0.5), "0.5");
    EXPECT_EQ(metric_label(2.5e10, "B/s"), "25 GB/s");
    EXPECT_EQ(metric_label(8.96e12, "flop/s"), "8.96 Tflop/s");
    EXPECT_EQ(metric_label(5, "B"), "5 B");
}

} // namespace planc::report

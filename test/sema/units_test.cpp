#include "sema/values/units.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

void expect_unit(const char *word, Measure measure, double factor) {
    const std::optional<Unit> unit = parse_unit(word);
    ASSERT_TRUE(unit) << word;
    EXPECT_EQ(unit->measure, measure) << word;
    EXPECT_DOUBLE_EQ(unit->factor, factor) << word;
}

TEST(Units, Known) { // L6
    expect_unit("ns", Measure::time, 1e-9);
    expect_unit("s", Measure::time, 1);
    expect_unit("KB", Measure::memory, 1e3);
    expect_unit("GiB", Measure::memory, 1073741824);
    expect_unit("GB/s", Measure::bandwidth, 1e9);
    expect_unit("MiB/s", Measure::bandwidth, 1048576);
    expect_unit("Gbit/s", Measure::bandwidth, 1.25e8);
    expect_unit("bit/s", Measure::bandwidth, 0.125);
    expect_unit("flop/s", Measure::rate, 1);
    expect_unit("Pflop/s", Measure::rate, 1e15);
    expect_unit("%", Measure::share, 0.01);
}

TEST(Units, Unknown) {
    for (const char *word : {"", "/s", "us/s", "%/s", "GB/s/s", "gb", "flops", "Gbit/s/s"})
        EXPECT_FALSE(parse_unit(word)) << word;
}

TEST(Units, EveryWordIsAUnit) {
    for (const std::string &word : unit_words())
        EXPECT_TRUE(parse_unit(word)) << word;
}

} // namespace
} // namespace planc::sema

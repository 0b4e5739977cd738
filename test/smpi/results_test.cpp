// What a simulation has written, and how it is shown.
#include "smpi/results.h"

#include <gtest/gtest.h>

using planc::smpi::read_results;
using planc::smpi::Results;

namespace {

constexpr const char *good = R"({
  "work": [{"layer": "h1", "seconds": 2e-6}, {"layer": "h2", "seconds": 1e-6}],
  "collectives": [
    {"kind": "all-reduce", "layer": "h1", "phase": "forward", "tensor": "h1", "predicted": 3e-6, "simulated": 2e-6},
    {"kind": "all-reduce", "layer": "h1, h2", "phase": "weight gradient", "tensor": "w", "predicted": 1e-6,
     "simulated": 1e-6}],
  "step": 5e-6})";

std::string error(const std::string &json) {
    const auto read = read_results(json);
    return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "";
}

} // namespace

TEST(Results, AreShownByLayerAndInTotal) {
    const auto read = read_results(good);
    ASSERT_TRUE(std::holds_alternative<Results>(read));
    EXPECT_EQ(planc::smpi::text_report(std::get<Results>(read), {"two layers", planc::smpi::Seconds(4e-6)}),
              "two layers\n"
              "\n"
              "        computation  communication:  predicted  simulated   off by\n"
              "h1          2.00 us                    3.00 us    2.00 us  +50.0 %\n"
              "h2          1.00 us\n"
              "h1, h2                                 1.00 us    1.00 us   +0.0 %\n"
              "total       3.00 us                    4.00 us    3.00 us  +33.3 %\n"
              "\n"
              "step as it is scheduled: 4.00 us predicted, 5.00 us simulated, off by -20.0 %\n");
}

TEST(Results, SayWhatIsMissing) {
    EXPECT_EQ(error(good), "");
    EXPECT_EQ(error("[]"), "expected object when parsing results");
    EXPECT_EQ(error(R"({"work": [], "step": 1})"), "expected array at results.collectives");
    EXPECT_EQ(error(R"({"work": [{"layer": "h1"}], "collectives": [], "step": 1})"),
              "missing value at results.work[0].seconds");
    EXPECT_EQ(error(R"({"work": [], "collectives": []})"), "missing value at results.step");
    EXPECT_NE(error("{"), "");
}

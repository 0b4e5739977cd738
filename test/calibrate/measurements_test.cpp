#include "calibrate/measurements.h"

#include <gtest/gtest.h>

namespace planc::calibrate {
namespace {

std::string with(const std::string &measurement) {
    return R"({"ranks": 2, "avx512": false, "measurements": [)" + measurement + "]}";
}

std::string error(const std::string &json) {
    const auto read = read_measurements(json);
    const auto *wrong = std::get_if<std::string>(&read);
    return wrong == nullptr ? "" : *wrong;
}

TEST(Measurements, AreRead) {
    const auto read =
        read_measurements(with(R"({"kernel": "product", "shape": [2, 3, 4], "seconds": 1e-6, "spread": 0.25})"));
    ASSERT_TRUE(std::holds_alternative<Measurements>(read));
    const auto &measurements = std::get<Measurements>(read);
    EXPECT_EQ(measurements.ranks, 2);
    EXPECT_FALSE(measurements.avx512);
    ASSERT_EQ(measurements.of("product").size(), 1U);
    const Measurement product = measurements.of("product")[0];
    EXPECT_EQ(product.shape, (std::vector<std::int64_t>{2, 3, 4}));
    EXPECT_EQ(product.seconds, 1e-6);
    EXPECT_EQ(product.spread, 0.25);
    EXPECT_TRUE(measurements.of("update").empty());
}

TEST(Measurements, SayWhatIsWrong) {
    EXPECT_NE(error("{"), "");
    EXPECT_EQ(error("[]"), "it needs 'ranks', 'avx512' and 'measurements'");
    EXPECT_EQ(error(R"({"ranks": 0, "avx512": true, "measurements": []})"),
              "it needs 'ranks', 'avx512' and 'measurements'");
    EXPECT_EQ(error(with("3")), "measurement 1 is not an object");
    EXPECT_EQ(error(with(R"({"kernel": "fft", "shape": [1], "seconds": 1, "spread": 0})")),
              "measurement 1 names an unknown kernel");
    EXPECT_EQ(error(with(R"({"kernel": "update", "shape": [1, 2], "seconds": 1, "spread": 0})")),
              "measurement 1 needs a shape of 1 numbers");
    EXPECT_EQ(error(with(R"({"kernel": "update", "shape": [-1], "seconds": 1, "spread": 0})")),
              "measurement 1 has a shape with an entry that is not a number above 0");
    EXPECT_EQ(error(with(R"({"kernel": "update", "shape": [1], "seconds": 0, "spread": 0})")),
              "measurement 1 needs 'seconds' above 0 and a 'spread'");
}

} // namespace
} // namespace planc::calibrate

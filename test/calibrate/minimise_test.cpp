#include "calibrate/minimise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::calibrate {
namespace {

TEST(Minimise, FindsTheLeastOfAValleyThatLiesAskew) {
    const auto valley = [](const std::vector<double> &p) {
        const double along = std::log(p[0] * p[1]) - std::log(6);
        const double across = std::log(p[0] / p[1]) - std::log(1.5);
        return along * along + 100 * across * across;
    };
    std::vector<double> p{1000, 1e-3};
    EXPECT_LT(minimise(p, valley), 1e-5);
    EXPECT_NEAR(p[0], 3, 0.01);
    EXPECT_NEAR(p[1], 2, 0.01);
}

TEST(Minimise, ReturnsTheFunctionAtWhatItFound) {
    const auto function = [](const std::vector<double> &p) { return 1 + std::abs(std::log(p[0] / 7)); };
    std::vector<double> p{1};
    const double least = minimise(p, function);
    EXPECT_EQ(least, function(p));
    EXPECT_NEAR(p[0], 7, 0.01);
}

} // namespace
} // namespace planc::calibrate

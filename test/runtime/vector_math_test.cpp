#include <planrt/vector_math.h>

#include <gtest/gtest.h>

namespace planrt {

namespace {

TEST(VectorMath, ExponentialIsWithinTwoUnits) {
    for (float x = -87.3F; x < 88.7F; x += 0.0137F) {
        const double wanted = std::exp(static_cast<double>(x));
        const auto nearest = static_cast<float>(wanted);
        const double unit = static_cast<double>(std::nextafter(nearest, std::numeric_limits<float>::infinity())) -
                            static_cast<double>(nearest);
        EXPECT_LE(std::fabs(static_cast<double>(planrt::exp(x)) - wanted), 2 * unit) << x;
    }
}

TEST(VectorMath, ExponentialAtTheEnds) {
    EXPECT_EQ(planrt::exp(0.0F), 1.0F);
    EXPECT_EQ(planrt::exp(-1e30F), 0.0F);
    EXPECT_EQ(planrt::exp(-std::numeric_limits<float>::infinity()), 0.0F);
    EXPECT_EQ(planrt::exp(89.0F), std::numeric_limits<float>::infinity());
    EXPECT_EQ(planrt::exp(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(planrt::exp(std::numeric_limits<float>::quiet_NaN())));
}

TEST(VectorMath, SlopeOfGelu) {
    for (float x = -12.0F; x < 12.0F; x += 0.00137F)
        EXPECT_NEAR(planrt::gelu_slope(x), planrt::gelu_slope(static_cast<double>(x)), 2.5e-7) << x;
    EXPECT_EQ(planrt::gelu_slope(0.0F), 0.5F);
    EXPECT_EQ(planrt::gelu_slope(-100.0F), 0.0F);
    EXPECT_EQ(planrt::gelu_slope(100.0F), 1.0F);
    EXPECT_TRUE(std::isnan(planrt::gelu_slope(std::numeric_limits<float>::quiet_NaN())));
}

} // namespace

} // namespace planrt

#include "support/diagnostics.h"

#include <gtest/gtest.h>

namespace planc::support {
namespace {

TEST(Nearest, finds_slips_of_the_finger) {
    const std::vector<std::string> names = {"hidden", "batch", "pixel"};
    EXPECT_EQ(nearest("hiden", names), "hidden");
    EXPECT_EQ(nearest("bacth", names), "batch");
    EXPECT_EQ(nearest("pixels", names), "pixel");
}

TEST(Nearest, finds_nothing_that_is_far) {
    EXPECT_EQ(nearest("channel", {"hidden", "batch"}), "");
    EXPECT_EQ(nearest("x", {"y", "z"}), "");
    EXPECT_EQ(nearest("hidden", {}), "");
    EXPECT_EQ(nearest(std::string(100000, 'a'), {"hidden"}), "");
}

TEST(Nearest, prefers_the_first_of_equals) {
    EXPECT_EQ(nearest("rot", {"row", "rob"}), "row");
}

} // namespace
} // namespace planc::support

#include "ir/subscripts.h"

#include <gtest/gtest.h>

namespace planc::ir {

TEST(Subscripts, are_read_and_written) {
    const auto subscripts = parse_subscripts("batch hidden', hidden' hidden -> batch hidden");
    ASSERT_TRUE(subscripts);
    EXPECT_EQ(subscripts->operands,
              (std::vector<std::vector<std::string>>{{"batch", "hidden'"}, {"hidden'", "hidden"}}));
    EXPECT_EQ(subscripts->result, (std::vector<std::string>{"batch", "hidden"}));
    EXPECT_EQ(subscripts->loops(), (std::vector<std::string>{"batch", "hidden'", "hidden"}));
    EXPECT_EQ(subscripts->text(), "batch hidden', hidden' hidden -> batch hidden");
}

TEST(Subscripts, scalars_have_none) {
    const auto subscripts = parse_subscripts(", a -> ");
    ASSERT_TRUE(subscripts);
    EXPECT_EQ(subscripts->operands, (std::vector<std::vector<std::string>>{{}, {"a"}}));
    EXPECT_TRUE(subscripts->result.empty());
    EXPECT_FALSE(parse_subscripts("a b"));
}

} // namespace planc::ir

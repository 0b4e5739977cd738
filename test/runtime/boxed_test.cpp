#include <planrt/boxed.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace planrt {
namespace {

TEST(Boxed, IsEmptyOrHasAValueOfItsOwn) {
    Boxed<std::string> none;
    EXPECT_FALSE(none);
    EXPECT_EQ(none, std::nullopt);
    Boxed<std::string> one = std::string("one");
    ASSERT_TRUE(one.has_value());
    EXPECT_EQ(*one, "one");
    EXPECT_NE(one, none);

    Boxed<std::string> copy = one;
    EXPECT_EQ(copy, one);
    *copy = "two";
    EXPECT_EQ(*one, "one");
    EXPECT_NE(copy, one);
    one = copy;
    copy->push_back('!');
    EXPECT_EQ(*one, "two");
    const Boxed<std::string> &same = one;
    one = same;
    EXPECT_EQ(*one, "two");
    one = none;
    EXPECT_FALSE(one);
    one = std::move(copy);
    EXPECT_EQ(*one, "two!");
    one.reset();
    EXPECT_EQ(one, none);
}

TEST(Boxed, ComesFromAnOptional) {
    EXPECT_EQ(*Boxed<int>(std::optional(3)), 3);
    EXPECT_FALSE(Boxed<int>(std::optional<int>()));
    EXPECT_EQ(std::optional(3), Boxed<int>(3));
    EXPECT_EQ(Boxed<int>(), std::optional<int>());
    EXPECT_EQ(std::optional<int>(), Boxed<int>());
    EXPECT_NE(Boxed<int>(3), std::optional<int>());
}

TEST(Boxed, TakesAPointer) {
    struct Large {
        char bytes[100] = {};
    };
    EXPECT_EQ(sizeof(Boxed<Large>), sizeof(void *));
}

} // namespace
} // namespace planrt

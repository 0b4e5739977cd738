// Inputs of extreme size and depth: one clear error, in bounded time, without deep recursion (L1, L5, L9).
#include "parsed.h"

#include <gtest/gtest.h>

#include <chrono>

namespace planc::syntax {
namespace {

std::string repeat(const std::string &text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

TEST(Limits, depth_l9) {
    const int deep = 20000;
    const std::string message = "more than 200 levels of nesting or operators in a row";
    for (const std::string &text :
         {"dim a = " + repeat("(", deep) + "1" + repeat(")", deep), "dim a = " + repeat("[", deep),
          "dim a = " + repeat("-", deep) + "1", "dim a = " + repeat("not ", deep) + "1",
          "dim a = 1" + repeat("+1", deep), "dim a = 1" + repeat("..1", deep), "dim a = " + repeat("f(", deep),
          "dim a = " + repeat("if b { 1 } else ", deep) + "{ 2 }", "layout l on g { " + repeat("a { ", deep),
          "network f() -> [] { " + repeat("if a { ", deep),
          "network f() -> [] { " + repeat("if a { } else ", deep) + "{ } }",
          "network f() -> [] { " + repeat("x = fold y = 1 for i in 1 { ", deep)})
        EXPECT_NE(Parsed(text).error().find(message), std::string::npos) << text.substr(0, 60) << Parsed(text).error();
}

TEST(Limits, what_is_not_too_deep_parses_l9) {
    EXPECT_EQ(ParsedExpression(repeat("(", 190) + "1" + repeat(")", 190)).error(), "");
    EXPECT_EQ(ParsedExpression("1" + repeat(" + 1", 190)).error(), "");
    EXPECT_EQ(Parsed("layout l on g { " + repeat("a { ", 190) + repeat(" }", 191)).error(), "");
}

TEST(Limits, size_l1) {
    EXPECT_EQ(Parsed(std::string((1 << 20) + 1, ' ')).error(),
              "1:1: the file is larger than 1 MiB, the limit of a .plan file");
    EXPECT_EQ(Parsed(std::string(1 << 20, ' ')).error(), "");
}

TEST(Limits, numbers_l5) {
    for (const std::string text : {"9223372036854775808", "1e999", "99999999999999999999999999999999999"})
        EXPECT_EQ(ParsedExpression(text).error(), "1:9: the number " + text + " does not fit into 64 bits");
    EXPECT_EQ(ParsedExpression(repeat("9", 1000)).error(),
              "1:9: the number " + repeat("9", 40) + "… does not fit into 64 bits");
}

TEST(Limits, time_of_a_large_file) {
    const std::string text = repeat("dim a = f(x, 1 + 2 * 3, [b: 4]) // comment\n", 4000);
    const auto start = std::chrono::steady_clock::now();
    const Parsed parsed(text);
    EXPECT_EQ(parsed.file->declarations.size(), 4000U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

} // namespace
} // namespace planc::syntax

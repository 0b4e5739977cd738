#include "emit/names/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace planc::emit {

namespace {

TEST(StringLiteral, EscapesEverything) {
    EXPECT_EQ(string_literal("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(string_literal("line\nnext\x01"
                             "7"),
              R"("line\012next\0017")");
    EXPECT_EQ(string_literal("what?!"), R"("what\?!")");
    EXPECT_EQ(string_literal("größe"), "\"größe\"");
}

TEST(Comment, StaysOnItsLine) {
    EXPECT_EQ(comment("a\nb"), "a b");
    EXPECT_EQ(comment("C:\\"), "C:\\ .");
    EXPECT_EQ(comment("x  "), "x");
}

TEST(Number, ReadsBackTheSame) {
    EXPECT_EQ(number(0.1), "0.1");
    EXPECT_EQ(number(3), "3.0");
    EXPECT_EQ(number(1e-8), "1e-08");
    for (const double value : {1.0 / 3, 1e300, -0.0, std::numeric_limits<double>::min()})
        EXPECT_EQ(std::stod(number(value)), value);
}

TEST(BrokenLines, BreaksAfterCommasAndBeforeOperators) {
    const std::string name(50, 'x');
    EXPECT_EQ(broken_lines("    f(" + name + ", " + name + ", " + name + ");\n"),
              "    f(" + name + ", " + name + ",\n        " + name + ");\n");
    EXPECT_EQ(broken_lines("a = " + name + " + " + name + " + " + name + ";\n"),
              "a = " + name + " + " + name + "\n    + " + name + ";\n");
    EXPECT_EQ(broken_lines("// " + name + ", " + name + ", " + name + "\n"),
              "// " + name + ", " + name + ",\n//   " + name + "\n");
    EXPECT_EQ(broken_lines("short\n\n"), "short\n\n");
    const std::string quoted = "f(\"" + name + ", " + name + "\", " + name + ");\n";
    EXPECT_EQ(broken_lines(quoted), "f(\"" + name + ", " + name + "\",\n    " + name + ");\n");
    EXPECT_EQ(broken_lines("  #pragma omp simd reduction(+ : " + name + ") reduction(+ : " + name + ")\n"),
              "  #pragma omp simd reduction(+ : " + name + ") \\\n      reduction(+ : " + name + ")\n");
    const std::string whole(200, 'x');
    EXPECT_EQ(broken_lines(whole + "\n"), whole + "\n");
}

TEST(Wrapped, IndentsContinuations) {
    const std::string name(60, 'x');
    EXPECT_EQ(wrapped("f(", {name, name}, ");", 2), "f(" + name + ",\n  " + name + ");");
    EXPECT_EQ(wrapped("f(", {}, ");", 2), "f();");
}

} // namespace

} // namespace planc::emit

#include "parsed.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

TEST(PrintAst, shows_kinds_and_names) {
    const Parsed good("layer f(x: [.., in], n: int = 2) -> [in: 4] {\n"
                      "    param w: f64[..over] = zeros\n"
                      "    y = einsum(x, w -> [in], k = not true)\n"
                      "    return -y\n"
                      "}\n"
                      "layout l on g = auto { batch -> [r, c]; fc* { a -> none }; memory <= 8 GiB }");
    ASSERT_EQ(good.error(), "");
    EXPECT_EQ(print_ast(*good.file), "file\n"
                                     "  layer f\n"
                                     "    parameter x\n"
                                     "      tensor\n"
                                     "        dimensions ..\n"
                                     "        dimension in\n"
                                     "    parameter n\n"
                                     "      kind int\n"
                                     "      default\n"
                                     "        number 2\n"
                                     "    tensor\n"
                                     "      dimension in\n"
                                     "        extent\n"
                                     "          number 4\n"
                                     "    body\n"
                                     "      param w\n"
                                     "        tensor f64\n"
                                     "          dimensions ..over\n"
                                     "        reference zeros\n"
                                     "      binding y\n"
                                     "        call einsum\n"
                                     "          reference x\n"
                                     "          from\n"
                                     "            reference w\n"
                                     "          to\n"
                                     "            list\n"
                                     "              reference in\n"
                                     "          named k\n"
                                     "            not\n"
                                     "              true\n"
                                     "      return\n"
                                     "        negate\n"
                                     "          reference y\n"
                                     "  layout l on g = auto\n"
                                     "    rule batch -> r c\n"
                                     "    select fc*\n"
                                     "      rule a -> none\n"
                                     "    limit memory\n"
                                     "      number 8 GiB\n");
}

TEST(PrintAst, tells_trees_apart) {
    const auto dump = [](const std::string &text) { return print_ast(*Parsed(text).file); };
    EXPECT_NE(dump("dim a = b - c - d"), dump("dim a = b - (c - d)"));
    EXPECT_NE(dump("dim a = f(b: 1)"), dump("dim a = f(b = 1)"));
    EXPECT_NE(dump("mesh a = [b]"), dump("mesh a = [b: 1]"));
    EXPECT_NE(dump("layout a on b { c -> d }"), dump("layout a on b { c -> none }"));
    EXPECT_EQ(dump("dim a = (1)"), dump("dim  a =\t1"));
}

TEST(PrintAst, shows_several_values_x9) {
    const Parsed parsed("layer f(x: [in]) -> ([in], [in]) {\n"
                        "    h, c = g(x)\n"
                        "    s = fold (a, b) = (h, c) for i in t { yield (b, a) }\n"
                        "    return (s[0], c)\n"
                        "}");
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(print_ast(*parsed.file), "file\n"
                                       "  layer f\n"
                                       "    parameter x\n"
                                       "      tensor\n"
                                       "        dimension in\n"
                                       "    tensor\n"
                                       "      dimension in\n"
                                       "    tensor\n"
                                       "      dimension in\n"
                                       "    body\n"
                                       "      binding h c\n"
                                       "        call g\n"
                                       "          reference x\n"
                                       "      binding s\n"
                                       "        fold a b\n"
                                       "          tuple\n"
                                       "            reference h\n"
                                       "            reference c\n"
                                       "        for i\n"
                                       "          reference t\n"
                                       "        body\n"
                                       "          yield\n"
                                       "            tuple\n"
                                       "              reference b\n"
                                       "              reference a\n"
                                       "      return\n"
                                       "        tuple\n"
                                       "          index\n"
                                       "            reference s\n"
                                       "            number 0\n"
                                       "          reference c\n");
}

TEST(PrintAst, shows_shared_layers_and_remainders) { // N8, L6
    const Parsed parsed("layer f(x: [in]) -> [in] {\n"
                        "    shared shared = dense(8 % 3, y = 80%)\n"
                        "    return shared(x % 8)\n"
                        "}");
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(print_ast(*parsed.file), "file\n"
                                       "  layer f\n"
                                       "    parameter x\n"
                                       "      tensor\n"
                                       "        dimension in\n"
                                       "    tensor\n"
                                       "      dimension in\n"
                                       "    body\n"
                                       "      shared shared\n"
                                       "        call dense\n"
                                       "          binary %\n"
                                       "            number 8\n"
                                       "            number 3\n"
                                       "          named y\n"
                                       "            number 80 %\n"
                                       "      return\n"
                                       "        call shared\n"
                                       "          binary %\n"
                                       "            reference x\n"
                                       "            number 8\n");
}

} // namespace
} // namespace planc::syntax

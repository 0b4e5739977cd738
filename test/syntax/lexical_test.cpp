// Chapter L of grammar/reference.md.
#include "parsed.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

TEST(Lexical, an_empty_file_is_fine) {
    for (const char *text : {"", "\n", "// only\n", ";;\n;", "\xef\xbb\xbf", "\r\n"}) {
        const Parsed parsed(text);
        EXPECT_EQ(parsed.error(), "");
        EXPECT_TRUE(parsed.file->declarations.empty());
    }
}

TEST(Lexical, byte_order_mark_and_line_ends_l1) { // L1
    const Parsed parsed("\xef\xbb\xbf"
                        "dim a = 3\r\ndim b = 4\rdim c = 5\n");
    ASSERT_EQ(parsed.error(), "");
    ASSERT_EQ(parsed.file->declarations.size(), 3U);
    EXPECT_EQ(parsed.text(std::get<DimensionDeclaration>(parsed.file->declarations[1]).name.where), "b");
}

TEST(Lexical, ranges_are_bytes_behind_other_characters_l1) { // L1
    const Parsed parsed("import \"é€😀\" // ü\ndim a = 3");
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.only<Import>().path, "é€😀");
    EXPECT_EQ(parsed.text(std::get<DimensionDeclaration>(parsed.file->declarations[1]).where), "dim a = 3");
    EXPECT_EQ(parsed.text(parsed.file->comments.at(0).where), "// ü");
}

TEST(Lexical, comments_are_kept_with_their_place_l2) { // L2
    const Parsed parsed("// one  \ndim a = 3 // two\n  // three");
    ASSERT_EQ(parsed.file->comments.size(), 3U);
    EXPECT_EQ(parsed.text(parsed.file->comments[0].where), "// one");
    EXPECT_TRUE(parsed.file->comments[0].own_line);
    EXPECT_FALSE(parsed.file->comments[1].own_line);
    EXPECT_TRUE(parsed.file->comments[2].own_line);
}

TEST(Lexical, line_ends_that_do_not_separate_l3) { // L3
    for (const char *text :
         {"dim a = (1\n+ 2\n)", "dim a = 1\n+ 2", "dim a = 1 +\n2", "dim a = 2\n* 3", "dim a = f(\n1,\n2,\n)",
          "dim a = if b\n{\n1\n}\nelse\n{ 2 }", "dim a = fold x = 1\nfor i in b\n{ yield 1 }",
          "network f(x: f32[a])\n-> f32[a]\n{ return x }", "mesh g = [\na,\nb\n]",
          "data d = f() { split = train 1,\ntest 2 }"}) {
        const Parsed parsed(text);
        EXPECT_EQ(parsed.error(), "") << text;
        EXPECT_EQ(parsed.file->declarations.size(), 1U) << text;
    }
}

TEST(Lexical, separators_l3) { // L3
    const Parsed parsed(";dim a = 1;;\n;dim b = 2;\n\ndim c = 3;");
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.file->declarations.size(), 3U);
    const Parsed layout("layout l on g {\n    a -> b\n    * { c -> d };\n    *x { c -> d }\n}");
    ASSERT_EQ(layout.error(), "");
    EXPECT_EQ(layout.only<LayoutDeclaration>().items.size(), 3U);
}

TEST(Lexical, words_are_names_elsewhere_l4) { // L4
    for (const std::string word :
         {"import", "dim", "network", "layer", "data", "machine", "mesh",     "layout", "train",  "param", "state",
          "as",     "in",  "on",      "auto",  "none", "store",   "pipeline", "cut",    "before", "after", "forbid"}) {
        const std::string text = "dim " + word + " = f(" + word + ", " + word + " = [" + word + ": 1])\n" + "mesh " +
                                 word + " on " + word + " = [" + word + "]\n" + "layout " + word + " on " + word +
                                 " { " + word + " -> [" + word + "]; " + word + " { " + word + " -> " + word +
                                 " } }\n" + "network " + word + "(" + word + ": " + word + "[" + word + "]) -> f32[" +
                                 word + "] {\n" + word + " = " + word + "\n}\nmachine " + word + " { " + word + " = " +
                                 word + " }";
        EXPECT_EQ(Parsed(text).error(), "") << word;
    }
}

TEST(Lexical, reserved_words_are_no_names_l4) { // L4
    for (const std::string word : {"if", "else", "fold", "for", "return", "yield", "and", "or", "not", "true", "false"})
        EXPECT_EQ(Parsed("dim " + word + " = 1").error(),
                  "1:5: expected a name after 'dim', got the reserved word '" + word + "'");
}

TEST(Lexical, numbers_l5) {
    EXPECT_EQ(ParsedExpression("9223372036854775807").as<Number>().integer, INT64_MAX);
    EXPECT_FALSE(ParsedExpression("1e-3").as<Number>().integral);
    EXPECT_EQ(ParsedExpression("1.5e2").as<Number>().value, 150);
    EXPECT_EQ(ParsedExpression("3").as<Number>().value, 3);
    EXPECT_TRUE(std::holds_alternative<Range>(ParsedExpression("0..64").expression().node));
}

TEST(Lexical, units_l6) {
    const auto unit = [](const std::string &text) { return ParsedExpression(text).as<Number>().unit->text; };
    EXPECT_EQ(unit("0.5 us"), "us");
    EXPECT_EQ(unit("8GiB"), "GiB");
    EXPECT_EQ(unit("200 Gbit/s"), "Gbit/s");
    EXPECT_EQ(unit("200 Gbit / s"), "Gbit/s");
    EXPECT_EQ(unit("80%"), "%");
    EXPECT_EQ(unit("3 parsec"), "parsec");
    EXPECT_TRUE(std::holds_alternative<Binary>(ParsedExpression("8 GiB / t").expression().node));
    EXPECT_FALSE(Parsed("dim a = 3\nb = 4").error().empty()); // not the unit b
}

TEST(Lexical, strings_l7) {
    EXPECT_EQ(ParsedExpression(R"("a\"b\\c\n\t// no comment")").as<String>().value, "a\"b\\c\n\t// no comment");
}

TEST(Lexical, a_comma_may_end_a_list_l3) { // L3
    EXPECT_EQ(ParsedExpression("f([a, b,], c,)").error(), "");
    EXPECT_NE(ParsedExpression("f(,)").error(), "");
    EXPECT_NE(ParsedExpression("f(a,,)").error(), "");
}

} // namespace
} // namespace planc::syntax

#include "parsed.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

std::string formatted(const std::string &text) {
    const Parsed parsed(text);
    EXPECT_EQ(parsed.error(), "") << text;
    return parsed.file ? parsed.formatted() : "";
}

TEST(Format, spaces_and_line_ends) {
    EXPECT_EQ(formatted("dim  a=3 ;dim b=(1+2)*-c\r\n"), "dim a = 3\ndim b = (1 + 2) * -c\n");
    EXPECT_EQ(formatted("dim a=f( x,y:3,k=[1,..,..n],w->[..] )"), "dim a = f(x, y: 3, k = [1, .., ..n], w -> [..])\n");
}

TEST(Format, bodies_stay_on_their_line_if_they_were) {
    EXPECT_EQ(formatted("layout a on b{c->d;e->[f,g]}"), "layout a on b { c -> d; e -> [f, g] }\n");
    EXPECT_EQ(formatted("layout a on b{c->d;\ne->none}"), "layout a on b {\n    c -> d\n    e -> none\n}\n");
    EXPECT_EQ(formatted("layout a on b {\n}"), "layout a on b {}\n");
}

TEST(Format, blank_lines_single_and_only_between) {
    EXPECT_EQ(formatted("\n\ndim a = 1\n\n\n\ndim b = 2\ndim c = 3\n\n"), "dim a = 1\n\ndim b = 2\ndim c = 3\n");
    EXPECT_EQ(formatted("machine m {\n\n    a = 1\n\n\n    b = 2\n\n}"), "machine m {\n    a = 1\n\n    b = 2\n}\n");
}

TEST(Format, comments_stay_where_they_are) {
    EXPECT_EQ(formatted("// a\n\n// b\ndim a = 1 // c\n// d"), "// a\n\n// b\ndim a = 1  // c\n// d\n");
    EXPECT_EQ(formatted("machine m { // a\n// b\nx = 1 // c\n\n// d\n} // e"),
              "machine m {  // a\n    // b\n    x = 1  // c\n\n    // d\n}  // e\n");
}

TEST(Format, comments_in_lists_break_them) {
    EXPECT_EQ(formatted("dim a = f(x, // one\ny\n// two\n)"), "dim a = f(\n    x,  // one\n    y,\n    // two\n)\n");
    EXPECT_EQ(formatted("dim a = [ // one\n]"), "dim a = [\n    // one\n]\n");
}

TEST(Format, comments_where_none_can_stand_go_above) {
    EXPECT_EQ(formatted("dim a = 1 + // one\n2 // two"), "// one\ndim a = 1 + 2  // two\n");
}

TEST(Format, long_lines_are_broken) {
    const std::string word(50, 'w');
    EXPECT_EQ(formatted("dim a = f(" + word + ", " + word + ", " + word + ")"),
              "dim a = f(\n    " + word + ",\n    " + word + ",\n    " + word + ",\n)\n");
    EXPECT_EQ(formatted("dim a = " + word + " + " + word + " + " + word),
              "dim a = " + word + " + " + word + " +\n    " + word + "\n");
    EXPECT_EQ(formatted("layout a on b { " + word + " -> c; " + word + " -> d; e -> f; gggggggggggg -> h }"),
              "layout a on b {\n    " + word + " -> c\n    " + word + " -> d\n    e -> f\n    gggggggggggg -> h\n}\n");
}

TEST(Format, lines_break_before_a_remainder) { // L6
    const std::string number(60, '7');
    const std::string text = "dim a = b" + number + " % 5 % -3 % c" + number + "\n";
    const std::string once = formatted(text);
    EXPECT_EQ(once, "dim a = b" + number + " % 5 % -3\n    % c" + number + "\n");
    EXPECT_EQ(formatted(once), once);
    EXPECT_EQ(formatted("dim a = f(8%, 8 %, 8%-x, 8 % -x, 8%x, 8 % (x), x%8)\n"),
              "dim a = f(8%, 8%, 8% - x, 8 % -x, 8 % x, 8 % (x), x % 8)\n");
}

TEST(Format, long_bodies_break_before_what_stands_in_front_of_them) {
    const std::string word(50, 'w');
    EXPECT_EQ(formatted("data d = csv(\"a\") { " + word + " = column(1); " + word + "2 = column(2) }"),
              "data d = csv(\"a\") {\n    " + word + "  = column(1)\n    " + word + "2 = column(2)\n}\n");
    EXPECT_EQ(formatted("dim a = f([b, c], fold x = y for i in z { " + word + " = " + word + "; yield x })"),
              "dim a = f(\n    [b, c],\n    fold x = y for i in z {\n        " + word + " = " + word +
                  "\n        yield x\n    },\n)\n");
}

TEST(Format, strings_numbers_and_units) {
    EXPECT_EQ(formatted("import \"a\\\"\\\\\\n\\t\""), "import \"a\\\"\\\\\\n\\t\"\n");
    EXPECT_EQ(formatted("machine m { a = 8GiB; b = 1 Gbit / s; c = 80 %; d = 1e-3us }"),
              "machine m { a = 8 GiB; b = 1 Gbit/s; c = 80%; d = 1e-3 us }\n");
}

TEST(Format, groups_and_recompute) {
    EXPECT_EQ(formatted("layout a on b{recompute;c*{recompute}}"), "layout a on b { recompute; c* { recompute } }\n");
    EXPECT_EQ(formatted("train a on b{\noptimizer=sgd(1){*.b{c=0};d{e=1}}\nseed=1}"),
              "train a on b {\n    optimizer = sgd(1) { *.b { c = 0 }; d { e = 1 } }\n    seed      = 1\n}\n");
    EXPECT_EQ(formatted("train a on b{\nc=sgd(1){// one\n*.b{c=0} // two\n}\n}"),
              "train a on b {\n    c = sgd(1) {  // one\n        *.b { c = 0 }  // two\n    }\n}\n");
}

TEST(Format, schedules) {
    EXPECT_EQ(formatted("layout a on b{pipeline->c{schedule=table{0 :F0 B0 . 1;1:F0.0   B0}}}"),
              "layout a on b { pipeline -> c { schedule = table { 0: F0 B0.1; 1: F0.0 B0 } } }\n");
    EXPECT_EQ(formatted("layout a on b {\npipeline -> c {\nschedule=table{ // one\n0:F0\n1:F0 // two\n}\n}\n}"),
              "layout a on b {\n    pipeline -> c {\n        schedule = table {  // one\n            0: F0\n"
              "            1: F0  // two\n        }\n    }\n}\n");
}

TEST(Format, an_empty_file) {
    EXPECT_EQ(formatted(""), "");
    EXPECT_EQ(formatted("\n;\n"), "");
}

TEST(Format, is_idempotent_and_keeps_tree_and_comments) {
    const auto files = plan_files();
    EXPECT_GE(files.size(), 10U);
    for (const auto &path : files) {
        const Parsed before(read(path));
        const std::string once = before.formatted();
        const Parsed after(once);
        ASSERT_EQ(after.error(), "") << path << '\n' << once;
        EXPECT_EQ(after.formatted(), once) << path;
        EXPECT_EQ(print_ast(*after.file), print_ast(*before.file)) << path;
        EXPECT_EQ(after.file->comments.size(), before.file->comments.size()) << path;
    }
}

} // namespace
} // namespace planc::syntax

#include "syntax/document.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

Document call() {
    return group("f(" + nest(soft() + "x," + line() + "y" + when_broken(",")) + soft() + ")");
}

TEST(Document, a_group_that_fits_stays_on_its_line) {
    EXPECT_EQ(call().render(7), "f(x, y)\n");
}

TEST(Document, a_group_that_does_not_fit_breaks_all_its_lines) {
    EXPECT_EQ(call().render(6), "f(\n    x,\n    y,\n)\n");
}

TEST(Document, what_follows_a_group_counts) {
    EXPECT_EQ((call() + " {").render(8), "f(\n    x,\n    y,\n) {\n");
}

TEST(Document, comments_do_not_count) {
    EXPECT_EQ((call() + comment("  // z")).render(7), "f(x, y)  // z\n");
}

TEST(Document, a_line_end_breaks_the_groups_around_it) {
    EXPECT_EQ(group("a" + line() + group("b" + hard() + "c")).render(80), "a\nb\nc\n");
}

TEST(Document, an_inner_group_may_fit_where_the_outer_does_not) {
    EXPECT_EQ(group("aaa" + nest(line() + call()) + line() + "b").render(12), "aaa\n    f(x, y)\nb\n");
}

TEST(Document, flat_and_broken_texts) {
    const Document body = group("{" + nest(line() + "a" + when_flat(";") + line() + "b") + line() + "}");
    EXPECT_EQ(body.render(80), "{ a; b }\n");
    EXPECT_EQ(body.render(5), "{\n    a\n    b\n}\n");
}

TEST(Document, no_blanks_at_line_ends) {
    EXPECT_EQ(("a" + nest(blank_line() + "b ")).render(80), "a\n\n    b\n");
}

} // namespace
} // namespace planc::syntax

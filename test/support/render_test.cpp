#include "support/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::support {
namespace {

PLANC_DIAGNOSTIC(render_test_clash, error, "'{0}' clashes with '{1}', {2} and {3}");
PLANC_DIAGNOSTIC(render_test_hint, warning, "odd");

std::string render(const std::string &text, SourceRange where) {
    SourceFiles files;
    where.file = files.add("a.plan", text);
    Diagnostics diagnostics(files);
    diagnostics.report(render_test_hint, where);
    return diagnostics.render();
}

TEST(Render, marks_the_range_below_its_line) { // E1
    EXPECT_EQ(render("one\ntwo three\n", {0, 8, 13}), "a.plan:2:5: warning: odd\n"
                                                      "    two three\n"
                                                      "        ^~~~~\n");
}

TEST(Render, marks_at_least_one_column) {
    EXPECT_EQ(render("one", {0, 3, 3}), "a.plan:1:4: warning: odd\n    one\n       ^\n");
    EXPECT_EQ(render("", {0, 0, 0}), "a.plan:1:1: warning: odd\n    \n    ^\n");
}

TEST(Render, stops_at_the_end_of_the_first_line) {
    EXPECT_EQ(render("one {\n two\n}", {0, 4, 12}), "a.plan:1:5: warning: odd\n    one {\n        ^\n");
}

TEST(Render, widens_tabs_and_counts_characters) {
    EXPECT_EQ(render("\tx\ty", {0, 3, 4}), "a.plan:1:4: warning: odd\n        x   y\n            ^\n");
    EXPECT_EQ(render("é = x", {0, 5, 6}), "a.plan:1:6: warning: odd\n    é = x\n        ^\n");
}

TEST(Render, shows_nothing_that_a_terminal_would_obey) {
    EXPECT_EQ(render("a\x1b[31m\xff", {0, 0, 1}), "a.plan:1:1: warning: odd\n    a?[31m?\n    ^\n");
}

TEST(Render, cuts_a_long_line_around_the_mark) {
    const std::string text = std::string(500, 'a') + "b" + std::string(500, 'c');
    const std::string out = render(text, {0, 500, 501});
    EXPECT_LT(out.size(), 400U);
    const auto line = out.find("    ...");
    const auto marks = out.find('\n', line) + 1;
    EXPECT_EQ(out.find('b', line) - line, out.find('^') - marks);
}

TEST(Render, puts_notes_behind_their_error) {
    SourceFiles files;
    const FileId id = files.add("a.plan", "x = y");
    Diagnostics diagnostics(files);
    diagnostics.report(render_test_clash, {id, 0, 1}, {"x", "y", "{0}"}).note({id, 4, 5}, "this one");
    EXPECT_EQ(diagnostics.render(), "a.plan:1:1: error: 'x' clashes with 'y', {0} and {3}\n"
                                    "    x = y\n"
                                    "    ^\n"
                                    "a.plan:1:5: note: this one\n"
                                    "    x = y\n"
                                    "        ^\n");
    EXPECT_TRUE(diagnostics.failed());
}

TEST(Render, gives_a_note_without_place_that_of_its_error_once) {
    SourceFiles files;
    const FileId id = files.add("a.plan", "x = y");
    Diagnostics diagnostics(files);
    diagnostics.report(render_test_hint, {id, 4, 5}).note({}, "did you mean 'x'?");
    EXPECT_EQ(diagnostics.render(), "a.plan:1:5: warning: odd\n"
                                    "    x = y\n"
                                    "        ^\n"
                                    "a.plan:1:5: note: did you mean 'x'?\n");
}

TEST(Render, has_a_form_for_no_place) {
    SourceFiles files;
    Diagnostics diagnostics(files);
    diagnostics.report(render_test_hint, {});
    EXPECT_EQ(diagnostics.render(), "planc: warning: odd\n");
    EXPECT_FALSE(diagnostics.failed());
}

TEST(Catalogue, is_sorted_and_has_every_kind) {
    const auto &kinds = catalogue();
    const auto by_name = [](const DiagnosticKind *a, const DiagnosticKind *b) {
        return std::string(a->name) < b->name;
    };
    EXPECT_TRUE(std::ranges::is_sorted(kinds, by_name));
    EXPECT_NE(std::ranges::find(kinds, &render_test_clash), kinds.end());
    EXPECT_NE(std::ranges::find(kinds, &render_test_hint), kinds.end());
}

} // namespace
} // namespace planc::support

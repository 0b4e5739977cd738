// One error per file, at its place, in the user's words.
#include "parsed.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

struct Case {
    const char *text;
    const char *error;
};

class SyntaxErrors : public testing::TestWithParam<Case> {};

TEST_P(SyntaxErrors, are_told_once) {
    const Parsed parsed(GetParam().text);
    EXPECT_EQ(parsed.file, nullptr);
    EXPECT_EQ(parsed.error(), GetParam().error) << GetParam().text;
}

constexpr const char *declaration = "a declaration (import, dim, network, layer, data, machine, mesh, layout or train)";
std::string misspelt_in_line(const std::string &line) {
    return line + ":1: expected " + declaration + ", got 'netwrok' | " + line + ":1: did you mean 'network'?";
}
const std::string misspelt = misspelt_in_line("1");
const std::string misspelt_second = misspelt_in_line("2");
const std::string statement_outside = std::string("1:1: expected ") + declaration + ", got 'h1'";
const std::string brace = std::string("2:1: expected ") + declaration + ", got '}'";

INSTANTIATE_TEST_SUITE_P(
    Declarations, SyntaxErrors,
    testing::Values(Case{"netwrok f(x: f32[a]) -> f32[b] {}", misspelt.c_str()},
                    Case{"dim a = 1\nnetwrok f(x: f32[a]) -> f32[b] {}", misspelt_second.c_str()},
                    Case{"h1 = 3", statement_outside.c_str()}, Case{"\n}", brace.c_str()},
                    Case{"dim batch 64", "1:11: expected '=' after 'batch', got '64'"},
                    Case{"dim batch =\ndim b = 3", "1:12: expected an expression after '=', got the end of the line"},
                    Case{"dim batch =", "1:12: expected an expression after '=', got the end of the file"},
                    Case{"dim a = 1 dim b = 2", "1:11: expected the end of the line after '1', got 'dim'"},
                    Case{"import foo", "1:8: expected a string after 'import', got 'foo'"},
                    Case{"train f d {}", "1:9: expected 'on' after 'f', got 'd'"},
                    Case{"machine m", "1:10: expected '{' after 'm', got the end of the file"},
                    Case{"mesh g = 3", "1:10: expected 'auto' or '[' after '=', got '3'"},
                    Case{"mesh g = [rows cols]", "1:16: expected ']' or ',' after 'rows', got 'cols'"},
                    Case{"data d = f() { split = train 80%, test }", "1:40: expected a number after 'test', got '}'"}));

INSTANTIATE_TEST_SUITE_P(
    Statements, SyntaxErrors,
    testing::Values(Case{"network f(x: f32[a]) -> f32[b] {\n    h1 = relu(dense(x)\n    h2 = relu(h1)\n}",
                         "3:5: expected ')' or ',' after ')', got 'h2' | 2:14: to match this '('"},
                    Case{"network f(x: f32[a) -> f32[b] {}",
                         "1:19: expected ']' or ',' after 'a', got ')' | 1:17: to match this '['"},
                    Case{"network f(x: f32[a]) -> f32[b] {\n    h = x\n",
                         "2:10: expected '}' after 'x', got the end of the file | 1:32: to match this '{'"},
                    Case{"network f(x: f32[a]) -> f32[b] { foo bar }", "1:38: expected '=' after 'foo', got 'bar'"},
                    Case{"network f(x: f32[a]) -> f32[b] { h = relu(x)) }",
                         "1:45: expected the end of the line or '}' after ')', got ')'"},
                    Case{"network f(x: f32[a]) -> f32[b] { 3 = x }",
                         "1:34: expected a statement or '}' after '{', got '3'"},
                    Case{"network f(x: f32[a]) -> f32[b] { param w: [a] }", "1:47: expected '=' after ']', got '}'"},
                    Case{"network f(x: f32[a]) -> f32[b] { param 3 }", "1:40: expected a name after 'param', got '3'"},
                    Case{"network f(x: f32[a]) { return x }", "1:22: expected '->' after ')', got '{'"}));

INSTANTIATE_TEST_SUITE_P(
    Expressions, SyntaxErrors,
    testing::Values(Case{"dim a = f(x, y z)", "1:16: expected ')' or ',' after 'y', got 'z'"},
                    Case{"dim a = f(x,,y)", "1:13: expected an expression after ',', got ','"},
                    Case{"dim a = f(,)", "1:11: expected an expression or ')' after '(', got ','"},
                    Case{"dim a = f(1.5 = 3)", "1:11: expected a plain name before '=', got '1.5'"},
                    Case{"dim a = f((x) = 3)", "1:11: expected a plain name before '=', got '(x)'"},
                    Case{"dim a = [1: 3]", "1:10: expected a plain name before ':', got '1'"},
                    Case{"dim a = (1",
                         "1:11: expected ')' or ',' after '1', got the end of the file | 1:9: to match this '('"},
                    Case{"dim a = if b { 1 }", "1:19: expected 'else' after '}', got the end of the file"},
                    Case{"dim a = 3 + for", "1:13: expected an expression after '+', got the reserved word 'for'"},
                    Case{"dim a = \"é\" 3", "1:14: expected the end of the line after \"é\", got '3'"}));

INSTANTIATE_TEST_SUITE_P(
    Layouts, SyntaxErrors,
    testing::Values(
        Case{"layout l on g = auot", "1:17: expected 'auto' after '=', got 'auot'"},
        Case{"layout l on g { batch rows }", "1:23: expected '{', '->', '=' or '<=' after 'batch', got 'rows'"},
        Case{"layout l on g { batch -> }", "1:26: expected a name or '[' after '->', got '}'"},
        Case{"layout l on g { fc* -> rows }", "1:17: expected a plain name before '->', got 'fc*'"},
        Case{"layout l on g { a.b <= 3 }", "1:17: expected a plain name before '<=', got 'a.b'"},
        Case{"layout l on g { fc * { a -> b } }",
             "1:17: a layer selector is written without spaces: 'fc *' | 1:17: write 'fc*'"},
        Case{"layout l on g { store params { } }", "1:30: expected '->' after 'params', got '{'"},
        Case{"layout l on g { forbid -> }", "1:27: expected a name or '[' after '->', got '}'"},
        Case{"layout l on g { pipeline -> s { cut fc1 } }",
             "1:37: expected 'before' or 'after' after 'cut', got 'fc1'"},
        Case{"layout l on g { pipeline -> s { cut after 3 } }", "1:43: expected a name after 'after', got '3'"},
        Case{"layout l on g { a[x] { } }", "1:19: expected a whole number or '*' after '[', got 'x'"}));

INSTANTIATE_TEST_SUITE_P(
    Characters, SyntaxErrors,
    testing::Values(
        Case{"dim a = 3 @",
             "1:11: unexpected character '@' | 1:11: a product of matrices is an 'einsum', or the layer 'dense'"},
        Case{"dim é = 3", "1:5: unexpected character 'é'"}, Case{"\x01", "1:1: unexpected character U+0001"},
        Case{"import \"foo\n", "1:8: this string has no closing '\"' on its line"},
        Case{"import \"a\\", "1:8: this string has no closing '\"' on its line"},
        Case{"import \"a\\qb\"", "1:10: unknown escape '\\q' in a string; there are \\\\, \\\", \\n and \\t"},
        Case{"dim a = \xff", "1:9: the file is not UTF-8 text: unexpected byte 0xFF"}));

TEST(SyntaxErrors, nul_byte_l1) {
    EXPECT_EQ(Parsed(std::string("dim a = 1\0", 10)).error(), "1:10: the file is not text: it has a NUL byte here");
}

} // namespace
} // namespace planc::syntax

// L10: what lines up in the canonical form, and what does not.
#include "parsed.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

/// `text` is in canonical form, and is what the same text without alignment becomes.
void expect_canonical(const std::string &text) {
    std::string bare;
    for (const char c : text) {
        if (c != ' ' || bare.empty() || bare.back() != ' ')
            bare += c;
    }
    for (const std::string &from : {text, bare}) {
        const Parsed parsed(from);
        ASSERT_EQ(parsed.error(), "") << from;
        EXPECT_EQ(parsed.formatted(), text);
    }
}

TEST(Align, values_of_dimensions_settings_and_bindings) {
    expect_canonical("dim batch  = 64\n"
                     "dim hidden = 256\n"
                     "\n"
                     "network f(x: f32[batch]) -> f32[batch] {\n"
                     "    h      = relu(x)\n"
                     "    logits = dense(h)\n"
                     "    return logits\n"
                     "}\n"
                     "\n"
                     "train f on d {\n"
                     "    loss   = f(x)\n"
                     "    epochs = 20\n"
                     "}\n");
}

TEST(Align, not_rules_parameters_and_meshes) {
    expect_canonical("mesh a = auto\n"
                     "mesh long = auto\n"
                     "layout l on a {\n"
                     "    b -> rows\n"
                     "    hidden -> cols\n"
                     "}\n"
                     "layer f(x: [..]) -> [..] {\n"
                     "    param w: [in] = zeros\n"
                     "    param bias: [out] = zeros\n"
                     "    return x\n"
                     "}\n");
}

TEST(Align, blank_lines_and_own_comments_end_a_run) {
    expect_canonical("dim a = 1\n"
                     "\n"
                     "dim hidden = 2\n"
                     "// the batch\n"
                     "dim batch = 3  // c\n"
                     "// io\n"
                     "dim io = 4  // d\n");
}

TEST(Align, items_of_several_lines_and_lines_without_a_value_end_a_run) {
    expect_canonical("layer f(x: [..]) -> [..] {\n"
                     "    a = x\n"
                     "    folded = fold y = x for i in 0..2 {\n"
                     "        b    = y  // one\n"
                     "        long = b  // two\n"
                     "        yield long\n"
                     "    }\n"
                     "    cc  = folded\n"
                     "    ddd = cc\n"
                     "    param w: [a] = zeros\n"
                     "    e = w\n"
                     "    return e\n"
                     "}\n");
}

TEST(Align, values_inside_of_a_line_stay) {
    expect_canonical("layer f(x: [..]) -> [..] {\n"
                     "    first = fold y = x for i in 0..2 { z = y; yield z }            // one\n"
                     "    b     = fold y = x for i in 0..2 { longer = y; yield longer }  // two\n"
                     "    if c { d = b }\n"
                     "    return b\n"
                     "}\n");
}

TEST(Align, comments_also_across_lines_without) {
    expect_canonical("data digits = csv(\"a\") {\n"
                     "    image = columns(0..64) / 16  // counts\n"
                     "    label = column(64)\n"
                     "    split = train 80%, test 20%  // by the seed\n"
                     "}\n"
                     "mesh grid = [rows, cols]            // sizes\n"
                     "layout l on grid { batch -> rows }  // a rule\n");
}

TEST(Align, comments_behind_braces_stay) {
    expect_canonical("machine m {  // a\n"
                     "}  // b\n"
                     "machine longer {  // c\n"
                     "    x = 1  // d\n"
                     "}  // e\n"
                     "dim f = 2  // f\n");
}

TEST(Align, comments_in_lists) {
    expect_canonical("dim a = f(\n"
                     "    x,        // one\n"
                     "    y,\n"
                     "    long(z),  // two\n"
                     "    // own\n"
                     "    w,  // three\n"
                     ")  // four\n");
}

TEST(Align, far_ones_are_left_alone) {
    const std::string far(26, 'f');
    const std::string near(25, 'n');
    expect_canonical("machine m {\n    a  = 1\n    bb = 2\n    " + far + "f = 3\n    a  = 4\n    bb = 5\n}\n");
    expect_canonical("machine m {\n    a" + std::string(24, ' ') + " = 1\n    " + near + " = 2\n}\n");
    expect_canonical("machine m {\n    a = 1\n    " + far + " = 2\n}\n");
    expect_canonical("dim a = 1  // a\ndim b = " + far + "  // b\n");
}

TEST(Align, lines_are_broken_as_if_nothing_were_aligned) {
    const std::string word(52, 'w');
    expect_canonical("machine m {\n    a          = f(" + word + ", " + word + ")\n    allreduced = 2\n}\n");
}

TEST(Align, a_body_that_no_longer_fits_on_its_line) {
    const std::string word(60, 'w');
    const Parsed parsed("machine m { a = " + word + "; hidden = " + word + " }");
    const std::string out = "machine m {\n    a      = " + word + "\n    hidden = " + word + "\n}\n";
    EXPECT_EQ(parsed.formatted(), out);
    expect_canonical(out);
}

} // namespace
} // namespace planc::syntax

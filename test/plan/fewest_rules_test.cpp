#include "plan/fewest_rules.h"

#include <gtest/gtest.h>

namespace planc::plan {

namespace {

LayerWish wish(const std::string &path, const std::map<std::string, std::vector<std::string>> &axes,
               const std::set<std::string> &idle = {}) {
    return {path, axes, idle};
}

} // namespace

TEST(FewestRules, one_rule_for_what_is_the_same_everywhere) {
    EXPECT_EQ(fewest_rules({wish("a", {{"batch", {"rows"}}}), wish("b", {{"batch", {"rows"}}, {"hidden", {}}})}),
              "batch -> rows\n");
    EXPECT_EQ(fewest_rules({wish("a", {{"batch", {}}})}), "");
}

TEST(FewestRules, exceptions_stand_at_their_layers) {
    EXPECT_EQ(fewest_rules({wish("a", {{"batch", {"rows", "cols"}}}), wish("b", {{"batch", {"rows", "cols"}}}),
                            wish("c", {{"batch", {}}, {"hidden", {"cols", "rows"}}}), wish("d", {{"hidden", {}}})}),
              "batch -> [rows, cols]\n"
              "c { batch -> none; hidden -> [cols, rows] }\n");
}

TEST(FewestRules, a_general_rule_must_save_rules) {
    EXPECT_EQ(fewest_rules({wish("a", {{"batch", {"rows"}}}), wish("b", {{"batch", {}}}), wish("c", {{"batch", {}}}),
                            wish("d", {{"batch", {}}})}),
              "a { batch -> rows }\n");
}

TEST(FewestRules, layers_alike_share_a_pattern_that_selects_no_other) {
    const auto fc = [](const std::string &path) { return wish(path, {{"batch", {}}, {"hidden", {"rows"}}}); };
    const auto conv = [](const std::string &path) { return wish(path, {{"batch", {"rows"}}, {"hidden", {}}}); };
    EXPECT_EQ(fewest_rules({conv("conv1"), conv("conv2"), conv("conv3"), conv("pool"), fc("fc6"), fc("fc7")}),
              "batch -> rows\n"
              "fc* { batch -> none; hidden -> rows }\n");
    EXPECT_EQ(fewest_rules(
                  {conv("conv1"), conv("conv2"), conv("conv3"), conv("pool"), fc("fc6"), fc("fc7"), wish("fcx", {})}),
              "batch -> rows\n"
              "fc6 { batch -> none; hidden -> rows }\n"
              "fc7 { batch -> none; hidden -> rows }\n");
}

TEST(FewestRules, a_pattern_says_what_all_have_and_names_what_one_has_more) {
    std::vector<LayerWish> layers;
    for (const std::string conv : {"conv1", "conv2", "conv3", "conv4"})
        layers.push_back(wish(conv, {{"batch", {"ranks"}}}));
    layers.push_back(wish("fc6", {{"batch", {}}, {"hidden", {"ranks"}}}));
    layers.push_back(wish("fc7", {{"batch", {}}, {"hidden", {"ranks"}}}));
    layers.push_back(wish("fc8", {{"batch", {}}, {"hidden", {}}, {"class", {"ranks"}}}));
    EXPECT_EQ(fewest_rules(layers), "batch -> ranks\n"
                                    "hidden -> ranks\n"
                                    "class -> ranks\n"
                                    "fc* { batch -> none }\n"
                                    "fc8 { hidden -> none }\n");
}

TEST(FewestRules, rules_hold_for_all_below_a_path) {
    std::vector<LayerWish> layers;
    for (const std::string block : {"block[0]", "block[1]"})
        for (const std::string part : {"query", "key"})
            layers.push_back(wish(block + ".attention." + part, {{"head", {"cols"}}}));
    for (const std::string other : {"a", "b", "c"})
        layers.push_back(wish(other, {{"head", {}}}));
    EXPECT_EQ(fewest_rules(layers), "block[*].attention { head -> cols }\n");
    for (const std::string block : {"block[0]", "block[1]"})
        for (const std::string part : {"mix", "out"})
            layers.push_back(wish(block + "." + part, {{"head", {part == "mix" ? "cols" : "rows"}}}));
    EXPECT_EQ(fewest_rules(layers), "block[*] {\n"
                                    "    head -> cols\n"
                                    "    out { head -> rows }\n"
                                    "}\n");
}

TEST(FewestRules, paths_are_joined_where_nothing_stands_between) {
    std::vector<LayerWish> layers = {wish("a.b.c", {{"x", {"rows"}}}), wish("a.b.d", {{"x", {}}}),
                                     wish("a.e", {{"x", {}}}), wish("f", {{"x", {}}})};
    EXPECT_EQ(fewest_rules(layers), "a.b.c { x -> rows }\n");
    layers[1].axes["y"] = {"cols"};
    layers[2].axes["y"] = {};
    layers[3].axes["y"] = {};
    EXPECT_EQ(fewest_rules(layers), "a.b {\n"
                                    "    c { x -> rows }\n"
                                    "    d { y -> cols }\n"
                                    "}\n");
}

TEST(FewestRules, idle_dimensions_do_not_lie_on_the_axes_of_others) {
    const std::vector<LayerWish> layers = {wish("a", {{"batch", {"rows"}}}), wish("b", {{"batch", {"rows"}}}),
                                           wish("c", {{"batch", {"rows"}}}),
                                           wish("d", {{"hidden", {"rows"}}}, {"batch"})};
    EXPECT_EQ(fewest_rules(layers), "batch -> rows\n"
                                    "hidden -> rows\n"
                                    "d { batch -> none }\n");
}

} // namespace planc::plan

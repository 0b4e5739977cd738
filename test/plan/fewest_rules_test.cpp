#include "plan/explanations/fewest_rules.h"

#include "sema/layouts/layout_rules.h"
#include "sharding/reference.h"

#include <gtest/gtest.h>

#include <sstream>

namespace planc::plan {

namespace {

LayerWish wish(const std::string &path, const std::map<std::string, std::vector<std::string>> &axes,
               const std::set<std::string> &idle = {}) {
    return {path, axes, idle};
}

using sharding::reference::Random;
using sharding::reference::uniform;

/// The items of a layout's body as sema flattens them. `words`: as they stand there, punctuation by itself.
void read_items(std::istream &words, const std::string &selector, sema::Layout &layout) {
    for (std::string word; words >> word && word != "}";) {
        if (word == ";")
            continue;
        std::string next;
        words >> next;
        if (next == "{") {
            read_items(words, selector.empty() ? word : selector + "." + word, layout);
            continue;
        }
        ASSERT_EQ(next, "->");
        sema::Rule &rule = layout.rules.emplace_back(sema::Rule{selector, word, {}, {}});
        words >> next;
        if (next == "[")
            while (words >> next && next != "]")
                rule.axes.push_back(next);
        else if (next != "none")
            rule.axes.push_back(next);
    }
}

sema::Layout read_rules(const std::string &text) {
    std::string spaced;
    bool in_name = false; // c[0]
    for (const char c : text) {
        in_name = c == '[' ? !spaced.empty() && spaced.back() != ' ' : in_name;
        const bool bracket = (c == '[' || c == ']') && !in_name;
        in_name = in_name && c != ']';
        spaced += bracket || c == ';' ? std::string(" ") + c + " " : std::string(1, c == ',' ? ' ' : c);
    }
    std::istringstream words(spaced);
    sema::Layout layout;
    read_items(words, "", layout);
    return layout;
}

std::vector<LayerWish> random_wishes(Random &random) {
    const std::vector<std::string> names = {"a", "b", "c[0]", "c[1]", "c[2]", "d_1", "d_2", "e1", "e2", "ex"};
    const std::vector<std::vector<std::string>> some = {{}, {"rows"}, {"cols"}, {"rows", "cols"}};
    std::vector<std::string> paths;
    const auto grow = [&](const auto &self, const std::string &prefix, int depth) -> void {
        for (const std::string &name : names)
            if (uniform(random, 0, 2) > 0) {
                if (depth == 2 || uniform(random, 0, 1))
                    paths.push_back(prefix + name);
                if (depth < 2 && uniform(random, 0, 2) == 0)
                    self(self, prefix + name + ".", depth + 1);
            }
    };
    grow(grow, "", 0);
    const int kinds = uniform(random, 1, 3); // of layers: alike ones are the rule
    std::vector<LayerWish> alike(static_cast<std::size_t>(kinds));
    for (LayerWish &kind : alike)
        for (const std::string dimension : {"x", "y", "z"}) {
            if (const int use = uniform(random, 0, 3); use == 0)
                kind.idle.insert(dimension);
            else if (use > 1)
                kind.axes[dimension] = some[static_cast<std::size_t>(uniform(random, 0, 3))];
        }
    std::vector<LayerWish> wishes;
    for (const std::string &path : paths) {
        wishes.push_back(alike[static_cast<std::size_t>(uniform(random, 0, kinds - 1))]);
        wishes.back().path = path;
    }
    return wishes;
}

} // namespace

TEST(FewestRules, say_what_is_wished_wherever_layers_stand) {
    Random random(61);
    for (int trial = 0; trial < 2000; ++trial) {
        SCOPED_TRACE(trial);
        const std::vector<LayerWish> layers = random_wishes(random);
        const std::string text = fewest_rules(layers);
        SCOPED_TRACE(text);
        const sema::Layout layout = read_rules(text);
        sema::Network network;
        for (const LayerWish &layer : layers)
            network.layers.push_back(layer.path);
        const sema::ResolvedLayout resolved = sema::resolve_layout(layout, network);
        for (const LayerWish &layer : layers) {
            SCOPED_TRACE(layer.path);
            const auto &rules = resolved.at(layer.path);
            const auto axes_of = [&](const std::string &dimension) {
                const auto rule = rules.find(dimension);
                return rule == rules.end() ? std::vector<std::string>{} : rule->second->axes;
            };
            std::set<std::string> taken;
            for (const auto &[dimension, axes] : layer.axes) {
                EXPECT_EQ(axes_of(dimension), axes) << dimension;
                taken.insert(axes.begin(), axes.end());
            }
            for (const std::string &dimension : layer.idle)
                for (const std::string &axis : axes_of(dimension))
                    EXPECT_FALSE(taken.contains(axis)) << dimension;
        }
    }
}

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

TEST(FewestRules, patterns_hold_patterns) {
    std::vector<LayerWish> layers;
    const auto add = [&](const std::string &path, const std::string &own) {
        layers.push_back(wish(path, {{"x", {}}, {"y", {own}}}));
    };
    for (const std::string block : {"c[0]", "c[1]"}) {
        layers.push_back(wish(block, {{"x", {"rows"}}}));
        for (const std::string other : {"p", "q", "r"})
            layers.push_back(wish(block + "." + other, {{"x", {"rows"}}}));
        add(block + ".d_1", "cols");
        add(block + ".d_2", block == "c[0]" ? "cols" : "planes");
    }
    EXPECT_EQ(fewest_rules(layers), "x -> rows\n"
                                    "y -> cols\n"
                                    "c[0].d_* { x -> none }\n"
                                    "c[1] {\n"
                                    "    d_* { x -> none }\n"
                                    "    d_2 { y -> planes }\n"
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

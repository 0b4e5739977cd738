// Several mistakes in one file: each is one error, and what is well formed is in the tree.
#include "parsed.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

struct Case {
    const char *text;
    std::vector<int> lines; ///< of the errors
};

class Recovery : public testing::TestWithParam<Case> {};

TEST_P(Recovery, tells_each_mistake_once) {
    const Parsed parsed(GetParam().text);
    std::vector<int> lines;
    for (const auto *diagnostic : parsed.diagnostics.sorted())
        lines.push_back(parsed.files.locate(diagnostic->where.file, diagnostic->where.begin).line);
    EXPECT_EQ(lines, GetParam().lines) << GetParam().text << '\n' << parsed.error();
    EXPECT_EQ(parsed.file, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Declarations, Recovery,
    testing::Values(Case{"dim a 3\ndim b = 2\nimport c\ndim d = )\n", {1, 3, 4}},
                    Case{"netwrok f(x: [a]) -> [a] {\n    return x\n}\ndim b\n", {1, 4}},
                    Case{"dim a = 1 dim b = 2\ndim c\n", {1, 2}},
                    // A brace too many, a brace too few: nothing that follows is taken for a mistake of its own.
                    Case{"network f(x: [a]) -> [a] {\n    h = x }\n    return h\n}\ndim b\n", {3, 5}},
                    Case{"network f(x: [a]) -> [a] {\n    return x\n\nnetwork g(x: [a]) -> [a] {\n    return x\n}\n"
                         "dim b\n",
                         {4, 7}},
                    Case{"network f(x: [a] -> [a] {\n    return x\n}\ndim b\n", {1, 4}}));

INSTANTIATE_TEST_SUITE_P(
    Items, Recovery,
    testing::Values(Case{"layer f(x: [a]) -> [a] {\n    h = relu(x\n    g = h +\n    )\n    k = @\n    return k k\n}\n",
                         {3, 4, 5, 6}},
                    Case{"layer f(x: [a]) -> [a] {\n    3 = x\n    h = \"open\n    if x {\n        y = = 3\n        "
                         "return x\n    }\n"
                         "    return x,\n}\n",
                         {2, 3, 5, 8}},
                    Case{"machine m {\n    nodes 3\n    node = processor(peak = )\n    network = star(\n}\ndim a\n",
                         {2, 3, 5, 6}},
                    Case{"layout l on [rows: 2] {\n    batch -> 3\n    fc. 1 { hidden -> rows }\n    store -> rows\n   "
                         " x {\n        y\n"
                         "    }\n}\n",
                         {2, 3, 7}},
                    Case{"train f on d {\n    optimizer = sgd(rate = 0.1) {\n        a b = 3\n        *.b { "
                         "weight_decay 0 }\n    }\n"
                         "    loss x\n}\n",
                         {3, 4, 6}}));

INSTANTIATE_TEST_SUITE_P(OfTheTree, Recovery,
                         testing::Values(Case{
                             "dim a = 99999999999999999999\ndim b = 1\nlayer f(x: [a]) -> [a] {\n    h = f((x) = 3)\n"
                             "    s = f(\"\\q\")\n    return x\n}\n",
                             {1, 4, 5}}));

TEST(PartOfATree, has_what_is_well_formed_and_the_names_of_what_is_not) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    const std::string text = "dim a 3\ndim b = 2\nlayer f(x: [a]) -> [a] {\n    h = relu(\n    return x\n}\n"
                             "data d = csv(\"x\") {\n    x = = 3\n    y = column(1)\n}\n";
    const auto file = parse_what_is_well_formed(files.add("test.plan", text), files, diagnostics);
    EXPECT_EQ(diagnostics.errors(), 3) << diagnostics.render();
    EXPECT_FALSE(file->complete);
    ASSERT_EQ(file->broken.size(), 1U);
    EXPECT_EQ(file->broken[0].name.text, "a");
    ASSERT_EQ(file->declarations.size(), 3U);
    const auto &layer = std::get<CallableDeclaration>(file->declarations[1]);
    ASSERT_EQ(layer.body.size(), 2U);
    const auto &binding = std::get<Binding>(layer.body[0].node);
    EXPECT_EQ(binding.names.at(0).text, "h");
    EXPECT_EQ(binding.value, nullptr);
    const auto &data = std::get<DataDeclaration>(file->declarations[2]);
    ASSERT_EQ(data.settings.size(), 2U);
    EXPECT_EQ(data.settings[0].name.text, "x");
    EXPECT_EQ(data.settings[0].value, nullptr);
    EXPECT_NE(data.settings[1].value, nullptr);
}

TEST(ManyMistakes, end_the_parse) {
    std::string text;
    for (int i = 0; i < 20'000; ++i)
        text += "dim a = )\n";
    const Parsed parsed(text);
    EXPECT_EQ(parsed.diagnostics.errors(), 100);
}

} // namespace
} // namespace planc::syntax

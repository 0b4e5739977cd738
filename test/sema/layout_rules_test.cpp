// Rules of layouts and their precedence (P2, P4, P5, P6).
#include "analyzed.h"

#include "sema/layouts/layout_rules.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

const std::string head = R"(import "std/dense.plan"
dim batch = 8
dim pixel = 4
dim hidden = 6
network n(x: f32[batch, pixel]) -> f32[batch, hidden] {
    stem = dense(x, hidden)
    body = fold h = stem for i in 0..2 as block {
        fc1 = relu(dense(h, hidden))
        fc2 = dense(fc1, hidden)
        yield fc2
    }
    return body
}
mesh grid = [rows, cols]
)";

/// "rows cols", "none", or "" where no rule speaks of the dimension.
std::string axes(const std::string &rules, const std::string &layer, const std::string &dimension) {
    const Analyzed analyzed = analyze_text(head + "layout l on grid {\n" + rules + "\n}");
    if (!analyzed.program)
        return analyzed.kind;
    const ResolvedLayout resolved = resolve_layout(analyzed.program->layouts.at(0), analyzed.program->networks.at(0));
    const auto &of_layer = resolved.at(layer);
    const auto rule = of_layer.find(dimension);
    if (rule == of_layer.end())
        return "";
    std::string text;
    for (const std::string &axis : rule->second->axes)
        text += (text.empty() ? "" : " ") + axis;
    return text.empty() ? "none" : text;
}

TEST(LayoutRules, ForAllLayers) {
    EXPECT_EQ(axes("batch -> [rows, cols]", "stem", "batch"), "rows cols");
    EXPECT_EQ(axes("batch -> [rows, cols]", "block[1].fc2", "batch"), "rows cols");
    EXPECT_EQ(axes("batch -> rows", "stem", "hidden"), "");
}

TEST(LayoutRules, ASelectionBeatsWhatIsOutsideOfIt) {
    EXPECT_EQ(axes("stem { batch -> none }; batch -> rows", "stem", "batch"), "none");
    EXPECT_EQ(axes("stem { batch -> none }; batch -> rows", "block[0].fc1", "batch"), "rows");
    EXPECT_EQ(axes("block[0] { * { batch -> cols }; batch -> rows }", "block[0].fc1", "batch"), "cols");
    EXPECT_EQ(axes("block* { fc1 { batch -> cols }; batch -> rows }", "block[1].fc1", "batch"), "cols");
    EXPECT_EQ(axes("block* { fc1 { batch -> cols }; batch -> rows }", "block[1].fc2", "batch"), "rows");
}

TEST(LayoutRules, AnExactPathBeatsAPattern) {
    EXPECT_EQ(axes("stem { batch -> rows }; s* { batch -> cols }", "stem", "batch"), "rows");
    EXPECT_EQ(axes("block[1] { batch -> rows }; block[*] { batch -> cols }", "block[1].fc1", "batch"), "rows");
    EXPECT_EQ(axes("block[1] { batch -> rows }; block[*] { batch -> cols }", "block[0].fc1", "batch"), "cols");
    EXPECT_EQ(axes("block[1].fc1 { batch -> rows }; block[1].* { batch -> cols }", "block[1].fc1", "batch"), "rows");
}

TEST(LayoutRules, OfEqualsTheLaterWins) {
    EXPECT_EQ(axes("st* { batch -> rows }; s* { batch -> cols }", "stem", "batch"), "cols");
    EXPECT_EQ(axes("stem { batch -> rows }; stem { batch -> cols }", "stem", "batch"), "cols");
}

TEST(LayoutRules, Selectors) { // P4
    EXPECT_TRUE(selects("", "stem"));
    EXPECT_TRUE(selects("block*", "block[3].attention.query"));
    EXPECT_TRUE(selects("block[*]", "block[12]"));
    EXPECT_TRUE(selects("*.fc1", "block[0].fc1"));
    EXPECT_TRUE(selects("b*k[*].f*2", "block[0].fc2"));
    EXPECT_FALSE(selects("block*fc1", "block[0].fc1")); // within one component only
    EXPECT_FALSE(selects("block[0].fc1", "block[0]"));
    EXPECT_FALSE(selects("block[1]", "block[11]"));
    EXPECT_FALSE(selects("fc1", "block[0].fc1"));
}

TEST(LayoutRules, ALayerMayOverrideARuleThatWouldClash) { // P6
    EXPECT_EQ(axes("batch -> rows; hidden -> rows", "stem", "batch"), "two_loops_on_one_axis");
    EXPECT_EQ(axes("batch -> rows; stem { batch -> none; hidden -> rows }", "stem", "hidden"), "rows");
}

TEST(LayoutRules, PrimedDimensionsAreLoopsOfTheirOwn) { // D7
    EXPECT_EQ(axes("hidden -> cols; hidden' -> rows", "block[0].fc1", "hidden'"), "rows");
    EXPECT_EQ(axes("hidden -> cols; hidden' -> cols", "block[0].fc1", "hidden'"), "two_loops_on_one_axis");
    EXPECT_EQ(axes("pixel' -> cols", "stem", "pixel'"), "unknown_rule_dimension");
}

TEST(LayoutRules, AnonymousMeshesLimitsAndPins) { // P1, P9
    const Analyzed analyzed = analyze_text(head + R"(
layout small on [a: 2, b: 3] { batch -> [b, a] }
layout guided on grid = auto {
    batch -> rows
    memory <= 8 GiB
    forbid pipeline
}
)");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Layout &small = analyzed.program->layouts.at(0);
    EXPECT_EQ(small.mesh, "small");
    EXPECT_EQ(analyzed.program->meshes.at(1).name, "small");
    EXPECT_EQ(analyzed.program->meshes.at(1).axes.at(1).size, 3);
    const Layout &guided = analyzed.program->layouts.at(1);
    EXPECT_TRUE(guided.automatic);
    EXPECT_TRUE(guided.forbid_pipeline);
    EXPECT_DOUBLE_EQ(guided.memory_limit_bytes.value_or(0), 8. * 1024 * 1024 * 1024);
    EXPECT_EQ(guided.rules.at(0).axes, std::vector<std::string>{"rows"});
}

TEST(LayoutRules, NothingIsKnownOfTheAxesOfAnAutomaticMesh) { // H3
    EXPECT_EQ(analyze_text(head + "mesh free = auto\nlayout l on free { batch -> rows }").kind, "unknown_axis");
    EXPECT_TRUE(analyze_text(head + "mesh free = auto\nlayout l on free = auto").program);
}

TEST(LayoutRules, StorageMicrobatchesAndRecomputation) { // P7, P10, P11
    const Analyzed analyzed = analyze_text(head + "layout l on grid = auto {\n    store params -> [rows, cols]\n"
                                                  "    store optimizer -> none\n    microbatches = 4\n"
                                                  "    block* { fc1 { recompute } }\n    recompute\n}");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Layout &layout = analyzed.program->layouts.at(0);
    ASSERT_EQ(layout.stores.size(), 2U);
    EXPECT_EQ(layout.stores[0].what, StoreRule::What::params);
    EXPECT_EQ(layout.stores[0].axes, (std::vector<std::string>{"rows", "cols"}));
    EXPECT_EQ(layout.stores[1].what, StoreRule::What::optimizer);
    EXPECT_TRUE(layout.stores[1].axes.empty());
    EXPECT_EQ(layout.microbatches, 4);
    ASSERT_EQ(layout.recomputes.size(), 2U);
    EXPECT_EQ(layout.recomputes[0].selector, "block*.fc1");
    EXPECT_EQ(layout.recomputes[1].selector, "");
}

TEST(LayoutRules, WholeLoopsDoNotMeetOnAnAxis) { // P6, P12
    const std::string text = "dim batch = 8\ndim model = 12\n"
                             "network n(x: f32[batch, model]) -> f32[batch, head: 3, part: 4] {\n"
                             "    y = reshape(relu(x), [batch, head: 3, part: 4])\n    z = relu(y)\n    return z\n}\n"
                             "mesh grid = [rows]\nlayout l on grid {\n    model -> rows\n    head -> rows\n}\n";
    const Analyzed analyzed = analyze_text(text);
    EXPECT_TRUE(analyzed.program) << analyzed.report;
    EXPECT_EQ(analyze_text(text + "layout m on grid { batch -> rows; head -> rows }").kind, "two_loops_on_one_axis");
    const Analyzed part = analyze_text(text + "layout m on grid { y* { batch -> rows; part -> rows } }");
    EXPECT_TRUE(part.program) << part.report;
}

TEST(LayoutRules, FirstPartsOfAReshapeAreSplit) { // P6, P12
    const std::string text = "dim batch = 8\ndim model = 12\nmesh grid = [rows]\n"
                             "network n(x: f32[batch, model]) -> f32[batch, model] {\n"
                             "    y = reshape(x, [batch, head: 3, part: 4])\n    z = relu(y)\n"
                             "    v = reshape(z, [batch, model])\n    return v\n}\n";
    EXPECT_EQ(analyze_text(text + "layout m on grid { y { batch -> rows; head -> rows } }").kind,
              "two_loops_on_one_axis");
    EXPECT_EQ(analyze_text(text + "layout m on grid { v { batch -> rows; model -> rows } }").kind,
              "two_loops_on_one_axis");
    const Analyzed others = analyze_text(
        text +
        "layout m on grid { y { batch -> rows; part -> rows; model -> rows }; v { batch -> rows; head -> rows } }");
    EXPECT_TRUE(others.program) << others.report;
}

} // namespace
} // namespace planc::sema

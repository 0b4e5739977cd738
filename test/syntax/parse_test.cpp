// What the tree says of each construct. Labels are rules of grammar/reference.md.
#include "parsed.h"

#include <gtest/gtest.h>

namespace planc::syntax {
namespace {

template <class T> const T &statement(const Block &block, std::size_t index) {
    return std::get<T>(block.at(index).node);
}
template <class T> const T &item(const std::vector<LayoutItem> &items, std::size_t index) {
    return std::get<T>(items.at(index).node);
}

TEST(Parse, import_and_dim_d1) {
    const Parsed parsed("import \"std/dense.plan\"\ndim hidden = 256");
    ASSERT_EQ(parsed.error(), "");
    const auto &import = parsed.only<Import>();
    EXPECT_EQ(import.path, "std/dense.plan");
    EXPECT_EQ(parsed.text(import.path_where), "\"std/dense.plan\"");
    const auto &dim = std::get<DimensionDeclaration>(parsed.file->declarations.at(1));
    EXPECT_EQ(dim.name.text, "hidden");
    EXPECT_EQ(parsed.text(dim.where), "dim hidden = 256");
    EXPECT_EQ(std::get<Number>(dim.extent->node).integer, 256);
}

TEST(Parse, layer_y1_y2_y3) {
    const Parsed parsed("layer dense(x: [.., in], out: dim, over: dims = [], bias: bool = true) -> [..over, out: 4] {\n"
                        "    param w: [in, out] = glorot_uniform(fan_in = [in], fan_out = [out])\n"
                        "    state mean: f64[out] = zeros\n"
                        "    return x\n"
                        "}");
    ASSERT_EQ(parsed.error(), "");
    const auto &layer = parsed.only<CallableDeclaration>();
    EXPECT_EQ(layer.kind, CallableDeclaration::Kind::layer);
    ASSERT_EQ(layer.parameters.size(), 4U);
    EXPECT_TRUE(layer.parameters[0].type.tensor);
    EXPECT_FALSE(layer.parameters[0].type.word);
    EXPECT_EQ(layer.parameters[0].type.dimensions.at(0).kind, DimensionItem::Kind::rest);
    EXPECT_EQ(layer.parameters[0].type.dimensions.at(1).name.text, "in");
    EXPECT_FALSE(layer.parameters[1].type.tensor);
    EXPECT_EQ(layer.parameters[1].type.word->text, "dim");
    EXPECT_EQ(layer.parameters[1].fallback, nullptr);
    EXPECT_TRUE(std::get<Boolean>(layer.parameters[3].fallback->node).value);
    EXPECT_EQ(layer.results.at(0).dimensions.at(0).kind, DimensionItem::Kind::spread);
    EXPECT_EQ(layer.results.at(0).dimensions.at(0).name.text, "over");
    EXPECT_NE(layer.results.at(0).dimensions.at(1).extent, nullptr);
    EXPECT_TRUE(parsed.text(layer.head).ends_with("-> [..over, out: 4]"));

    const auto &weight = statement<ParameterDeclaration>(layer.body, 0);
    EXPECT_TRUE(weight.trained);
    EXPECT_EQ(std::get<Call>(weight.initializer->node).arguments.at(0).kind, CallArgument::Kind::named);
    const auto &mean = statement<ParameterDeclaration>(layer.body, 1);
    EXPECT_FALSE(mean.trained);
    EXPECT_EQ(mean.type.word->text, "f64");
}

TEST(Parse, statements_n2_n3_n4) {
    const Parsed parsed("network f(x: f32[b]) -> f32[b] {\n"
                        "    if a { y = 1; z = 2 } else if c { return x } else { yield x }\n"
                        "    return x\n"
                        "}");
    ASSERT_EQ(parsed.error(), "");
    const auto &network = parsed.only<CallableDeclaration>();
    EXPECT_EQ(network.kind, CallableDeclaration::Kind::network);
    const auto &conditional = statement<Conditional>(network.body, 0);
    EXPECT_EQ(conditional.then.size(), 2U);
    EXPECT_EQ(parsed.text(conditional.then_braces), "{ y = 1; z = 2 }");
    EXPECT_EQ(conditional.otherwise_braces.file, -1);
    const auto &nested = statement<Conditional>(conditional.otherwise, 0);
    EXPECT_TRUE(std::holds_alternative<Return>(nested.then.at(0).node));
    EXPECT_TRUE(std::holds_alternative<Yield>(nested.otherwise.at(0).node));
}

TEST(Parse, call_arguments_x6) {
    const ParsedExpression parsed("einsum(x, w -> [.., out], hidden: 128, kernel = 3)");
    ASSERT_EQ(parsed.error(), "");
    const auto &call = parsed.as<Call>();
    EXPECT_EQ(call.callee.text, "einsum");
    ASSERT_EQ(call.arguments.size(), 4U);
    EXPECT_EQ(call.arguments[0].kind, CallArgument::Kind::positional);
    EXPECT_EQ(call.arguments[1].kind, CallArgument::Kind::mapping);
    const auto &target = std::get<List>(call.arguments[1].target->node);
    EXPECT_EQ(target.items.at(0).kind, ListItem::Kind::rest);
    EXPECT_EQ(call.arguments[2].kind, CallArgument::Kind::extent);
    EXPECT_EQ(call.arguments[2].name->text, "hidden");
    EXPECT_EQ(call.arguments[3].kind, CallArgument::Kind::named);
    EXPECT_EQ(parsed.text(call.arguments[3].where), "kernel = 3");
}

TEST(Parse, fold_x8) {
    const ParsedExpression parsed("fold x = stem for (i, width) in enumerate([64, 128]) as block { yield x }");
    ASSERT_EQ(parsed.error(), "");
    const auto &fold = parsed.as<Fold>();
    ASSERT_EQ(fold.accumulators.size(), 1U);
    EXPECT_EQ(fold.accumulators[0].text, "x");
    ASSERT_EQ(fold.variables.size(), 2U);
    EXPECT_EQ(fold.variables[1].text, "width");
    EXPECT_EQ(fold.label->text, "block");
    EXPECT_EQ(fold.body.size(), 1U);
    const ParsedExpression plain("fold x = 0 for i in 0..3 { yield x + i }");
    ASSERT_EQ(plain.error(), "");
    EXPECT_FALSE(plain.as<Fold>().label);
    EXPECT_TRUE(std::holds_alternative<Range>(plain.as<Fold>().values->node));
}

TEST(Parse, choice_x5) {
    const ParsedExpression parsed("if i == 0 { 1 } else if i == 1 { 2 } else { 3 }");
    ASSERT_EQ(parsed.error(), "");
    const auto &choice = parsed.as<Choice>();
    EXPECT_EQ(parsed.text(choice.condition->where), "i == 0");
    EXPECT_TRUE(std::holds_alternative<Choice>(choice.otherwise->node));
}

TEST(Parse, operators_bind_by_strength_x1) { // X1
    const auto dump = [](const std::string &text) { return ParsedExpression(text).dump(); };
    EXPECT_EQ(dump("a + b * c"), dump("a + (b * c)"));
    EXPECT_EQ(dump("a - b - c"), dump("(a - b) - c"));
    EXPECT_EQ(dump("-a * b"), dump("(-a) * b"));
    EXPECT_EQ(dump("a + 1..b * 2"), dump("(a + 1)..(b * 2)"));
    EXPECT_EQ(dump("a + b == c"), dump("(a + b) == c"));
    EXPECT_EQ(dump("not a == b and c or d"), dump("((not (a == b)) and c) or d"));
    EXPECT_NE(dump("(a + b) * c"), dump("a + b * c"));
}

TEST(Parse, data_t1_t2_t3) {
    const Parsed parsed("data digits = csv(\"d.csv\") {\n"
                        "    image = columns(0..64) / 16\n"
                        "    split = train 80%, test 20%\n"
                        "}");
    ASSERT_EQ(parsed.error(), "");
    const auto &data = parsed.only<DataDeclaration>();
    EXPECT_EQ(std::get<Call>(data.source->node).callee.text, "csv");
    ASSERT_EQ(data.settings.size(), 2U);
    EXPECT_TRUE(data.settings[0].shares.empty());
    EXPECT_EQ(data.settings[1].value, nullptr);
    ASSERT_EQ(data.settings[1].shares.size(), 2U);
    EXPECT_EQ(data.settings[1].shares[1].name.text, "test");
    EXPECT_EQ(data.settings[1].shares[1].amount.unit->text, "%");
    EXPECT_EQ(Parsed("data toy = synthetic(seed = 1)").only<DataDeclaration>().braces.file, -1);
}

TEST(Parse, meshes_h1_h2_h3) { // H1, H2, H3
    const Parsed bound("mesh grid on cori = [rows: 16, cols]");
    ASSERT_EQ(bound.error(), "");
    EXPECT_EQ(bound.only<MeshDeclaration>().machine->text, "cori");
    ASSERT_EQ(bound.only<MeshDeclaration>().axes.size(), 2U);
    EXPECT_EQ(bound.only<MeshDeclaration>().axes[1].size, nullptr);
    EXPECT_TRUE(Parsed("mesh grid = auto").only<MeshDeclaration>().automatic);
}

TEST(Parse, layouts_p1_p2_p4) {
    const Parsed parsed("layout l on [stage: 4, data: 2] = auto {\n"
                        "    batch -> [rows, cols]; width' -> none\n"
                        "    * { height -> cols }\n"
                        "    block[3].q*1.*[*] { batch -> [] }\n"
                        "}");
    ASSERT_EQ(parsed.error(), "");
    const auto &layout = parsed.only<LayoutDeclaration>();
    EXPECT_FALSE(layout.mesh);
    EXPECT_EQ(layout.axes.at(1).name.text, "data");
    EXPECT_EQ(parsed.text(layout.mesh_where), "[stage: 4, data: 2]");
    EXPECT_TRUE(layout.automatic);
    ASSERT_EQ(layout.items.size(), 4U);
    EXPECT_EQ(item<LayoutRule>(layout.items, 0).target.axes.size(), 2U);
    EXPECT_EQ(item<LayoutRule>(layout.items, 1).dimension.text, "width'");
    EXPECT_TRUE(item<LayoutRule>(layout.items, 1).target.axes.empty());
    EXPECT_EQ(item<LayoutSelection>(layout.items, 2).selector.text, "*");
    EXPECT_EQ(item<LayoutSelection>(layout.items, 3).selector.text, "block[3].q*1.*[*]");
}

TEST(Parse, layouts_p7_p8_p9) {
    const Parsed parsed(
        "layout l on grid {\n"
        "    store params -> rows\n"
        "    pipeline -> stage { schedule = chimera; microbatches = 4; cut before fc1, b[2].c; cut after "
        "fc2 }\n"
        "    memory <= 8 GiB\n"
        "    forbid pipeline\n"
        "    microbatches = 2\n"
        "    store { batch -> none }\n"
        "}");
    ASSERT_EQ(parsed.error(), "");
    const auto &items = parsed.only<LayoutDeclaration>().items;
    ASSERT_EQ(items.size(), 6U);
    EXPECT_EQ(item<StoreRule>(items, 0).what.text, "params");
    const auto &pipeline = item<PipelineRule>(items, 1);
    EXPECT_EQ(pipeline.settings.size(), 2U);
    EXPECT_EQ(pipeline.cuts.at(0).layers.at(1).text, "b[2].c");
    EXPECT_FALSE(pipeline.cuts.at(0).after);
    EXPECT_EQ(pipeline.cuts.at(1).layers.at(0).text, "fc2");
    EXPECT_TRUE(pipeline.cuts.at(1).after);
    EXPECT_EQ(item<LimitRule>(items, 2).what.text, "memory");
    EXPECT_EQ(item<ForbidRule>(items, 3).what.text, "pipeline");
    EXPECT_EQ(item<Setting>(items, 4).name.text, "microbatches");
    EXPECT_EQ(item<LayoutSelection>(items, 5).selector.text, "store");
}

TEST(Parse, layouts_p11) {
    const Parsed parsed("layout l on grid {\n    recompute\n    b* { recompute; x -> y }\n"
                        "    recompute -> y\n    recompute { recompute }\n}");
    ASSERT_EQ(parsed.error(), "");
    const auto &items = parsed.only<LayoutDeclaration>().items;
    ASSERT_EQ(items.size(), 4U);
    EXPECT_TRUE(std::holds_alternative<RecomputeRule>(items[0].node));
    EXPECT_TRUE(std::holds_alternative<RecomputeRule>(item<LayoutSelection>(items, 1).items.at(0).node));
    EXPECT_EQ(item<LayoutRule>(items, 2).dimension.text, "recompute");
    EXPECT_EQ(item<LayoutSelection>(items, 3).selector.text, "recompute");
}

TEST(Parse, schedules_p8) {
    const Parsed parsed("layout l on [s] {\n    pipeline -> s {\n        schedule = table {\n            0: F0 F1.2\n"
                        "            1: I0; 2:\n        }\n    }\n}");
    ASSERT_EQ(parsed.error(), "");
    const auto &setting = item<PipelineRule>(parsed.only<LayoutDeclaration>().items, 0).settings.at(0);
    ASSERT_EQ(setting.rows.size(), 3U);
    EXPECT_EQ(setting.rows[0].rank.text, "0");
    ASSERT_EQ(setting.rows[0].actions.size(), 2U);
    EXPECT_EQ(setting.rows[0].actions[1].text, "F1.2");
    EXPECT_EQ(setting.rows[1].actions.at(0).text, "I0");
    EXPECT_TRUE(setting.rows[2].actions.empty());
}

TEST(Parse, groups_r5) {
    const Parsed parsed("train n on d {\n    optimizer = sgd(0.1) {\n        *.b { weight_decay = 0 }\n"
                        "        *norm*.* {\n            a = 2\n              * 3\n            b = 1\n        }\n"
                        "        * {}\n    }\n    epochs = 2\n}");
    ASSERT_EQ(parsed.error(), "");
    const auto &settings = parsed.only<TrainDeclaration>().settings;
    ASSERT_EQ(settings.size(), 2U);
    const auto &groups = settings[0].groups;
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(groups[0].selector.text, "*.b");
    EXPECT_EQ(groups[1].selector.text, "*norm*.*");
    ASSERT_EQ(groups[1].settings.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<Binary>(groups[1].settings[0].value->node));
    EXPECT_TRUE(groups[2].settings.empty());
}

TEST(Parse, choices_in_trainings_go_on_behind_a_star_l3) {
    const Parsed parsed("train n on d {\n    loss = if a {\n        b\n        * c\n    } else { d }\n    * 2\n}");
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.only<TrainDeclaration>().settings.size(), 1U);
}

TEST(Parse, train_r1) {
    const Parsed parsed("train classifier on digits { epochs = 20; layout = best }");
    ASSERT_EQ(parsed.error(), "");
    EXPECT_EQ(parsed.only<TrainDeclaration>().network.text, "classifier");
    EXPECT_EQ(parsed.only<TrainDeclaration>().settings.at(1).name.text, "layout");
}

TEST(Parse, every_example_of_the_reference) {
    const std::string reference = read(PLANC_SOURCE "/grammar/reference.md");
    const std::string opening = "```plan\n";
    int count = 0;
    for (auto at = reference.find(opening); at != std::string::npos; at = reference.find(opening, at + 1)) {
        const auto begin = at + opening.size();
        const std::string text = reference.substr(begin, reference.find("```", begin) - begin);
        EXPECT_EQ(Parsed(text).error(), "") << text;
        ++count;
    }
    EXPECT_GE(count, 10);
}

TEST(Parse, every_file_of_inputs) {
    int count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(PLANC_SOURCE "/test/syntax/Inputs")) {
        EXPECT_EQ(Parsed(read(entry.path())).error(), "") << entry.path();
        ++count;
    }
    EXPECT_GE(count, 6);
}

} // namespace
} // namespace planc::syntax

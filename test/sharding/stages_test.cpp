// Which stage runs what, and what stages send each other.
#include "sharding/stages.h"

#include "sharding/copy_levels.h"
#include "sharding/graphs.h"
#include "sharding/random_graph.h"
#include "sharding/replicas.h"
#include "sharding/stage_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace planc::sharding {

namespace {

using graphs::Builder;

LayerStages stages(int count, const std::vector<int> &of) {
    LayerStages layers{count, {}};
    for (const int stage : of)
        layers.of.push_back(stage);
    return layers;
}

/// "h 0>1", by value and receiver.
std::vector<std::string> crossings(const Graph &graph, const StagedGraph &staged) {
    std::vector<std::string> texts;
    for (const Crossing &crossing : staged.crossings)
        texts.push_back(graph.values[crossing.value].name + " " + std::to_string(crossing.from) + ">" +
                        std::to_string(crossing.to));
    return texts;
}

/// By the name of the first result, or of the operation: stages, and the levels that are not 0.
std::map<std::string, std::string> placed(const Graph &graph, const StagedGraph &staged) {
    std::map<std::string, std::string> texts;
    for (const OperationId o : graph.operations.ids()) {
        std::string &text = texts[graph.values[graph.operations[o].results.front()].name];
        for (std::size_t i = 0; i < staged.stages[o].size(); ++i)
            text += (i > 0 ? " " : "") + std::to_string(staged.stages[o][i]) +
                    (staged.levels[o][i] > 0 ? "+" + std::to_string(staged.levels[o][i]) : "");
    }
    return texts;
}

/// Two layers that use one weight w, a bias b of the second, and a scale made of the norms of both gradients.
struct Shared {
    Builder b;
    LayerId first = b.layer("first");
    LayerId second = b.layer("second");
    LayerId optimizer = b.layer("optimizer");
    ValueId x = b.value("x", ValueKind::free, first, {{"batch", 4}, {"wide", 6}});
    ValueId w = b.value("w", ValueKind::variable, first, {{"wide", 6}});
    ValueId bias = b.value("b", ValueKind::variable, second, {{"wide", 6}});

    Shared() {
        const std::vector<std::string> both{"batch", "wide"};
        const ValueId h = pointwise("h", first, Phase::forward, {x, w}, both);
        const ValueId z = pointwise("z", second, Phase::forward, {h, w}, both);
        const ValueId y = pointwise("y", second, Phase::forward, {z, bias}, both);
        const ValueId d = pointwise("gradient of h", second, Phase::input_gradient, {y, w}, both);
        const ValueId g1 = sum("second term", second, Phase::weight_gradient, y, {"wide"});
        const ValueId g0 = sum("first term", first, Phase::weight_gradient, d, {"wide"});
        const ValueId total1 = accumulated("second sum", second, g1);
        const ValueId total0 = accumulated("first sum", first, g0);
        const ValueId g = follows(pointwise("gradient of w", first, Phase::update, {total1, total0}, {"wide"}), w);
        const ValueId norm = follows(sum("norm of w", first, Phase::update, g, {}), w);
        const ValueId of_bias = follows(sum("norm of b", second, Phase::update, total1, {}), bias);
        const ValueId scale = pointwise("scale", optimizer, Phase::update, {norm, of_bias}, {});
        const ValueId decayed = follows(pointwise("decayed w", first, Phase::update, {w}, {"wide"}), w);
        write("new w", pointwise("new w", first, Phase::update, {w, g, scale, decayed}, {"wide"}), w);
        const ValueId kept = follows(pointwise("kept b", second, Phase::update, {bias}, {"wide"}), bias);
        write("new b", pointwise("new b", second, Phase::update, {bias, total1, scale, kept}, {"wide"}), bias);
    }

    ValueId pointwise(const std::string &name, LayerId layer, Phase phase, const std::vector<ValueId> &operands,
                      const std::vector<std::string> &result) {
        std::vector<graphs::Operand> plain;
        for (const ValueId operand : operands)
            plain.push_back(b.plain(operand));
        return b.operation({"op", layer, phase, Kernel::pointwise, false, Reduction::sum}, plain, result, name);
    }
    ValueId sum(const std::string &name, LayerId layer, Phase phase, ValueId of,
                const std::vector<std::string> &result) {
        return b.operation({"sum", layer, phase, Kernel::reduction, true, Reduction::sum}, {b.plain(of)}, result, name);
    }
    ValueId accumulated(const std::string &name, LayerId layer, ValueId of) {
        const ValueId total = pointwise(name, layer, Phase::weight_gradient, {of}, {"wide"});
        Operation &operation = b.graph.operations[b.graph.values[total].producer];
        operation.accumulates = true;
        operation.parameter = w;
        return total;
    }
    ValueId follows(ValueId value, ValueId parameter) {
        b.graph.operations[b.graph.values[value].producer].parameter = parameter;
        return value;
    }
    void write(const std::string &, ValueId value, ValueId variable) {
        b.graph.operations[b.graph.values[follows(value, variable)].producer].writes = {variable};
    }
};

/// Operations are not in the order of their levels: the norm of a weight may be needed before its gradient is there.
TEST(Stages, AVariableIsCopiedInTheFirstLevelThatTakesIt) {
    graphs::Mlp mlp{8, {4, 6, 2}, {"in", "wide", "out"}};
    Graph graph = graphs::training_step(mlp);
    OperationId last;
    ValueId weight;
    for (const OperationId o : graph.operations.ids()) {
        graph.operations[o].level = 2;
        for (const ValueId operand : graph.operations[o].operands)
            if (graph.values[operand].kind == ValueKind::variable) {
                last = o;
                weight = operand;
            }
    }
    graph.operations[last].level = 1;
    Storage stored;
    stored.parameters = {0};
    const LaidOut laid_out = lay_out(graph, Mesh{{2}}, graphs::everywhere(graph, {"batch"}), stored);
    const PerValue<std::vector<int>> levels = copy_levels(graph, laid_out);
    ASSERT_GT(levels[weight].size(), 1);
    EXPECT_EQ(levels[weight].front(), 1); // from it, the others are gathered
    for (const Operation &operation : graph.operations)
        for (const ValueId value : operation.results)
            for (const int level : levels[value])
                EXPECT_EQ(level, operation.level);
}

} // namespace

TEST(Stages, of_a_perceptron) {
    const Graph graph = graphs::training_step({8, {4, 5, 6, 3}, {"a", "b", "c", "d"}, true, true});
    const StagedGraph staged = sharding::staged(graph, stages(3, {0, 1, 2, 2}));
    EXPECT_EQ(crossings(graph, staged), (std::vector<std::string>{"fc1 0>1", "fc2 1>2", "gradient of fc3's input 2>1",
                                                                  "gradient of fc2's input 1>0"}));
    for (const OperationId o : graph.operations.ids()) {
        const LayerId layer = graph.operations[o].layer;
        EXPECT_EQ(staged.stages[o], std::vector{std::min(static_cast<int>(layer.index()), 2)});
        EXPECT_EQ(staged.levels[o], std::vector{0});
    }
    EXPECT_EQ(goes_back(graph, staged), "");
}

TEST(Stages, with_one_stage_nothing_crosses) {
    const Graph graph = graphs::training_step({8, {4, 5, 3}, {"a", "b", "c"}});
    EXPECT_TRUE(sharding::staged(graph, stages(1, {0, 0, 0})).crossings.empty());
}

TEST(Stages, of_a_parameter_that_two_use) {
    const Shared shared;
    const Graph &graph = shared.b.graph;
    const LayerStages layers = stages(2, {0, 1, LayerStages::everywhere});
    const auto users = stages_of_variables(graph, layers);
    EXPECT_EQ(users[shared.w], (std::vector{0, 1}));
    EXPECT_EQ(users[shared.bias], std::vector{1});
    const StagedGraph staged = sharding::staged(graph, layers);
    auto where = placed(graph, staged);
    EXPECT_EQ(where["first sum"], "0"); // where its terms are made
    EXPECT_EQ(where["second sum"], "1");
    EXPECT_EQ(where["gradient of w"], "0+1 1+1"); // after an exchange
    EXPECT_EQ(where["norm of w"], "0+1");         // one stage makes it
    EXPECT_EQ(where["norm of b"], "1");
    EXPECT_EQ(where["scale"], "0+1 1+2"); // everywhere
    EXPECT_EQ(where["new w"], "0+1 1+2");
    EXPECT_EQ(where["new b"], "1+2");
    EXPECT_EQ(where["decayed w"], "0+1 1+2"); // with what needs it
    EXPECT_EQ(where["kept b"], "1+2");
    EXPECT_EQ(crossings(graph, staged), (std::vector<std::string>{"h 0>1", "gradient of h 1>0", "second sum 1>0",
                                                                  "first sum 0>1", "norm of w 0>1", "norm of b 1>0"}));
    EXPECT_EQ(goes_back(graph, staged), "");
}

/// The same weight, with gradients that are added up in each micro-batch.
struct Added : Shared {
    ValueId total;

    Added() {
        b = Builder();
        first = b.layer("first");
        second = b.layer("second");
        x = b.value("x", ValueKind::free, first, {{"batch", 4}, {"wide", 6}});
        w = b.value("w", ValueKind::variable, first, {{"wide", 6}});
        const ValueId h = pointwise("h", first, Phase::forward, {x, w}, {"batch", "wide"});
        const ValueId y = pointwise("y", second, Phase::forward, {h, w}, {"batch", "wide"});
        const ValueId g1 = sum("second term", second, Phase::weight_gradient, y, {"wide"});
        const ValueId g0 = sum("first term", first, Phase::weight_gradient, h, {"wide"});
        const ValueId g = pointwise("gradient", first, Phase::weight_gradient, {g1, g0}, {"wide"});
        b.graph.operations[b.graph.values[g].producer].name = "add";
        total = accumulated("sum", first, g);
        write("new w", pointwise("new w", first, Phase::update, {w, total}, {"wide"}), w);
        for (Operation &operation : b.graph.operations)
            operation.per_step = operation.phase == Phase::update;
    }
};

TEST(Stages, sum_up_their_own_gradients) {
    const Added added;
    const LayerStages layers = stages(2, {0, 1});
    const std::vector<StageSum> sums = stage_sums(added.b.graph, layers);
    ASSERT_EQ(sums.size(), 1U);
    EXPECT_EQ(sums.front().parameter, added.w);
    ASSERT_EQ(sums.front().parts.size(), 2U);
    const Graph graph = with_stage_sums(added.b.graph, sums);
    const StagedGraph staged = sharding::staged(graph, layers);
    EXPECT_EQ(crossings(graph, staged), (std::vector<std::string>{"h 0>1", "sum 0>1", "sum 1>0"}));
    for (const OperationId o : graph.operations.ids())
        if (graph.operations[o].accumulates) {
            EXPECT_EQ(staged.stages[o].size(), 1U);
        }
    EXPECT_TRUE(stage_sums(graph, layers).empty());
}

TEST(Stages, of_replicas_exchange_sums_once_a_step) {
    const Added added;
    const LayerStages layers = stages(2, {0, 1});
    const Graph graph = with_replicas(with_stage_sums(added.b.graph, stage_sums(added.b.graph, layers)), 2);
    const StagedGraph staged = sharding::staged(graph, layers);
    std::map<std::string, int> times;
    for (const std::string &crossing : crossings(graph, staged))
        ++times[crossing];
    EXPECT_EQ(times["h 0>1"], 1);
    EXPECT_EQ(times["h 2>3"], 1);
    for (int from = 0; from < 4; ++from)
        for (int to = 0; to < 4; ++to)
            EXPECT_EQ(times["sum " + std::to_string(from) + ">" + std::to_string(to)], from == to ? 0 : 1);
}

TEST(Stages, what_is_everywhere_runs_where_it_is_needed) {
    Builder b;
    const LayerId free = b.layer("mask");
    const LayerId first = b.layer("first");
    const LayerId second = b.layer("second");
    const ValueId x = b.value("x", ValueKind::free, free, {{"batch", 4}});
    const auto add = [&](const std::string &name, LayerId layer, const std::vector<ValueId> &operands) {
        std::vector<graphs::Operand> plain;
        for (const ValueId operand : operands)
            plain.push_back(b.plain(operand));
        return b.operation({"op", layer, Phase::forward, Kernel::pointwise, false, Reduction::sum}, plain, {"batch"},
                           name);
    };
    const ValueId mask = add("mask", free, {x});
    const ValueId unused = add("unused", free, {x});
    const ValueId h = add("h", first, {x});
    const ValueId y = add("y", second, {h, mask});
    static_cast<void>(unused);
    static_cast<void>(y);
    const StagedGraph staged = sharding::staged(b.graph, stages(2, {LayerStages::everywhere, 0, 1}));
    auto where = placed(b.graph, staged);
    EXPECT_EQ(where["mask"], "1");
    EXPECT_EQ(where["unused"], "1"); // the last one, where nobody needs it
    EXPECT_EQ(crossings(b.graph, staged), std::vector<std::string>{"h 0>1"});
}

TEST(Stages, forward_passes_do_not_go_back) {
    const Graph graph = graphs::training_step({8, {4, 5, 3}, {"a", "b", "c"}});
    EXPECT_EQ(goes_back(graph, sharding::staged(graph, stages(2, {1, 0, 0}))), "'fc1' is needed by 'fc2'");
    EXPECT_EQ(goes_back(graph, sharding::staged(graph, stages(2, {0, 1, 0}))), "'fc2' is needed by 'loss'");
}

/// Whatever the graph: each stage has, or gets, what its operations take, exactly once.
TEST(Stages, of_random_graphs_have_what_they_need) {
    reference::Random random(11);
    for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const Graph graph = reference::random_graph(random);
        const int count = reference::uniform(random, 1, 4);
        LayerStages layers{count, {}};
        for (std::size_t layer = 0; layer < graph.layers.size(); ++layer)
            layers.of.push_back(reference::uniform(random, -1, count - 1));
        const StagedGraph staged = sharding::staged(graph, layers);
        std::set<std::pair<ValueId, int>> arrives;
        for (const Crossing &crossing : staged.crossings) {
            const std::vector<int> &made = staged.stages[graph.values[crossing.value].producer];
            EXPECT_EQ(crossing.from, made.front());
            EXPECT_FALSE(std::binary_search(made.begin(), made.end(), crossing.to));
            EXPECT_TRUE(arrives.emplace(crossing.value, crossing.to).second);
        }
        std::set<std::pair<ValueId, int>> taken;
        for (const OperationId o : graph.operations.ids()) {
            EXPECT_FALSE(staged.stages[o].empty());
            for (const int stage : staged.stages[o])
                for (const ValueId operand : graph.operations[o].operands)
                    if (graph.values[operand].kind == ValueKind::computed) {
                        const std::vector<int> &made = staged.stages[graph.values[operand].producer];
                        if (!std::binary_search(made.begin(), made.end(), stage)) {
                            EXPECT_TRUE(arrives.contains({operand, stage}));
                            taken.emplace(operand, stage);
                        }
                    }
        }
        EXPECT_EQ(taken, arrives);
    }
}

} // namespace planc::sharding

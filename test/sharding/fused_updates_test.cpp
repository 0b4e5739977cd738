// Updates as few operations: what the layout of all other values says must not change.
#include "sharding/fused_updates.h"

#include "sharding/bucket.h"
#include "sharding/check_graph.h"
#include "sharding/graphs.h"
#include "sharding/lay_out.h"
#include "sharding/random_graph.h"
#include "sharding/rewriting.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace planc::sharding {
namespace {

using namespace reference;
using graphs::Builder;

std::map<std::string, ValueId> values_by_name(const Graph &graph) {
    std::map<std::string, ValueId> values;
    for (const ValueId v : graph.values.ids())
        values[graph.values[v].name] = v;
    return values;
}

Graph with_names_of_their_own(Graph graph) {
    for (const ValueId v : graph.values.ids())
        graph.values[v].name = std::to_string(v.number());
    return graph;
}

void expect_equal_copies(const Graph &graph, ValueId v, const LaidOut &laid_out, const Graph &fused, ValueId of_fused,
                         const LaidOut &fused_laid_out) {
    const std::vector<Copy> &all = laid_out.copies[v];
    const std::vector<Copy> &others = fused_laid_out.copies[of_fused];
    ASSERT_EQ(all.size(), others.size());
    for (std::size_t c = 0; c < all.size(); ++c) {
        EXPECT_EQ(all[c].placement, others[c].placement);
        EXPECT_EQ(all[c].source, others[c].source);
        EXPECT_EQ(all[c].steps, others[c].steps);
        EXPECT_EQ(times(graph, v, all[c]), times(fused, of_fused, others[c]));
        if (!all[c].steps.empty()) {
            EXPECT_EQ(all[c].layer, others[c].layer);
            EXPECT_EQ(all[c].phase, others[c].phase);
            EXPECT_EQ(all[c].pass, others[c].pass);
        }
    }
}

std::set<std::string> stored(const Graph &graph) {
    std::set<std::string> names;
    for (const Operation &operation : graph.operations)
        for (std::size_t i = 0; i < operation.writes.size(); ++i)
            if (operation.writes[i])
                names.insert(graph.values[operation.results[i]].name + " in " + graph.values[operation.writes[i]].name);
    return names;
}

std::vector<std::vector<std::string>> members(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh) {
    std::vector<std::vector<std::string>> names;
    for (const Bucket &bucket : buckets(graph, laid_out, mesh)) {
        std::vector<std::string> &own = names.emplace_back();
        for (const BucketMember &member : bucket.members)
            own.push_back(graph.values[member.value].name + " " + std::to_string(member.copy));
    }
    return names;
}

void expect_same_communication(const Graph &graph, const Graph &fused, Random &random) {
    const Mesh mesh = random_mesh(random, 3, 8);
    const LayerStrategies layers = random_strategies(graph, mesh, random);
    const Storage storage = uniform(random, 0, 2) > 0 ? random_storage(mesh, random) : Storage();
    ASSERT_EQ(check_graph(fused), "");
    EXPECT_EQ(stored(graph), stored(fused));
    const LaidOut laid_out = lay_out(graph, mesh, layers, storage);
    const LaidOut fused_laid_out = lay_out(fused, mesh, layers, storage);
    const auto names = values_by_name(graph);
    for (const ValueId v : fused.values.ids()) {
        SCOPED_TRACE(fused.values[v].name);
        expect_equal_copies(graph, names.at(fused.values[v].name), laid_out, fused, v, fused_laid_out);
    }
    EXPECT_EQ(members(graph, laid_out, mesh), members(fused, fused_laid_out, mesh));
}

TEST(FusedUpdates, CommunicateTheSameInRandomGraphs) {
    Random random(11);
    std::size_t left_out = 0;
    for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const Graph graph = with_names_of_their_own(random_graph(random));
        const Graph fused = with_fused_updates(graph);
        left_out += graph.operations.size() - fused.operations.size();
        expect_same_communication(graph, fused, random);
    }
    EXPECT_GT(left_out, 100);
}

/// The update of one parameter, by a step that a number scales.
struct Updates {
    Builder b;
    LayerId layer = b.layer("dense");
    ValueId w = b.value("w", ValueKind::variable, layer, {{"in", 4}, {"out", 6}});
    ValueId state = b.value("state", ValueKind::variable, layer, {{"in", 4}, {"out", 6}});
    ValueId gradient = b.value("gradient", ValueKind::free, layer, {{"in", 4}, {"out", 6}});
    ValueId rate = b.value("rate", ValueKind::free, layer, {});
    ValueId used = b.operation({"use", layer, Phase::forward}, {b.plain(w)}, {"in", "out"}, "used");

    ValueId scaled(ValueId tensor, ValueId number) {
        const ValueId result =
            b.operation({"mul", layer, Phase::update}, {b.plain(tensor), b.plain(number)}, {"in", "out"}, "scaled");
        b.graph.operations.back().parameter = w;
        return result;
    }
    ValueId cast() {
        const ValueId result = b.operation({"identity", layer, Phase::update}, {b.plain(rate)}, {}, "cast");
        b.graph.operations.back().parameter = w;
        return result;
    }
    void finish(ValueId step) {
        const ValueId moved = b.update("add", layer, w, {state, step}, {state})[0];
        b.update("sub", layer, w, {w, moved}, {w});
    }
};

TEST(FusedUpdates, ReadWhatComesFromOutsideAndMakeWhatIsStored) {
    Updates updates;
    updates.finish(updates.scaled(updates.gradient, updates.cast()));
    for (const Operation &operation : updates.b.graph.operations)
        updates.b.graph.work.push_back(alone(updates.b.graph, operation));
    const Graph fused = with_fused_updates(updates.b.graph);
    ASSERT_EQ(fused.operations.size(), 2U);
    const Operation &update = fused.operations[OperationId(1)];
    const auto names = [&](const std::vector<ValueId> &values) {
        std::vector<std::string> result;
        for (const ValueId value : values)
            result.push_back(fused.values[value].name);
        return result;
    };
    EXPECT_EQ(names(update.operands), (std::vector<std::string>{"rate", "gradient", "state", "w"}));
    EXPECT_EQ(names(update.writes), (std::vector<std::string>{"state", "w"}));
    const std::vector<Part> &parts = fused.work[OperationId(1)]->parts;
    ASSERT_EQ(parts.size(), 4U);
    EXPECT_EQ(parts[1].operands[0].of, 1) << "the gradient";
    EXPECT_EQ(parts[1].operands[1].of, -1) << "the number";
    EXPECT_EQ(parts[2].results[0].of, 0);
    EXPECT_EQ(parts[3].results[0].of, 1);
}

TEST(FusedUpdates, CommunicateTheSameWithNumbersAmongTensors) {
    Updates updates;
    const ValueId early = updates.scaled(updates.gradient, updates.rate);
    updates.finish(updates.scaled(early, updates.cast()));
    const Graph graph = with_names_of_their_own(updates.b.graph);
    const Graph fused = with_fused_updates(graph);
    EXPECT_EQ(fused.operations.size(), 2U);
    Random random(12);
    for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i)
        expect_same_communication(graph, fused, random);
}

TEST(FusedUpdates, SquaresForTheNormOfAWeightDoNotWaitForItsGradient) {
    Updates updates;
    Builder &b = updates.b;
    const ValueId early = updates.scaled(updates.gradient, updates.rate);
    const ValueId squares = updates.scaled(updates.w, updates.rate);
    b.graph.values[squares].name = "squares";
    const ValueId norm = b.operation({"sum", updates.layer, Phase::update}, {b.plain(squares)}, {}, "norm");
    b.graph.operations.back().parameter = updates.w;
    updates.finish(updates.scaled(early, norm));
    const Graph fused = with_fused_updates(b.graph);
    for (const Value &value : fused.values)
        if (value.name == "squares") {
            std::vector<std::string> needed;
            for (const ValueId operand : fused.operations[value.producer].operands)
                needed.push_back(fused.values[operand].name);
            EXPECT_EQ(needed, (std::vector<std::string>{"w", "rate"}));
        }
    EXPECT_LT(fused.operations.size(), b.graph.operations.size());
}

TEST(FusedUpdates, ANumberThatIsNeededElsewhereStays) {
    Updates updates;
    const ValueId cast = updates.cast();
    updates.finish(updates.scaled(updates.gradient, cast));
    updates.b.graph.outputs.push_back(cast);
    EXPECT_EQ(with_fused_updates(updates.b.graph).operations.size(), updates.b.graph.operations.size());
}

} // namespace
} // namespace planc::sharding

// The lemmas of certificate/pricing.h, against cost::price(); the space, against the planner's.
#include "certificate/certificate.h"
#include "certificate/requests.h"
#include "certificate/space.h"
#include "plan/space/space.h"
#include "plan/space/storage.h"
#include "sharding/graphs.h"
#include "sharding/placement.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace planc::certificate {
namespace {

using reference::random_planned;
using sharding::reference::Random;
using sharding::reference::uniform;

TEST(Space, IsThePlanners) {
    Random random(71);
    int ruled = 0;
    for (int trial = 0; trial < 250; ++trial) {
        SCOPED_TRACE(trial);
        const auto planned = random_planned(random);
        if (!planned)
            continue;
        const plan::Request &request = planned->request;
        const std::vector<plan::MeshShape> searched = plan::mesh_shapes(request);
        const std::vector<Shape> allowed = shapes(request);
        ASSERT_EQ(allowed.size(), searched.size());
        for (const Shape &shape : allowed) {
            const auto same = std::find_if(searched.begin(), searched.end(), [&](const plan::MeshShape &each) {
                return each.axes == shape.axes && each.mesh.sizes == shape.mesh.sizes;
            });
            ASSERT_NE(same, searched.end());
            const plan::Space space = plan::make_space(request, *same);
            const auto options = strategies(request, shape);
            ASSERT_EQ(options.size(), space.options.size());
            for (const LayerId l : options.ids()) {
                EXPECT_TRUE(std::is_permutation(options[l].begin(), options[l].end(), space.options[l]->begin(),
                                                space.options[l]->end()));
                ruled += request.pins.contains(l) && !request.pins[l].empty();
            }
            const std::vector<Storage> stored = storages(request, shape.mesh, shape.axes);
            const std::vector<plan::StorageChoice> choices = plan::storage_choices(request, *same);
            ASSERT_EQ(stored.size(), choices.size());
            for (std::size_t i = 0; i < stored.size(); ++i)
                EXPECT_EQ(stored[i], choices[i].storage);
        }
    }
    EXPECT_GT(ruled, 50);
}

Kept all_of(const PerLayer<Strategies> &options) {
    Kept kept(options.size());
    for (const LayerId l : options.ids())
        for (int x = 0; x < static_cast<int>(options[l].size()); ++x)
            kept[l].push_back(x);
    return kept;
}

/// Of a plan the terms' sum; `priced`: after its entries have been made exact.
double sum_of(Terms &terms, std::vector<Factor> &factors, const PerLayer<int> &values, bool priced) {
    double sum = terms.constant();
    for (const LayerId l : values.ids())
        sum += terms.alone()[l][values[l]];
    for (Factor &factor : factors) {
        std::size_t entry = 0;
        std::vector<int> classes;
        for (std::size_t i = 0; i < factor.layers.size(); ++i) {
            classes.push_back(factor.class_of[i][values[factor.layers[i]]]);
            entry = entry * static_cast<std::size_t>(factor.classes[i]) + static_cast<std::size_t>(classes.back());
        }
        if (priced)
            terms.price(factor, entry, classes);
        sum += factor.seconds[entry];
    }
    return sum;
}

/// Every value is charged for calls that it may share, with others that are drawn. Some calls are known to occur, or
/// not to.
Weights random_weights(Random &random, Terms &terms, const LayerStrategies &layers, double seconds, double limit) {
    Weights weights;
    sharding::Copies copies = terms.copies(layers);
    const sharding::Graph &graph = terms.pricing().graph();
    std::set<SharedCall> used;
    for (const ValueId v : graph.values.ids())
        for (const auto &[call, latency] : terms.pricing().price(v, terms.pricing().numbers(v, copies)).shared) {
            used.insert(call);
            if (uniform(random, 0, 2) > 0)
                if (std::vector<ValueId> &values = weights.latency[call]; values.empty() || values.back() != v)
                    values.push_back(v);
        }
    for (const SharedCall &call : used)
        if (!call.update && uniform(random, 0, 1))
            weights.occurs[call] = true;
    for (int axis = 0; axis < static_cast<int>(terms.pricing().mesh().sizes.size()); ++axis)
        if (const SharedCall call{false, 4, {axis}}; !used.contains(call) && uniform(random, 0, 1))
            weights.occurs[call] = false;
    weights.penalty = seconds;
    if (uniform(random, 0, 1)) {
        weights.seconds_per_byte = seconds / limit * uniform(random, 1, 100) / 10;
        weights.operation = OperationId(uniform(random, -1, static_cast<int>(graph.operations.size()) - 1));
    }
    return weights;
}

TEST(Terms, AreBelowThePriceOfEveryPlan) {
    Random random(72);
    int samples = 0;
    int tight = 0;
    int shared = 0;
    int occurring = 0;
    int absent = 0;
    for (int trial = 0; trial < 120; ++trial) {
        SCOPED_TRACE(trial);
        const auto planned = random_planned(random);
        if (!planned)
            continue;
        const plan::Request &request = planned->request;
        const std::vector<Shape> all = shapes(request);
        const Shape &shape = all[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(all.size()) - 1))];
        const std::vector<Storage> stored = storages(request, shape.mesh, shape.axes);
        const Storage &storage =
            stored[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(stored.size()) - 1))];
        const auto options = strategies(request, shape);
        const sharding::GraphIndex index(request.graph);
        const StepScopes step(index, request.machine, 0);
        const double limit = planned->plan.cost->memory.total().value;
        Pricing pricing(step, shape.mesh, request.machine);
        Terms terms(step, pricing, storage, limit, options);
        for (int sample = 0; sample < 12; ++sample) {
            PerLayer<int> values;
            LayerStrategies layers;
            for (const Strategies &of_layer : options) {
                values.push_back(uniform(random, 0, static_cast<int>(of_layer.size()) - 1));
                layers.push_back(of_layer[static_cast<std::size_t>(values.back())]);
            }
            const cost::CostTable table = plan::evaluate(request, shape.mesh, shape.axes, layers, storage);
            const double seconds = table.seconds().value;
            const Weights weights = random_weights(random, terms, layers, seconds, limit);
            terms.weigh(weights);
            const double relaxed =
                seconds + weights.seconds_per_byte * (table.memory.total().value - limit) + 1e-9 * seconds;
            std::vector<Factor> pairs = terms.factors(all_of(options), false);
            EXPECT_LE(sum_of(terms, pairs, values, false), relaxed);
            std::vector<Factor> whole = terms.factors(all_of(options), true);
            const double bound = sum_of(terms, whole, values, false);
            const double exact = sum_of(terms, whole, values, true);
            EXPECT_LE(bound, exact + 1e-9 * std::abs(exact));
            EXPECT_LE(exact, relaxed);
            ++samples;
            tight += weights.seconds_per_byte == 0 && exact > 0.9 * seconds;
            shared += !weights.latency.empty();
            for (const auto &[call, occurs] : weights.occurs)
                ++(occurs ? occurring : absent);
        }
    }
    EXPECT_GT(samples, 800);
    EXPECT_GT(tight, samples / 4);
    EXPECT_GT(shared, 100);
    EXPECT_GT(occurring, 40);
    EXPECT_GT(absent, 100);
}

LayerStrategies random_layers(Random &random, const PerLayer<Strategies> &options) {
    LayerStrategies layers;
    for (const Strategies &of_layer : options)
        layers.push_back(of_layer[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(of_layer.size()) - 1))]);
    return layers;
}

TEST(LeastTransfers, CountWhatArrives) {
    const Mesh mesh{{4}};
    cost::Machine machine;
    machine.levels[0].link = {cost::Seconds(1e-6), 1e9, {}, 1};
    sharding::WireVolumes volumes(mesh);
    sharding::Reshards shape(volumes);
    const int rows = shape.number({{{8, {0}}, {8, {}}}, {}});
    const int columns = shape.number({{{8, {}}, {8, {0}}}, {}});
    const int everywhere = shape.number({{{8, {}}, {8, {}}}, {}});
    const int sums = shape.number({{{8, {}}, {8, {}}}, {0}});
    LeastTransfers transfers(mesh, machine);
    const auto seconds = [&](int from, int to) { return transfers.seconds(shape, from, to, 4, false); };
    EXPECT_DOUBLE_EQ(seconds(rows, columns), 12 * 4e-9);
    EXPECT_DOUBLE_EQ(seconds(rows, everywhere), 48 * 4e-9);
    EXPECT_DOUBLE_EQ(seconds(everywhere, rows), 0);
    EXPECT_DOUBLE_EQ(seconds(sums, rows), 48 * 4e-9);
    EXPECT_DOUBLE_EQ(seconds(sums, everywhere), 96 * 4e-9);
    EXPECT_DOUBLE_EQ(transfers.seconds(shape, sums, everywhere, 4, true), 96 * 4e-9 + 6e-6); // two rings
}

TEST(LeastTransfers, NoSumOfTouchedRowsTakesLess) {
    Random random(74);
    int positive = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        SCOPED_TRACE(trial);
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 24);
        cost::Machine machine;
        machine.levels[0].link = {cost::Seconds(1e-6), 1e9, {}, 1};
        const int rows = uniform(random, 1, 40);
        const int features = uniform(random, 1, 4);
        const sharding::Placement from = sharding::reference::random_product_result(random, mesh, rows, features);
        const sharding::Placement to =
            uniform(random, 0, 1) == 1 && planrt::has_addends(from)
                ? sharding::summed(from)
                : sharding::reference::random_placement({rows, features}, mesh, false, random);
        sharding::WireVolumes volumes(mesh);
        sharding::Reshards shape(volumes);
        const int lies = shape.number(from);
        const int wanted = shape.number(to);
        cost::StepPrices prices(mesh, machine);
        double transfer = 0;
        double seconds = 0;
        for (const sharding::Step &step : shape.route(lies, wanted).steps) {
            transfer += prices.of(step, 4).price.transfer.value;
            seconds += prices.of(step, 4).price.seconds().value;
        }
        LeastTransfers transfers(mesh, machine);
        const double bound = transfers.seconds(shape, lies, wanted, 4, false);
        EXPECT_LE(bound, transfer * (1 + 1e-9));
        EXPECT_LE(transfers.seconds(shape, lies, wanted, 4, true), seconds * (1 + 1e-9));
        positive += planrt::has_addends(from) && bound > 0 ? 1 : 0;
    }
    EXPECT_GT(positive, 200);
}

TEST(LeastTransfers, NoRouteTakesLess) {
    Random random(73);
    int routes = 0;
    double least = 0;
    double priced = 0;
    for (int trial = 0; trial < 150; ++trial) {
        SCOPED_TRACE(trial);
        const auto planned = random_planned(random);
        if (!planned)
            continue;
        const plan::Request &request = planned->request;
        const Shape shape = shapes(request).front();
        const auto options = strategies(request, shape);
        const sharding::GraphIndex index(request.graph);
        LeastTransfers transfers(shape.mesh, request.machine);
        sharding::MeshReshards reshards(shape.mesh);
        cost::StepPrices prices(shape.mesh, request.machine);
        for (int sample = 0; sample < 6; ++sample) {
            const LayerStrategies layers = random_layers(random, options);
            const Storage storage = storages(request, shape.mesh, shape.axes).back();
            sharding::Copies copies(index, shape.mesh, layers, storage, reshards);
            for (const ValueId v : request.graph.values.ids()) {
                if (request.graph.values[v].kind == sharding::ValueKind::free)
                    continue;
                sharding::Reshards &of_shape = reshards.of(request.graph.values[v].extents);
                const int from = of_shape.number(copies.origin(v));
                for (const sharding::Need &need : sharding::needs(index, v)) {
                    const int to = of_shape.number(copies.wanted(v, need));
                    double seconds = 0;
                    for (const sharding::Step &step : of_shape.route(from, to).steps)
                        seconds += prices.of(step, 4).price.seconds().value;
                    const double bound = transfers.seconds(of_shape, from, to, 4, true);
                    EXPECT_LE(bound, seconds * (1 + 1e-9));
                    ++routes;
                    least += bound;
                    priced += seconds;
                }
            }
        }
    }
    EXPECT_GT(routes, 5000);
    EXPECT_GT(least, 0.3 * priced); // on machines with levels, the fastest link bounds
}

/// Copies of values of one kind are made alike if the layers of both have equal strategies.
TEST(Kinds, AreAlike) {
    Random random(74);
    int compared = 0;
    for (int trial = 0; trial < 30; ++trial) {
        SCOPED_TRACE(trial);
        plan::Request request = plan::reference::random_request(random);
        sharding::graphs::Mlp mlp{64, {64}, {"pixel"}, true, true};
        for (int layer = 0; layer < 6; ++layer) {
            mlp.widths.push_back(64);
            mlp.roles.emplace_back("hidden");
        }
        request.graph = sharding::graphs::training_step(mlp);
        request.pins.clear();
        const Shape shape = shapes(request).front();
        const Storage storage = storages(request, shape.mesh, shape.axes).back();
        const auto options = strategies(request, shape);
        const sharding::GraphIndex index(request.graph);
        const Kinds kinds(index, request.machine);
        for (const ValueId v : request.graph.values.ids())
            for (const ValueId w : request.graph.values.ids()) {
                const std::vector<LayerId> of_v = sharding::scope(index, v);
                const std::vector<LayerId> of_w = sharding::scope(index, w);
                if (v == w || kinds.of_value[v] != kinds.of_value[w])
                    continue;
                ASSERT_EQ(of_v.size(), of_w.size());
                LayerStrategies layers = random_layers(random, options);
                bool possible = true;
                for (std::size_t i = 0; i < of_v.size(); ++i)
                    possible &= options[of_v[i]] == options[of_w[i]];
                for (std::size_t i = 0; i < of_v.size() && possible; ++i)
                    layers[of_w[i]] = layers[of_v[i]];
                for (std::size_t i = 0; i < of_v.size() && possible; ++i)
                    possible = layers[of_w[i]] == layers[of_v[i]]; // they may share layers in other places
                if (!possible)
                    continue;
                const auto a = sharding::copies_of(index, shape.mesh, layers, v, storage);
                const auto b = sharding::copies_of(index, shape.mesh, layers, w, storage);
                ASSERT_EQ(a.size(), b.size());
                for (std::size_t c = 0; c < a.size(); ++c) {
                    EXPECT_EQ(a[c].placement, b[c].placement);
                    EXPECT_EQ(a[c].steps, b[c].steps);
                    EXPECT_EQ(a[c].source, b[c].source);
                    EXPECT_EQ(a[c].phase, b[c].phase);
                    EXPECT_EQ(sharding::times(request.graph, v, a[c]), sharding::times(request.graph, w, b[c]));
                }
                ++compared;
            }
    }
    EXPECT_GT(compared, 500);
}

} // namespace
} // namespace planc::certificate

// The lemmas of certificate/pricing.h, against cost::price(); the space, against the planner's.
#include "certificate/certificate.h"
#include "certificate/requests.h"
#include "certificate/space.h"
#include "plan/space.h"
#include "plan/storage.h"

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
    for (int trial = 0; trial < 200; ++trial) {
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
        std::vector<int> at;
        std::size_t entry = 0;
        for (std::size_t i = 0; i < factor.layers.size(); ++i) {
            at.push_back(factor.class_of[i][values[factor.layers[i]]]);
            entry = entry * static_cast<std::size_t>(factor.classes[i]) + static_cast<std::size_t>(at.back());
        }
        if (priced)
            terms.price(factor, at);
        sum += factor.seconds[entry];
    }
    return sum;
}

/// Every value is charged for calls that it may share, with others that are drawn.
Weights random_weights(Random &random, Terms &terms, const LayerStrategies &layers, double seconds, double limit) {
    Weights weights;
    sharding::Copies copies = terms.copies(layers);
    const sharding::Graph &graph = terms.pricing().graph();
    for (const ValueId v : graph.values.ids())
        for (const auto &[call, latency] : terms.pricing().price(v, terms.pricing().numbers(v, copies)).shared)
            if (uniform(random, 0, 2) > 0)
                if (std::vector<ValueId> &values = weights.latency[call]; values.empty() || values.back() != v)
                    values.push_back(v);
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
    for (int trial = 0; trial < 120; ++trial) {
        SCOPED_TRACE(trial);
        const auto planned = random_planned(random);
        if (!planned)
            continue;
        const plan::Request &request = planned->request;
        const std::vector<Shape> all = shapes(request);
        const Shape shape = all[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(all.size()) - 1))];
        const std::vector<Storage> stored = storages(request, shape.mesh, shape.axes);
        const Storage storage =
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
        }
    }
    EXPECT_GT(samples, 800);
    EXPECT_GT(tight, samples / 4);
    EXPECT_GT(shared, 100);
}

} // namespace
} // namespace planc::certificate

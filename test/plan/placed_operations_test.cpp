// Where a search takes tensors to lie is where laying them out puts them.
#include "plan/terms/term_builder.h"
#include "sharding/convolutions.h"
#include "sharding/graphs.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

namespace planc::plan {
namespace {

using sharding::reference::Random;
using sharding::reference::uniform;

sharding::Graph random_graph(Random &random, int trial) {
    if (trial % 2 == 0)
        return sharding::reference::random_graph(random);
    const std::int64_t channels = uniform(random, 2, 16);
    const sharding::graphs::Spatial height{"height", uniform(random, 8, 60), 3, uniform(random, 1, 2), 1, 1, 1};
    return sharding::graphs::convolutional_step(
        {{uniform(random, 2, 16), 3, channels, {height}}, {uniform(random, 2, 16), channels, channels, {height}}});
}

/// Some reductions of some take the largest instead of the sum: their results are told apart.
void take_maxima(sharding::Graph &graph, Random &random) {
    for (sharding::Operation &operation : graph.operations)
        if (!operation.parameter && uniform(random, 0, 1)) {
            operation.nest.reduction = planrt::Reduction::max;
            operation.nest.linear = false;
        }
}

class Placed : TermBuilder {
  public:
    Placed(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
           const Storage &storage, TermCache &cache)
        : TermBuilder(step, space, mesh, machine, storage, cache) {}

    /// Returns how many placements there were.
    int expect_as_derived() {
        int count = 0;
        for (const OperationId o : graph_.operations.ids())
            if (!graph_.operations[o].parameter && !index_.may_pass_partial[o])
                count += expect_as_derived(o);
        return count;
    }

  private:
    int expect_as_derived(OperationId o) {
        const sharding::Operation &operation = graph_.operations[o];
        const Strategies &options = *space_.options[operation.layer];
        auto each_its_own = std::make_shared<std::vector<int>>(options.size());
        std::iota(each_its_own->begin(), each_its_own->end(), 0);
        const Term term{{operation.layer}, {each_its_own}, {static_cast<int>(options.size())}, nullptr, {}};
        std::vector<Column> operands;
        std::vector<Column> results;
        for (int i = 0; i < static_cast<int>(operation.operands.size()); ++i)
            operands.push_back(wanted(term, operation.operands[i], {o, i}));
        for (const ValueId value : operation.results)
            results.push_back(origin(term, value));
        for (std::size_t s = 0; s < options.size(); ++s) {
            const sharding::Strategy bound = sharding::bind(options[s], operation.nest, mesh_);
            const sharding::Derived derived = sharding::derive(operation.nest, bound, mesh_);
            for (std::size_t i = 0; i < operands.size(); ++i)
                EXPECT_EQ(reshards_of(operation.operands[i]).placement(operands[i].numbers[s]), derived.operands[i]);
            for (std::size_t i = 0; i < results.size(); ++i)
                EXPECT_EQ(reshards_of(operation.results[i]).placement(results[i].numbers[s]), derived.results[i]);
        }
        return static_cast<int>(options.size() * (operands.size() + results.size()));
    }
};

TEST(PlacedOperations, NumbersNameWhatIsDerived) {
    Random random(59);
    int count = 0;
    for (int trial = 0; trial < 400; ++trial) {
        SCOPED_TRACE(trial);
        sharding::Graph graph = random_graph(random, trial);
        take_maxima(graph, random);
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 24);
        const sharding::GraphIndex index(graph);
        const StepStructure step(index, Machine{});
        PerLayer<Strategies> all(graph.layers.size());
        for (int i = uniform(random, 2, 12); i > 0; --i) { // also in any order of axes
            const LayerStrategies some = sharding::reference::random_strategies(graph, mesh, random);
            for (const LayerId layer : some.ids())
                all[layer].push_back(some[layer]);
        }
        Space space;
        for (Strategies &options : all)
            space.options.push_back(std::make_shared<const Strategies>(std::move(options)));
        const Machine machine;
        const Storage storage;
        TermCache cache(mesh, machine);
        count += Placed(step, space, mesh, machine, storage, cache).expect_as_derived();
    }
    EXPECT_GT(count, 20000);
}

} // namespace
} // namespace planc::plan

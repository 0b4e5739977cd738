// What is left out of a search was rightly left out: bounds are below prices, and the answer is that of the whole
// space.
#include "plan/bounds/marginals.h"
#include "plan/bounds/relaxation.h"
#include "plan/search/narrowed_search.h"
#include "sharding/convolutions.h"
#include "sharding/graphs.h"
#include "sharding/placement.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace planc::plan {
namespace {

using sharding::reference::Random;
using sharding::reference::uniform;

/// What MPI's calls take in groups of up to 4 ranks, below and above a size.
void add_random_rates(Random &random, Machine &machine) {
    for (const char *collective : {"allreduce", "reduce_scatter", "allgather", "alltoall", "exchange"}) {
        const int ranks = uniform(random, 2, 4);
        for (const double above : {0.0, 300.0})
            machine.collectives.push_back(
                {collective, ranks, above, Seconds(1e-6 * uniform(random, 0, 5)), 1e9 * uniform(random, 1, 5)});
    }
}

Machine random_machine(Random &random) {
    Machine machine;
    machine.flops_per_second = uniform(random, 0, 1) ? 1e9 : 1e11;
    machine.network().latency = Seconds(uniform(random, 0, 1) ? 1e-6 : 1e-4);
    machine.network().bytes_per_second = 1e9;
    if (uniform(random, 0, 1))
        machine.levels.insert(machine.levels.begin(), {uniform(random, 2, 3), {Seconds(5e-7), 4e9}});
    else if (uniform(random, 0, 2) == 0)
        machine.network().shape = {4, 4};
    if (uniform(random, 0, 1))
        machine.algorithms.allreduce = {{cost::Algorithm::recursive_doubling, 0},
                                        {cost::Algorithm::rabenseifner, 64},
                                        {cost::Algorithm::hierarchical, 512}};
    if (uniform(random, 0, 1))
        machine.algorithms.allgather = {{cost::Algorithm::recursive_doubling, 0}, {cost::Algorithm::ring, 256}};
    if (uniform(random, 0, 2) == 0)
        add_random_rates(random, machine);
    return machine;
}

std::vector<std::int64_t> random_extents(Random &random) {
    std::vector<std::int64_t> extents;
    for (int d = uniform(random, 1, 3); d > 0; --d)
        extents.push_back(uniform(random, 1, 40));
    return extents;
}

struct RouteCount {
    int positive = 0; ///< routes that cost something
    int tight = 0;    ///< of them, whose bound is near that
};

void expect_below_price(sharding::Reshards &reshards, int from, int to, const Mesh &mesh, const Machine &machine,
                        TransferBounds &bounds, RouteCount &count) {
    const sharding::Reshards::Route &route = reshards.route(from, to);
    if (!route.possible)
        return;
    double price = 0;
    double without_latency = 0;
    for (const sharding::Step &step : route.steps) {
        const cost::Price each = cost::price_step(step, 4, mesh, machine).price;
        price += each.seconds().value;
        without_latency += (each.transfer + each.arithmetic).value;
    }
    TransferBounds::OfShape &transfers = bounds.of(reshards);
    const double bound = transfers.directly(from, to, 4, true).value;
    EXPECT_LE(bound, price * (1 + 1e-12));
    EXPECT_LE(transfers.directly(from, to, 4, false).value, without_latency * (1 + 1e-12));
    EXPECT_LE(transfers.seconds(from, to, 4, true).value, bound * (1 + 1e-12));
    EXPECT_TRUE(transfers.possible(from, to) || from == to);
    count.positive += price > 0;
    count.tight += price > 0 && bound > 0.7 * price;
}

TEST(TransferBounds, AreBelowThePriceOfEveryRoute) {
    Random random(51);
    RouteCount count;
    for (int trial = 0; trial < 20000; ++trial) {
        SCOPED_TRACE(trial);
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 24);
        const Machine machine = random_machine(random);
        const std::vector<std::int64_t> extents = random_extents(random);
        sharding::WireVolumes volumes(mesh);
        sharding::Reshards reshards(volumes);
        const bool stored = uniform(random, 0, 2) == 0;
        const sharding::Placement lies = sharding::reference::random_placement(extents, mesh, true, random, stored);
        const int from = reshards.number(lies);
        sharding::Placement wanted = sharding::reference::random_placement(extents, mesh, true, random, stored);
        if (stored && uniform(random, 0, 1)) { // as it is between a parameter and its shares
            wanted.dimensions = lies.dimensions;
            for (std::vector<int> *axes : {&wanted.partial, &wanted.stored})
                std::erase_if(*axes, [&](int axis) { return sharding::cuts(lies, axis); });
        }
        if (!stored && uniform(random, 0, 1))
            wanted = sharding::reference::with_random_windows(std::move(wanted), random);
        const int to = reshards.number(wanted);
        TransferBounds bounds(mesh, machine);
        expect_below_price(reshards, from, to, mesh, machine, bounds, count);
    }
    EXPECT_GT(count.positive, 4000);
    EXPECT_GT(count.tight, count.positive / 8); // else it would be of no use
}

TEST(TransferBounds, OfTouchedRowsAreBelowThePriceOfEveryRoute) {
    Random random(58);
    RouteCount count;
    for (int trial = 0; trial < 5000; ++trial) {
        SCOPED_TRACE(trial);
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 24);
        const Machine machine = random_machine(random);
        const std::vector<std::int64_t> extents = {uniform(random, 1, 40), uniform(random, 1, 4)};
        sharding::WireVolumes volumes(mesh);
        sharding::Reshards reshards(volumes);
        const sharding::Placement from = sharding::reference::random_product_result(
            random, mesh, static_cast<int>(extents[0]), static_cast<int>(extents[1]));
        const sharding::Placement to =
            uniform(random, 0, 1) == 1 && planrt::has_addends(from)
                ? sharding::summed(from)
                : sharding::reference::random_placement(extents, mesh, false, random, uniform(random, 0, 2) == 0);
        TransferBounds bounds(mesh, machine);
        const int lies = reshards.number(from);
        expect_below_price(reshards, lies, reshards.number(to), mesh, machine, bounds, count);
    }
    EXPECT_GT(count.positive, 1000);
}

// As a search asks: of many placements of one shape, in any order, what is known of some of them serves the others.
TEST(TransferBounds, OfManyPlacementsAreThoseOfEachPair) {
    Random random(57);
    RouteCount count;
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        const Mesh mesh = sharding::reference::random_mesh(random, 3, 24);
        const Machine machine = random_machine(random);
        const std::vector<std::int64_t> extents = random_extents(random);
        sharding::WireVolumes volumes(mesh);
        sharding::Reshards reshards(volumes);
        std::vector<int> numbers;
        for (int i = 0; i < 12; ++i) {
            sharding::Placement each = sharding::reference::random_placement(extents, mesh, true, random);
            if (i % 3 == 0)
                each = sharding::reference::with_random_windows(std::move(each), random);
            numbers.push_back(reshards.number(each));
        }
        TransferBounds together(mesh, machine);
        for (int pair = 0; pair < 60; ++pair) {
            const int from = numbers[static_cast<std::size_t>(uniform(random, 0, 11))];
            const int to = numbers[static_cast<std::size_t>(uniform(random, 0, 11))];
            expect_below_price(reshards, from, to, mesh, machine, together, count);
            TransferBounds alone(mesh, machine);
            for (const bool latency : {false, true})
                EXPECT_EQ(together.of(reshards).directly(from, to, 4, latency),
                          alone.of(reshards).directly(from, to, 4, latency));
        }
    }
    EXPECT_GT(count.positive, 4000);
}

/// Every assignment's marginals, by enumeration.
std::vector<std::vector<double>> exact_marginals(const Problem &problem) {
    std::vector<std::vector<double>> least;
    for (int domain : problem.domains)
        least.emplace_back(domain, std::numeric_limits<double>::infinity());
    std::vector<int> values(problem.domains.size(), 0);
    while (true) {
        const double seconds = evaluate(problem, values).seconds;
        for (std::size_t v = 0; v < values.size(); ++v)
            least[v][values[v]] = std::min(least[v][values[v]], seconds);
        std::size_t v = 0;
        while (v < values.size() && ++values[v] == problem.domains[v])
            values[v++] = 0;
        if (v == values.size())
            return least;
    }
}

/// Tables of two variables are kept in single precision, rounded down.
constexpr double precision = 2e-5;

/// A chain, or any pairs.
Problem random_problem(Random &random, bool chain) {
    Problem problem;
    const int variables = uniform(random, 2, 5);
    for (int v = 0; v < variables; ++v)
        problem.domains.push_back(uniform(random, 1, 4));
    const auto add = [&](const std::vector<int> &of) {
        Factor &factor = problem.factors.emplace_back();
        factor.variables = of;
        auto table = std::make_shared<Table>();
        std::size_t entries = 1;
        for (int v : of) {
            auto classes = std::make_shared<std::vector<int>>();
            const int count = uniform(random, 1, problem.domains[v]);
            for (int value = 0; value < problem.domains[v]; ++value)
                classes->push_back(value < count ? value : uniform(random, 0, count - 1));
            factor.class_of.push_back(std::move(classes));
            factor.classes.push_back(count);
            entries *= static_cast<std::size_t>(count);
        }
        for (std::size_t i = 0; i < entries; ++i)
            table->seconds.push_back(uniform(random, 0, 20));
        factor.table = std::move(table);
    };
    for (int v = 0; v < variables; ++v)
        add({v});
    for (int v = 1; v < variables; ++v)
        add({chain ? v - 1 : uniform(random, 0, v - 1), v});
    if (!chain && variables > 3) {
        add({0, variables - 1});
        add({0, 1, 2});
    }
    return problem;
}

TEST(Marginals, AreExactOnChainsAndBoundsElsewhere) {
    Random random(52);
    for (int trial = 0; trial < 600; ++trial) {
        SCOPED_TRACE(trial);
        const bool chain = trial % 2 == 0;
        const Problem problem = random_problem(random, chain);
        const Marginals found = marginals(problem, std::numeric_limits<double>::infinity());
        const std::vector<std::vector<double>> exact = exact_marginals(problem);
        const double least = *std::min_element(exact[0].begin(), exact[0].end());
        EXPECT_LE(found.lower_bound, least + 1e-9);
        if (chain) {
            EXPECT_NEAR(found.lower_bound, least, precision);
        }
        const double at_most = least + uniform(random, 0, 10);
        const Marginals cut = marginals(problem, at_most);
        for (std::size_t v = 0; v < exact.size(); ++v)
            for (std::size_t value = 0; value < exact[v].size(); ++value) {
                EXPECT_LE(found.of[v][value], exact[v][value] + 1e-9);
                if (chain) {
                    EXPECT_NEAR(found.of[v][value], exact[v][value], precision);
                }
                if (exact[v][value] <= at_most) {
                    EXPECT_LE(cut.of[v][value], exact[v][value] + 1e-9);
                }
            }
    }
}

struct Case {
    Request request;
    MeshShape shape;
    Storage storage;
};

Case random_case(Random &random, int trial) {
    Case result;
    if (trial % 3 == 0) {
        result.request.graph = sharding::reference::random_graph(random);
    } else if (trial % 3 == 1) {
        sharding::graphs::Mlp mlp{uniform(random, 4, 200), {uniform(random, 4, 300)}, {"pixel"}, true, true};
        for (int layer = uniform(random, 1, 4); layer > 0; --layer) {
            mlp.widths.push_back(uniform(random, 4, 300));
            mlp.roles.push_back(layer % 2 ? "hidden" : "inner");
        }
        result.request.graph = sharding::graphs::training_step(mlp);
    } else {
        const std::int64_t batch = uniform(random, 2, 16);
        const std::int64_t channels = uniform(random, 2, 16);
        const sharding::graphs::Spatial height{"height", uniform(random, 8, 60), 3, 1, 1, 1, 1};
        result.request.graph = sharding::graphs::convolutional_step(
            {{batch, 3, channels, {height}}, {batch, channels, channels, {height}}});
    }
    result.request.machine = random_machine(random);
    result.shape.mesh = sharding::reference::random_mesh(random, 3, 12);
    result.request.ranks = result.shape.mesh.ranks();
    for (std::size_t axis = 0; axis < result.shape.mesh.sizes.size(); ++axis)
        result.shape.axes.push_back("axis" + std::to_string(axis));
    if (uniform(random, 0, 1))
        result.storage = sharding::reference::random_storage(result.shape.mesh, random);
    return result;
}

TEST(Marginals, KeepWhatAnAssignmentTakes) {
    Random random(58);
    for (int trial = 0; trial < 600; ++trial) {
        SCOPED_TRACE(trial);
        Problem problem = random_problem(random, trial % 2 == 0);
        std::erase_if(problem.factors, [](const Factor &factor) { return factor.variables.size() > 2; });
        const double infinity = std::numeric_limits<double>::infinity();
        const double at_most = uniform(random, 0, 1) ? infinity : uniform(random, 0, 60);
        MarginalSweeps sweeps(problem, at_most);
        (void)sweeps.run();
        for (int i = 0; i < 10; ++i) {
            std::vector<int> values;
            for (const int domain : problem.domains)
                values.push_back(uniform(random, 0, domain - 1));
            const double seconds = evaluate(problem, values).seconds;
            EXPECT_LE(sweeps.of(values), seconds + 1e-9);
            if (seconds <= at_most) {
                EXPECT_NEAR(sweeps.of(values), seconds, precision);
            }
        }
    }
}

TEST(Marginals, GoOnWhereSingleVariablesCostMore) {
    Random random(55);
    int again = 0;
    for (int trial = 0; trial < 600; ++trial) {
        SCOPED_TRACE(trial);
        const bool chain = trial % 2 == 0;
        Problem problem = random_problem(random, chain);
        const std::vector<std::vector<double>> before = exact_marginals(problem);
        const double least_before = *std::min_element(before[0].begin(), before[0].end());
        MarginalSweeps sweeps(problem, uniform(random, 0, 1) ? std::numeric_limits<double>::infinity()
                                                             : least_before + uniform(random, 0, 20));
        (void)sweeps.run();
        std::vector<std::vector<double>> added;
        for (int v = 0; v < static_cast<int>(problem.domains.size()); ++v) {
            auto table = std::make_shared<Table>();
            auto classes = std::make_shared<std::vector<int>>();
            for (int value = 0; value < problem.domains[v]; ++value) {
                table->seconds.push_back(uniform(random, -3, 10));
                classes->push_back(value);
            }
            added.push_back(table->seconds);
            problem.factors.push_back({{v}, {classes}, {problem.domains[v]}, table});
        }
        const std::vector<std::vector<double>> exact = exact_marginals(problem);
        const double least = *std::min_element(exact[0].begin(), exact[0].end());
        const double at_most = least + uniform(random, 0, 10);
        if (!sweeps.add(added, at_most))
            continue;
        ++again;
        const Marginals found = sweeps.run();
        EXPECT_LE(found.lower_bound, least + 1e-9);
        if (chain) {
            EXPECT_NEAR(found.lower_bound, least, precision);
        }
        for (std::size_t v = 0; v < exact.size(); ++v)
            for (std::size_t value = 0; value < exact[v].size(); ++value)
                if (exact[v][value] <= at_most) {
                    EXPECT_LE(found.of[v][value], exact[v][value] + 1e-9);
                }
    }
    EXPECT_GT(again, 300);
    EXPECT_LT(again, 600);
}

TEST(Relaxation, IsBelowTheObjective) {
    Random random(53);
    for (int trial = 0; trial < 90; ++trial) {
        SCOPED_TRACE(trial);
        const Case c = random_case(random, trial);
        const sharding::GraphIndex index(c.request.graph);
        const StepStructure step(index, c.request.machine);
        const Space space = make_space(c.request, c.shape);
        TermCache cache(c.shape.mesh, c.request.machine);
        const Objective relaxed = relaxed_objective(step, space, c.shape.mesh, c.request.machine, c.storage, cache);
        const Objective exact = make_objective(step, space, c.shape.mesh, c.request.machine, c.storage, cache);
        const double unlimited = std::numeric_limits<double>::infinity();
        const Problem below = Problems(relaxed).without(0, unlimited, {});
        Problems of_exact(exact);
        const Problem above = of_exact.without(0, unlimited, {});
        for (int sample = 0; sample < 40; ++sample) {
            std::vector<int> values;
            for (const auto &options : space.options)
                values.push_back(uniform(random, 0, static_cast<int>(options->size()) - 1));
            std::vector<int> all = values; // with the sums and readers that follow from them
            all.resize(exact.domains.size());
            complete(above, all);
            const double seconds = evaluate(above, all).seconds;
            EXPECT_LE(evaluate(below, values).seconds, seconds * (1 + 1e-9));
        }
    }
}

TEST(NarrowedSearch, FindsWhatTheSearchOfAllFinds) {
    Random random(54);
    int narrowed = 0;
    for (int trial = 0; trial < 150; ++trial) {
        SCOPED_TRACE(trial);
        const Case c = random_case(random, trial);
        const sharding::GraphIndex index(c.request.graph);
        const StepStructure step(index, c.request.machine);
        const Space space = make_space(c.request, c.shape);
        const double unlimited = std::numeric_limits<double>::infinity();
        TermCache cache(c.shape.mesh, c.request.machine);
        const Found all = search(c.request, step, c.shape, space, c.storage, cache, {});
        ASSERT_TRUE(all.feasible);
        const double seconds = all.cost->seconds().value;
        const double give_up_at = uniform(random, 0, 1) ? unlimited : seconds * uniform(random, 101, 140) / 100;
        MeshBounds bounds(step, space, c.shape, c.request.machine, cache);
        if (uniform(random, 0, 1)) // another storage first, whose plans are of no matter
            (void)bounds.of(sharding::reference::random_storage(c.shape.mesh, random), unlimited);
        const Marginals bound = bounds.of(c.storage, give_up_at);
        const auto search_few = [&](const Marginals &given, double limit) {
            const Few few = few_strategies(step, space, c.shape, c.request.machine, c.storage, cache, given, limit);
            return narrowed_search(c.request, step, c.shape, space, c.storage, cache, given, few,
                                   {.give_up_at = limit});
        };
        const Found few = search_few(bound, give_up_at);
        ASSERT_TRUE(few.feasible);
        EXPECT_FALSE(few.too_many);
        EXPECT_NEAR(few.cost->seconds().value, seconds, 1e-9 * seconds);
        EXPECT_NEAR(few.lower_bound, all.lower_bound, 1e-9 * seconds);
        std::size_t kept = 0;
        std::size_t full = 0;
        for (const LayerId l : space.options.ids()) {
            kept += static_cast<std::size_t>(std::count_if(bound.of[l.index()].begin(), bound.of[l.index()].end(),
                                                           [&](double b) { return b <= seconds; }));
            full += space.options[l]->size();
        }
        narrowed += 2 * kept < full;
        // Nothing is found where nothing is as fast as what is known.
        const double faster = 0.99 * seconds;
        const Found none = search_few(bounds.of(c.storage, faster), faster);
        EXPECT_TRUE(!none.feasible || none.cost->seconds().value >= seconds * (1 - 1e-9));
        EXPECT_GE(none.lower_bound, std::min(faster, all.lower_bound) * (1 - 1e-9));
    }
    EXPECT_GT(narrowed, 50);
}

} // namespace
} // namespace planc::plan

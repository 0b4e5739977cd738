// The search on invented cost tables, against exhaustive enumeration.
#include "plan/solver/elimination.h"
#include "plan/solver/problem.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace planc::plan {
namespace {

using Random = std::mt19937_64;

int uniform(Random &random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

std::shared_ptr<const std::vector<int>> random_classes(Random &random, int domain, int &classes) {
    auto class_of = std::make_shared<std::vector<int>>();
    classes = uniform(random, 1, domain);
    for (int value = 0; value < domain; ++value)
        class_of->push_back(value < classes ? value : uniform(random, 0, classes - 1));
    return class_of;
}

/// Any shape of graph: chains, forks, cycles, unconnected parts, factors of one to three variables.
Problem random_problem(Random &random, bool bytes) {
    Problem problem;
    const int variables = uniform(random, 1, 6);
    for (int v = 0; v < variables; ++v)
        problem.domains.push_back(uniform(random, 1, 4));
    for (int f = uniform(random, 1, 9); f > 0; --f) {
        Factor &factor = problem.factors.emplace_back();
        for (int v = 0; v < variables; ++v)
            if (factor.variables.size() < 3 && uniform(random, 0, 2) == 0)
                factor.variables.push_back(v);
        std::size_t entries = 1;
        for (int v : factor.variables) {
            factor.class_of.push_back(random_classes(random, problem.domains[v], factor.classes.emplace_back()));
            entries *= static_cast<std::size_t>(factor.classes.back());
        }
        auto table = std::make_shared<Table>();
        for (std::size_t i = 0; i < entries; ++i) {
            const bool forbidden = uniform(random, 0, 15) == 0;
            table->seconds.push_back(forbidden ? std::numeric_limits<double>::infinity() : uniform(random, 0, 20));
            if (bytes)
                table->bytes.push_back(uniform(random, 0, 20));
        }
        factor.table = std::move(table);
    }
    return problem;
}

/// The least seconds of all assignments within the limit; infinite if there is none.
double exhaustive(const Problem &problem) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> values(problem.domains.size(), 0);
    while (true) {
        const Sum sum = evaluate(problem, values);
        if (sum.bytes <= problem.byte_limit)
            least = std::min(least, sum.seconds);
        std::size_t v = 0;
        while (v < values.size() && ++values[v] == problem.domains[v])
            values[v++] = 0;
        if (v == values.size())
            return least;
    }
}

void expect_minimum(const Problem &problem, const Solution &solution) {
    const double least = exhaustive(problem);
    ASSERT_EQ(solution.feasible, std::isfinite(least));
    if (!solution.feasible)
        return;
    EXPECT_EQ(solution.seconds, least);
    EXPECT_EQ(evaluate(problem, solution.values).seconds, least);
    EXPECT_LE(evaluate(problem, solution.values).bytes, problem.byte_limit);
    EXPECT_EQ(solution.lower_bound, least);
}

TEST(Minimise, EqualsExhaustiveSearch) {
    Random random(1);
    for (int trial = 0; trial < 1000; ++trial) {
        SCOPED_TRACE(trial);
        const Problem problem = random_problem(random, false);
        expect_minimum(problem, minimise(problem));
    }
}

TEST(Minimise, UnderAByteLimitGivesABoundAndAGoodAssignmentWithinTheLimit) {
    Random random(2);
    int decided = 0;
    int exact = 0;
    int infeasible = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        SCOPED_TRACE(trial);
        Problem problem = random_problem(random, true);
        problem.byte_limit = uniform(random, 0, 15) * static_cast<double>(problem.factors.size());
        const Solution solution = minimise(problem);
        const double least = exhaustive(problem);
        ASSERT_EQ(solution.feasible, std::isfinite(least));
        infeasible += !solution.feasible;
        if (!solution.feasible)
            continue;
        EXPECT_LE(solution.lower_bound, least * (1 + 1e-9));
        EXPECT_GE(solution.seconds, least);
        EXPECT_EQ(evaluate(problem, solution.values).seconds, solution.seconds);
        EXPECT_LE(evaluate(problem, solution.values).bytes, problem.byte_limit);
        decided += solution.limit_decided;
        exact += solution.limit_decided && solution.seconds == least;
    }
    EXPECT_GT(decided, 100); // the limit mattered often enough to be tested
    EXPECT_GT(infeasible, 100);
    EXPECT_GT(exact, 0.6 * decided);
}

TEST(Minimise, TooWideTablesStillGiveABoundAndAGoodAssignment) {
    Random random(3);
    int exact = 0;
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        Problem problem = random_problem(random, false);
        problem.largest_table = 4;
        const Solution solution = minimise(problem);
        const double least = exhaustive(problem);
        EXPECT_LE(solution.lower_bound, least);
        if (!solution.feasible)
            continue;
        EXPECT_GE(solution.seconds, least);
        EXPECT_EQ(evaluate(problem, solution.values).seconds, solution.seconds);
        exact += solution.seconds == least;
    }
    EXPECT_GT(exact, 150);
}

/// Pairs of variables that must change together, in a chain: four of the eight fit, and no single change leads there.
TEST(Minimise, BetweenTheEndsOfThePriceOfBytesLiesWhatFits) {
    Problem problem;
    problem.domains.assign(8, 2);
    problem.byte_limit = 45;
    const auto both = std::make_shared<const std::vector<int>>(std::vector<int>{0, 1});
    const auto fast_or_small = std::make_shared<const Table>(Table{{0, 1}, {10, 0}});
    const auto differ = [](double seconds) {
        return std::make_shared<const Table>(Table{{0, seconds, seconds, 0}, {}});
    };
    for (int v = 0; v < 8; ++v) {
        problem.factors.push_back({{v}, {both}, {2}, fast_or_small});
        if (v > 0)
            problem.factors.push_back({{v - 1, v}, {both, both}, {2, 2}, differ(v % 2 == 1 ? 3 : 0.1)});
    }
    const Solution solution = minimise(problem);
    EXPECT_DOUBLE_EQ(solution.seconds, 4.1);
    EXPECT_DOUBLE_EQ(solution.seconds, exhaustive(problem));
    EXPECT_LE(solution.lower_bound, solution.seconds);
}

/// A random problem several times over, each copy joined to the next one by one table.
Problem repeated(const Problem &segment, int times, const Factor &link) {
    Problem problem;
    const int variables = static_cast<int>(segment.domains.size());
    for (int copy = 0; copy < times; ++copy) {
        problem.domains.insert(problem.domains.end(), segment.domains.begin(), segment.domains.end());
        for (const Factor &factor : segment.factors) {
            problem.factors.push_back(factor);
            for (int &variable : problem.factors.back().variables)
                variable += copy * variables;
        }
        if (copy > 0) {
            problem.factors.push_back(link);
            problem.factors.back().variables = {copy * variables - 1, copy * variables};
        }
    }
    return problem;
}

/// The same without shared tables and classes: nothing in it is recognised as a repeat.
Problem with_own_tables(Problem problem) {
    for (Factor &factor : problem.factors) {
        factor.table = std::make_shared<const Table>(*factor.table);
        for (auto &classes : factor.class_of)
            classes = std::make_shared<const std::vector<int>>(*classes);
    }
    return problem;
}

TEST(Minimise, RepeatsThatShareTablesGiveTheSameAnswer) {
    Random random(5 + GTEST_FLAG_GET(random_seed));
    for (int trial = 0; trial < 400; ++trial) {
        SCOPED_TRACE(trial);
        const Problem segment = random_problem(random, true);
        Factor link;
        for (const int domain : {segment.domains.back(), segment.domains.front()})
            link.class_of.push_back(random_classes(random, domain, link.classes.emplace_back()));
        Table table;
        for (int entry = 0; entry < link.classes[0] * link.classes[1]; ++entry)
            table.seconds.push_back(uniform(random, 0, 20));
        link.table = std::make_shared<const Table>(std::move(table));
        Problem shared = repeated(segment, uniform(random, 2, 9), link);
        if (trial % 2 == 1)
            shared.byte_limit = uniform(random, 2, 12) * static_cast<double>(shared.factors.size());
        const Solution once = minimise(shared);
        const Solution each = minimise(with_own_tables(shared));
        EXPECT_EQ(once.feasible, each.feasible);
        EXPECT_EQ(once.values, each.values);
        EXPECT_EQ(once.seconds, each.seconds);
        EXPECT_EQ(once.lower_bound, each.lower_bound);
    }
}

TEST(Minimise, LongChainOfEqualTables) {
    Problem problem;
    const int length = 2000;
    const int domain = 16;
    problem.domains.assign(length, domain);
    auto classes = std::make_shared<std::vector<int>>();
    auto table = std::make_shared<Table>();
    for (int a = 0; a < domain; ++a) {
        classes->push_back(a);
        for (int b = 0; b < domain; ++b)
            table->seconds.push_back(a == b ? 2 : (a + 1) % domain == b ? 1 : 5);
    }
    for (int v = 0; v + 1 < length; ++v) {
        Factor &factor = problem.factors.emplace_back();
        factor.variables = {v, v + 1};
        factor.class_of = {classes, classes};
        factor.classes = {domain, domain};
        factor.table = table;
    }
    const Solution solution = minimise(problem);
    EXPECT_EQ(solution.seconds, length - 1);
    EXPECT_EQ(solution.lower_bound, length - 1);
}

/// A chain of `blocks` equal blocks, each a triangle of layers. `shared`: equal tables are one object.
Problem chain_of_blocks(int blocks, bool shared) {
    constexpr int domain = 5;
    Problem problem;
    problem.domains.assign(2 * blocks + 1, domain);
    auto classes = std::make_shared<std::vector<int>>();
    for (int value = 0; value < domain; ++value)
        classes->push_back(value);
    const auto table = [](int seed) {
        Random random(seed);
        Table result;
        for (int entry = 0; entry < domain * domain; ++entry)
            result.seconds.push_back(uniform(random, 1, 1000));
        return std::make_shared<const Table>(std::move(result));
    };
    const std::array<std::shared_ptr<const Table>, 3> tables{table(1), table(2), table(3)};
    for (int block = 0; block < blocks; ++block)
        for (int edge = 0; edge < 3; ++edge) {
            const int first = 2 * block + (edge == 2 ? 1 : 0);
            problem.factors.push_back({{first, edge == 0 ? first + 2 : first + 1},
                                       {classes, classes},
                                       {domain, domain},
                                       shared ? tables[edge] : table(edge + 1)});
        }
    return problem;
}

TEST(Minimise, RepeatsAreEliminatedOnce) {
    for (int blocks : {1, 2, 3, 7, 64, 100}) {
        const Problem problem = chain_of_blocks(blocks, true);
        Memo memo;
        const Solution solution = minimise(problem, memo);
        EXPECT_LE(memo.messages.size(), 5 * (1 + std::log2(blocks)));
        const Solution one_by_one = minimise(chain_of_blocks(blocks, false));
        EXPECT_EQ(solution.values, one_by_one.values);
        EXPECT_EQ(solution.seconds, one_by_one.seconds);
        EXPECT_EQ(solution.lower_bound, solution.seconds);
    }
}

TEST(Minimise, SmallestIsSmallest) {
    Random random(11);
    for (int trial = 0; trial < 100; ++trial) {
        const Problem problem = random_problem(random, true);
        Memo memo;
        const Solution least = smallest(problem, memo);
        std::vector<int> values(problem.domains.size(), 0);
        double bytes = std::numeric_limits<double>::infinity();
        std::size_t v = 0;
        do {
            if (const Sum sum = evaluate(problem, values); !std::isinf(sum.seconds))
                bytes = std::min(bytes, sum.bytes);
            for (v = 0; v < values.size() && ++values[v] == problem.domains[v]; ++v)
                values[v] = 0;
        } while (v < values.size());
        EXPECT_DOUBLE_EQ(least.lower_bound, bytes);
        if (least.feasible) {
            EXPECT_DOUBLE_EQ(least.bytes, bytes);
        }
    }
}

/// One factor of many variables with many values, most of which it does not tell apart.
TEST(Minimise, ManyVariablesOfFewClasses) {
    constexpr int variables = 14;
    constexpr int values = 100;
    Problem problem;
    problem.domains.assign(variables, values);
    auto parity = std::make_shared<std::vector<int>>();
    for (int value = 0; value < values; ++value)
        parity->push_back(value % 2);
    Factor joint;
    auto table = std::make_shared<Table>();
    for (int entry = 0; entry < 1 << variables; ++entry)
        table->seconds.push_back(entry == 0b10110011100101 ? 1 : 2);
    for (int v = 0; v < variables; ++v) {
        joint.variables.push_back(v);
        joint.class_of.push_back(parity);
        joint.classes.push_back(2);
    }
    joint.table = std::move(table);
    problem.factors.push_back(std::move(joint));
    const Solution solution = minimise(problem);
    EXPECT_EQ(solution.seconds, 1);
    EXPECT_EQ(solution.lower_bound, 1);
}

TEST(Minimise, SameAnswerTwice) {
    Random random(5);
    for (int trial = 0; trial < 100; ++trial) {
        const Problem problem = random_problem(random, false);
        EXPECT_EQ(minimise(problem).values, minimise(problem).values);
    }
}

} // namespace
} // namespace planc::plan

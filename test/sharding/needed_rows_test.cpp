// Rows that a sparse product needs, and those that its blocks touch: of random matrices, against a search of all
// nonzeros; every reshard to and from them executed.
#include "sharding/elements.h"
#include "sharding/placement.h"
#include "sharding/random_graph.h"

#include <planrt/needed_rows.h>

#include <gtest/gtest.h>

#include <set>

namespace planc::sharding::reference {
namespace {

using planrt::Range;

using Rows = std::vector<std::int64_t>;

/// Those that a rank has of the first dimension.
Rows rows_of(const Placement &placement, const Mesh &mesh, int rank) {
    const Range range = planrt::local_box(placement, mesh, rank)[0];
    Rows rows;
    for (std::int64_t i = 0; i < range.size(); ++i)
        rows.push_back(range.index(i));
    return rows;
}

std::set<std::int64_t> needed(const planrt::Pattern &matrix, Range rows, Range columns, bool transposed) {
    std::set<std::int64_t> result;
    for (std::int64_t v = 0; v < matrix.rows; ++v)
        for (const std::int32_t u : matrix.columns_of(v)) {
            const std::int64_t row = transposed ? u : v;
            const std::int64_t column = transposed ? v : u;
            if (row >= rows.begin && row < rows.end && column >= columns.begin && column < columns.end)
                result.insert(column);
        }
    return result;
}

Range random_range(Random &random, int extent) {
    const int begin = uniform(random, 0, extent);
    return {begin, uniform(random, begin, extent)};
}

/// The blocks into which axes of these sizes cut so many indices.
std::vector<Range> blocks(std::int64_t extent, const std::vector<int> &cuts) {
    std::vector<Range> all = {{0, extent}};
    for (const int cut : cuts) {
        std::vector<Range> finer;
        for (const Range &whole : all)
            for (int index = 0; index < cut; ++index)
                finer.push_back(planrt::block(whole, cut, index));
        all = finer;
    }
    return all;
}

TEST(NeededRows, OfTheBusiestBlock) {
    Random random(4);
    const std::vector<std::vector<int>> ways = {{}, {2}, {3}, {2, 2}, {3, 2}, {20}};
    for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) {
        const planrt::Pattern matrix = random_matrix(random, uniform(random, 1, 14), uniform(random, 1, 14));
        const int number = planrt::number_matrix(matrix);
        for (const std::vector<int> &row_cuts : ways)
            for (const std::vector<int> &column_cuts : ways) {
                std::int64_t most = 0;
                std::size_t most_needed = 0;
                for (const Range &rows : blocks(matrix.rows, row_cuts))
                    for (const Range &columns : blocks(matrix.columns, column_cuts)) {
                        std::int64_t nonzeros = 0;
                        for (std::int64_t v = rows.begin; v < rows.end; ++v)
                            for (const std::int32_t u : matrix.columns_of(v))
                                nonzeros += u >= columns.begin && u < columns.end;
                        most = std::max(most, nonzeros);
                        most_needed = std::max(most_needed, needed(matrix, rows, columns, false).size());
                    }
                EXPECT_EQ(planrt::most_nonzeros(number, row_cuts, column_cuts), most);
                EXPECT_EQ(planrt::most_nonzeros(-number, column_cuts, row_cuts), most);
                EXPECT_EQ(planrt::most_needed_rows(number, row_cuts, column_cuts), most_needed);
                const int of_transposed = planrt::number_matrix(planrt::transposed(matrix));
                EXPECT_EQ(planrt::most_needed_rows(-of_transposed, row_cuts, column_cuts), most_needed);
            }
    }
}

TEST(NeededRows, AreThoseOfTheNonzeros) {
    Random random(3);
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
        const int m = uniform(random, 1, 14);
        const int n = uniform(random, 1, 14);
        const planrt::Pattern matrix = random_matrix(random, m, n);
        const int number = planrt::number_matrix(matrix);
        EXPECT_EQ(planrt::number_matrix(matrix), number);
        for (const bool transposed : {false, true}) {
            const Range rows = random_range(random, transposed ? n : m);
            const Range columns = random_range(random, transposed ? m : n);
            const Range range = planrt::needed_rows(transposed ? -number : number, rows, columns);
            const std::set<std::int64_t> expected = needed(matrix, rows, columns, transposed);
            ASSERT_EQ(range.size(), static_cast<std::int64_t>(expected.size()));
            std::int64_t position = 0;
            for (const std::int64_t index : expected) {
                EXPECT_TRUE(range.has(index));
                EXPECT_EQ(range.index(position), index);
                EXPECT_EQ(range.position(index), position++);
            }
        }
    }
}

TEST(NeededRows, AreCutByTheAxesOfTheRowsFirst) {
    // nonzeros (0, 0), (0, 5), (1, 2), (2, 2), (3, 3), (3, 5)
    const planrt::Pattern matrix = planrt::pattern_of(4, 6, std::vector<std::int32_t>{0, 0, 1, 2, 3, 3},
                                                      std::vector<std::int32_t>{0, 5, 2, 2, 3, 5});
    const Nest nest = sparse_product(4, 6, 3, planrt::number_matrix(matrix));
    const Mesh mesh{{2, 2}};
    const auto rows_of = [&](const Strategy &strategy, int rank) {
        return reference::rows_of(derive(nest, strategy, mesh).operands[0], mesh, rank);
    };
    EXPECT_EQ(rows_of({{0, 0}, {}}, 0), (Rows{0, 5}));     // row 0
    EXPECT_EQ(rows_of({{0, 0}, {}}, 3), (Rows{3, 5}));     // row 3
    EXPECT_EQ(rows_of({{0, 2}, {}}, 0), (Rows{0, 2}));     // rows 0, 1 and columns 0 to 2
    EXPECT_EQ(rows_of({{0, 2}, {}}, 1), (Rows{5}));        // rows 0, 1 and columns 3 to 5
    EXPECT_EQ(rows_of({{2, 0}, {}}, 2), (Rows{5}));        // the same: axes change places
    EXPECT_EQ(rows_of({{-1, 2}, {}}, 1), (Rows{3, 4, 5})); // rows are not split: a block
}

TEST(NeededRows, AnOperandOfRowsAndColumnsIsReadWhole) {
    const planrt::Pattern matrix = planrt::pattern_of(2, 2, std::vector<std::int32_t>{0}, std::vector<std::int32_t>{0});
    Nest nest = sparse_product(2, 2, 1, planrt::number_matrix(matrix));
    nest.operands.push_back({0, 2});
    const Derived derived = derive(nest, {{0}, {}}, Mesh{{2}});
    EXPECT_FALSE(planrt::is_windowed(derived.operands[0]));
    EXPECT_FALSE(planrt::is_windowed(derived.operands[1]));
}

TEST(TouchedRows, AreAddendsWhereTheColumnsAreSplit) {
    // nonzeros (0, 0), (0, 5), (1, 2), (2, 2), (3, 3), (3, 5)
    const planrt::Pattern matrix = planrt::pattern_of(4, 6, std::vector<std::int32_t>{0, 0, 1, 2, 3, 3},
                                                      std::vector<std::int32_t>{0, 5, 2, 2, 3, 5});
    const Nest nest = sparse_product(4, 6, 3, planrt::number_matrix(matrix));
    const Mesh mesh{{2, 2}};
    const auto rows_of = [&](const Strategy &strategy, int rank) {
        const Placement placement = derive(nest, strategy, mesh).results[0];
        EXPECT_TRUE(planrt::has_addends(placement) && placement.partial.empty());
        return reference::rows_of(placement, mesh, rank);
    };
    EXPECT_EQ(rows_of({{-1, 2}, {}}, 0), (Rows{0, 1, 2})); // columns 0 to 2
    EXPECT_EQ(rows_of({{-1, 2}, {}}, 1), (Rows{0, 3}));    // columns 3 to 5
    EXPECT_EQ(rows_of({{2, 2}, {}}, 1), (Rows{1, 2}));     // column 2
    const planrt::Pattern full =
        planrt::pattern_of(2, 2, std::vector<std::int32_t>{0, 0, 1, 1}, std::vector<std::int32_t>{0, 1, 0, 1});
    const Derived all = derive(sparse_product(2, 2, 3, planrt::number_matrix(full)), {{-1, 2}, {}}, mesh);
    EXPECT_FALSE(planrt::is_windowed(all.results[0]));
    EXPECT_EQ(all.results[0].partial, std::vector<int>{1});
    EXPECT_FALSE(planrt::is_windowed(derive(nest, {{-1, 2}, {}}, mesh, {0}).results[0])); // partial sums pass
    Nest maxima = nest;
    maxima.reduction = Reduction::max;
    EXPECT_FALSE(planrt::is_windowed(derive(maxima, {{-1, 2}, {}}, mesh).results[0]));
    Nest needs_rows = nest;
    needs_rows.sparse->lists_rows = false;
    EXPECT_FALSE(planrt::is_windowed(derive(needs_rows, {{-1, 2}, {}}, mesh).results[0]));
}

/// Random addends, the same on ranks that have the same rows; adds them to `sum`.
Distributed random_addends(const Placement &placement, const Mesh &mesh, Random &random, Whole &sum) {
    Distributed result{placement, {}};
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        std::vector<int> first = mesh.coordinates(rank);
        for (int axis = 0; axis < static_cast<int>(first.size()); ++axis)
            first[axis] = cuts(placement, axis) ? first[axis] : 0;
        if (const int known = mesh.rank(first); known != rank) {
            result.parts.push_back(std::vector<Element>(result.parts[static_cast<std::size_t>(known)]));
            continue;
        }
        std::vector<Element> &part = result.parts.emplace_back();
        for_each_held(placement, mesh, rank, [&](const Index &index) {
            part.push_back(random());
            sum[offset(whole_box(placement), index)] += part.back();
        });
    }
    return result;
}

/// A random product with a random strategy; its matrix has m rows and n columns, some of them empty.
struct RandomProduct {
    explicit RandomProduct(Random &random)
        : mesh(random_mesh(random, 3, 12)), m(uniform(random, 1, 14)), n(uniform(random, 1, 14)),
          f(uniform(random, 1, 4)) {
        const int number = planrt::number_matrix(random_matrix(random, m, n));
        const bool transposed = uniform(random, 0, 1) == 0;
        nest = sparse_product(transposed ? n : m, transposed ? m : n, f, transposed ? -number : number);
        for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
            strategy.loop_of_axis.push_back(uniform(random, -1, 2));
    }
    Mesh mesh;
    int m;
    int n;
    int f;
    Nest nest;
    Strategy strategy;
};

/// The sums of touched rows are right wherever they are wanted, and on the way. False: nothing is left to sum.
bool check_random_sums(Random &random) {
    const RandomProduct product(random);
    const Placement from = derive(product.nest, product.strategy, product.mesh).results[0];
    if (!planrt::has_addends(from))
        return false;
    const std::vector<std::int64_t> extents{from.dimensions[0].extent, product.f};
    Placement to = random_placement(extents, product.mesh, false, random, uniform(random, 0, 1) == 0);
    if (uniform(random, 0, 1) == 0) { // into the rows that another product needs
        RandomProduct next(random);
        const int number = planrt::number_matrix(random_matrix(random, next.m, static_cast<int>(extents[0])));
        next.strategy.loop_of_axis.resize(product.mesh.sizes.size(), 0);
        to = derive(sparse_product(next.m, extents[0], product.f, number), next.strategy, product.mesh).operands[0];
    }
    Whole sum(random_whole(extents, random).size(), 0);
    Distributed tensor = random_addends(from, product.mesh, random, sum);
    const std::vector<Step> steps = reshard(from, to, product.mesh);
    SCOPED_TRACE(text(from) + " to " + text(to) + ": " + text(steps));
    EXPECT_EQ(execute(steps, tensor, sum, product.mesh), "");
    EXPECT_EQ(tensor.placement, to);
    return true;
}

TEST(TouchedRows, SumsAreRightOnRandomTensors) {
    Random random(5);
    int checked = 0;
    for (int i = 0; i < 6000 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        checked += check_random_sums(random) ? 1 : 0;
    }
    EXPECT_GT(checked, 1000);
}

void check_random_reshard(Random &random) {
    const RandomProduct product(random);
    const Mesh &mesh = product.mesh;
    const Placement to = derive(product.nest, product.strategy, mesh).operands[0];
    const std::vector<std::int64_t> extents{to.dimensions[0].extent, product.f};
    const Placement from = random_placement(extents, mesh, true, random, uniform(random, 0, 1) == 0);
    const Whole whole = random_whole(extents, random);
    Distributed tensor = distribute(whole, from, mesh, random);
    const std::vector<Step> steps = reshard(from, to, mesh);
    SCOPED_TRACE(text(from) + " to " + text(to) + ": " + text(steps));
    ASSERT_EQ(execute(steps, tensor, whole, mesh), "");
    EXPECT_EQ(tensor.placement, to);
}

TEST(NeededRows, ReshardsAreExecutedOnRandomTensors) {
    Random random(4);
    for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        check_random_reshard(random);
    }
}

} // namespace
} // namespace planc::sharding::reference

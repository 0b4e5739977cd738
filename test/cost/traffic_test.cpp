// The products over dimensions against planrt::traffic, which intersects boxes.
#include "cost/collectives/traffic.h"
#include "sharding/random_graph.h"

#include <planrt/needed_rows.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::cost {
namespace {

using sharding::CollectiveKind;
using sharding::Step;
using namespace sharding::reference;

TEST(Traffic, EqualsTheIntersectionOfBoxesOnEveryRank) {
    Random random(7);
    for (int trial = 0; trial < 3000; ++trial) {
        const sharding::Mesh mesh = random_mesh(random, 4, 16);
        std::vector<std::int64_t> extents;
        for (int d = uniform(random, 1, 3); d > 0; --d)
            extents.push_back(uniform(random, 1, 12));
        Step step;
        step.from = random_placement(extents, mesh, false, random);
        step.to = random_placement(extents, mesh, false, random);
        if (trial % 3 == 0)
            step.to = with_random_windows(step.to, random);
        step.kind = CollectiveKind::exchange;
        const std::vector<Traffic> by_rank = traffic_by_rank(step, mesh);
        ASSERT_EQ(static_cast<int>(by_rank.size()), mesh.ranks());
        Traffic busiest;
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const Traffic expected = planrt::traffic(step.kind, step.from, step.to, mesh, rank);
            ASSERT_EQ(by_rank[rank], expected)
                << "trial " << trial << ", rank " << rank << ": " << text(step.from) << " to " << text(step.to);
            busiest.elements = std::max(busiest.elements, expected.elements);
        }
        EXPECT_EQ(busiest_traffic(step, mesh).elements, busiest.elements);
    }
}

TEST(Traffic, OfNeededRowsEqualsTheIntersectionOfBoxesOnEveryRank) {
    Random random(10);
    for (int trial = 0; trial < 1000; ++trial) {
        const sharding::Mesh mesh = random_mesh(random, 4, 16);
        const int rows = uniform(random, 1, 12);
        const int columns = uniform(random, 1, 12);
        std::vector<std::int32_t> row;
        std::vector<std::int32_t> column;
        for (int count = uniform(random, 0, 3 * rows); count > 0; --count) {
            row.push_back(uniform(random, 0, rows - 1));
            column.push_back(uniform(random, 0, columns - 1));
        }
        const int matrix = planrt::number_matrix(planrt::pattern_of(rows, columns, row, column));
        const bool transposed = uniform(random, 0, 1) == 1;
        const std::vector<std::int64_t> extents{transposed ? rows : columns, uniform(random, 1, 4)};
        Step step;
        step.kind = CollectiveKind::exchange;
        step.from = random_placement(extents, mesh, false, random);
        step.to = random_placement(extents, mesh, false, random);
        if (planrt::DimensionPlacement &first = step.to.dimensions[0]; !first.axes.empty()) {
            planrt::Window window;
            window.positions = transposed ? columns : rows;
            window.matrix = transposed ? -matrix : matrix;
            window.row_cuts = uniform(random, 1, static_cast<int>(first.axes.size()));
            first.window = window;
        }
        const std::vector<Traffic> by_rank = traffic_by_rank(step, mesh);
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            ASSERT_EQ(by_rank[rank], planrt::traffic(step.kind, step.from, step.to, mesh, rank))
                << "trial " << trial << ", rank " << rank << ": " << text(step.from) << " to " << text(step.to);
        const auto fewer = [](const Traffic &a, const Traffic &b) { return a.elements < b.elements; };
        EXPECT_EQ(busiest_traffic(step, mesh).elements,
                  std::max_element(by_rank.begin(), by_rank.end(), fewer)->elements);
    }
}

TEST(Traffic, TablesOfOneStepServeOthers) {
    Random random(9);
    for (int trial = 0; trial < 100; ++trial) {
        const sharding::Mesh mesh = random_mesh(random, 3, 16);
        SendTables tables(mesh);
        for (int i = 0; i < 30; ++i) {
            const std::vector<std::int64_t> extents = {uniform(random, 1, 2) * 6, uniform(random, 1, 2) * 5};
            Step step;
            step.kind = CollectiveKind::exchange;
            step.from = random_placement(extents, mesh, false, random);
            step.to = random_placement(extents, mesh, false, random);
            if (i % 3 == 0)
                step.to = with_random_windows(step.to, random);
            Traffic most;
            for (int rank = 0; rank < mesh.ranks(); ++rank) {
                const Traffic each = planrt::traffic(step.kind, step.from, step.to, mesh, rank);
                most = std::max(most, each, [](const Traffic &a, const Traffic &b) { return a.elements < b.elements; });
            }
            ASSERT_EQ(tables.busiest(step).elements, most.elements) << text(step.from) << " to " << text(step.to);
        }
    }
}

TEST(Traffic, ReshardsOfAllKinds) {
    Random random(8);
    for (int trial = 0; trial < 2000; ++trial) {
        const sharding::Mesh mesh = random_mesh(random, 3, 12);
        const std::vector<std::int64_t> extents = {uniform(random, 1, 8) * 2, uniform(random, 1, 9)};
        const bool stored = uniform(random, 0, 1) == 1;
        const sharding::Placement from = random_placement(extents, mesh, true, random, stored);
        const sharding::Placement to = random_placement(extents, mesh, false, random, stored);
        for (const Step &step : sharding::reshard(from, to, mesh)) {
            const std::vector<Traffic> by_rank = traffic_by_rank(step, mesh);
            const Traffic busiest = busiest_traffic(step, mesh);
            std::int64_t most = 0;
            for (int rank = 0; rank < mesh.ranks(); ++rank) {
                ASSERT_EQ(by_rank[rank], planrt::traffic(step.kind, step.from, step.to, mesh, rank));
                most = std::max(most, by_rank[rank].elements);
            }
            EXPECT_EQ(busiest.elements, most);
            if (uniform_traffic(step, mesh)) {
                for (const Traffic &traffic : by_rank)
                    EXPECT_EQ(traffic, busiest);
            }
        }
    }
}

} // namespace
} // namespace planc::cost

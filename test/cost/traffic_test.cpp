// The products over dimensions against planrt::traffic, which intersects boxes.
#include "cost/collectives/traffic.h"
#include "cost/sparse_steps.h"
#include "sharding/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::cost {
namespace {

using sharding::CollectiveKind;
using sharding::Step;
using namespace sharding::reference;

/// From planrt's boxes.
Flow flow_of(const Step &step, const sharding::Mesh &mesh, int rank) {
    Flow flow{planrt::traffic(step.kind, step.from, step.to, mesh, rank), 0};
    flow.received = flow.sent.elements;
    if (step.kind == CollectiveKind::exchange || step.kind == CollectiveKind::all_to_all) {
        flow.received = 0;
        for (const planrt::Transfer &each : planrt::exchange(step.from, step.to, mesh, rank).receives)
            flow.received += planrt::volume(each.box);
    }
    if (step.kind == CollectiveKind::reduce_scatter || step.kind == CollectiveKind::all_gather) {
        const sharding::Placement &blocks = step.kind == CollectiveKind::all_gather ? step.from : step.to;
        std::int64_t largest = 0;
        for (int other = 0; other < mesh.ranks(); ++other)
            largest = std::max(largest, planrt::local_volume(blocks, mesh, other));
        flow.received = largest;
        for (const int axis : step.axes)
            flow.received *= mesh.sizes[axis];
    }
    return flow;
}

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
        const std::vector<Flow> by_rank = flow_by_rank(step, mesh);
        ASSERT_EQ(static_cast<int>(by_rank.size()), mesh.ranks());
        Flow busiest;
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const Flow expected = flow_of(step, mesh, rank);
            ASSERT_EQ(by_rank[rank], expected)
                << "trial " << trial << ", rank " << rank << ": " << text(step.from) << " to " << text(step.to);
            busiest.sent.elements = std::max(busiest.sent.elements, expected.sent.elements);
            busiest.received = std::max(busiest.received, expected.received);
        }
        EXPECT_EQ(busiest_flows(step, mesh).sender.sent.elements, busiest.sent.elements);
        EXPECT_EQ(busiest_flows(step, mesh).receiver.received, busiest.received);
    }
}

TEST(Traffic, OfNeededAndTouchedRowsEqualsTheIntersectionOfBoxesOnEveryRank) {
    Random random(10);
    for (int trial = 0; trial < 1000; ++trial) {
        const sharding::Mesh mesh = random_mesh(random, 4, 16);
        const Step step = reference::random_sparse_step(random, mesh, trial % 2 == 0);
        const std::vector<Flow> by_rank = flow_by_rank(step, mesh);
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            ASSERT_EQ(by_rank[rank], flow_of(step, mesh, rank))
                << "trial " << trial << ", rank " << rank << ": " << text(step.from) << " to " << text(step.to);
        const auto fewer = [](const Flow &a, const Flow &b) { return a.sent.elements < b.sent.elements; };
        const auto receives_less = [](const Flow &a, const Flow &b) { return a.received < b.received; };
        const BusiestFlows busiest = busiest_flows(step, mesh);
        EXPECT_EQ(busiest.sender.sent.elements, std::ranges::max_element(by_rank, fewer)->sent.elements);
        EXPECT_EQ(busiest.receiver.received, std::ranges::max_element(by_rank, receives_less)->received);
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
            ASSERT_EQ(tables.busiest(step).sender.sent.elements, most.elements)
                << text(step.from) << " to " << text(step.to);
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
            const std::vector<Flow> by_rank = flow_by_rank(step, mesh);
            const Flow busiest = busiest_flows(step, mesh).sender;
            std::int64_t most = 0;
            for (int rank = 0; rank < mesh.ranks(); ++rank) {
                ASSERT_EQ(by_rank[rank], flow_of(step, mesh, rank));
                most = std::max(most, by_rank[rank].sent.elements);
            }
            EXPECT_EQ(busiest.sent.elements, most);
            if (uniform_traffic(step, mesh)) {
                for (const Flow &flow : by_rank)
                    EXPECT_EQ(flow, busiest);
            }
        }
    }
}

} // namespace
} // namespace planc::cost

// What passes the links of units against the messages that planrt::exchange lists.
#include "cost/collectives/unit_flows.h"
#include "cost/sparse_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::cost {
namespace {

using sharding::Step;
using namespace sharding::reference;

/// Of the elements of all messages, the most that leave or enter a unit of so many ranks.
std::int64_t most_outside(const Step &step, const sharding::Mesh &mesh, int unit) {
    std::vector<std::int64_t> leaving(static_cast<std::size_t>(mesh.ranks()));
    std::vector<std::int64_t> entering(leaving.size());
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        for (const planrt::Transfer &sent : planrt::exchange(step.from, step.to, mesh, rank).sends)
            if (rank / unit != sent.peer / unit) {
                leaving[static_cast<std::size_t>(rank / unit)] += planrt::volume(sent.box);
                entering[static_cast<std::size_t>(sent.peer / unit)] += planrt::volume(sent.box);
            }
    return std::max(std::ranges::max(leaving), std::ranges::max(entering));
}

/// The most that a rank sends to others in its node or receives from them.
std::int64_t most_inside(const Step &step, const sharding::Mesh &mesh, int node) {
    std::int64_t most = 0;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const planrt::Exchange moved = planrt::exchange(step.from, step.to, mesh, rank);
        for (const auto *transfers : {&moved.sends, &moved.receives}) {
            std::int64_t sum = 0;
            for (const planrt::Transfer &each : *transfers)
                sum += rank / node == each.peer / node ? planrt::volume(each.box) : 0;
            most = std::max(most, sum);
        }
    }
    return most;
}

Machine machine_of(int sockets_of, int sockets) {
    Machine machine;
    machine.levels.resize(3);
    machine.levels[0].units = sockets_of;
    machine.levels[1].units = sockets;
    machine.levels[0].link.bytes_per_second = 8;
    machine.levels[1].link.bytes_per_second = 4;
    machine.levels[2].link.bytes_per_second = 1;
    return machine;
}

TEST(UnitFlows, AreThoseOfTheMessages) {
    Random random(11);
    int counted = 0;
    for (int trial = 0; trial < 600; ++trial) {
        const sharding::Mesh mesh = random_mesh(random, 3, 16);
        const int socket = uniform(random, 1, 3);
        const int sockets = uniform(random, 1, 3);
        const Machine machine = machine_of(socket, sockets);
        const Step step = reference::random_sparse_step(random, mesh, trial % 2 == 0);
        Group group;
        group.even = false;
        if (!counts_units(step, group, mesh, mesh, machine)) {
            EXPECT_LE(mesh.ranks(), socket);
            continue;
        }
        std::vector<Flow> flows = flow_by_rank(step, mesh);
        count_unit_flows(flows, step, mesh, machine);
        const auto most_through = [&](std::size_t level) {
            std::int64_t most = 0;
            for (const Flow &flow : flows)
                most = std::max(most, flow.through.at(level));
            return most;
        };
        EXPECT_EQ(most_through(0), most_inside(step, mesh, socket));
        EXPECT_EQ(most_through(1), most_outside(step, mesh, socket)) << "trial " << trial;
        if (socket * sockets < mesh.ranks()) {
            EXPECT_EQ(most_through(2), most_outside(step, mesh, socket * sockets)) << "trial " << trial;
        }
        counted += most_through(1) > 0 ? 1 : 0;
    }
    EXPECT_GE(counted, 200);
}

/// 8 ranks, nodes of 6: rank 0 sends 100 elements to rank 6, the others of its node one each.
TEST(UnitFlows, TheBusiestRankDoesNotStandForAll) {
    Machine machine = machine_of(6, 1);
    machine.levels.erase(machine.levels.begin() + 1);
    machine.levels.back().link.bytes_per_second = 1;
    Flow busiest{{1, 100}, 0, {0, 105}};
    EXPECT_DOUBLE_EQ(seconds_through_units(busiest, 4, machine).value, 420);
    machine.levels.back().link.count = 2;
    EXPECT_DOUBLE_EQ(seconds_through_units(busiest, 4, machine).value, 210);
    busiest.received = 4000; // no faster than by the fastest link
    EXPECT_DOUBLE_EQ(seconds_through_units(busiest, 4, machine).value, 2000);
}

} // namespace
} // namespace planc::cost

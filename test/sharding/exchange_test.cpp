// planrt::exchange and planrt::traffic against a scan of all ranks and all elements.
#include "sharding/elements.h"
#include "sharding/placement.h"
#include "sharding/random_graph.h"
#include "sharding/wire_volumes.h"

#include <planrt/scratch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace planc::sharding::reference {
namespace {

using planrt::Exchange;
using planrt::Transfer;

/// From whom `rank` takes an element, by the words of the header: itself, else the holder that agrees with it on all
/// axes that do not cut `from`.
int holder(const Placement &from, const Mesh &mesh, int rank, const Index &index) {
    if (inside(local_box(from, mesh, rank), index))
        return rank;
    const std::vector<int> own = mesh.coordinates(rank);
    for (int other = 0; other < mesh.ranks(); ++other) {
        const std::vector<int> coordinates = mesh.coordinates(other);
        bool agrees = inside(local_box(from, mesh, other), index);
        for (std::size_t axis = 0; axis < own.size(); ++axis)
            agrees = agrees && (cuts(from, static_cast<int>(axis)) || own[axis] == coordinates[axis]);
        if (agrees)
            return other;
    }
    return -1;
}

/// Every element that `rank` wants comes exactly once, from its holder, who sends the same box.
void check_receives(const Placement &from, const Placement &to, const Mesh &mesh,
                    const std::vector<Exchange> &exchanges, int rank) {
    const Exchange &own = exchanges[rank];
    std::map<Index, int> source;
    const auto take = [&](int peer, const Box &box) {
        for_each(box, [&](const Index &index) {
            EXPECT_TRUE(source.emplace(index, peer).second) << "element received twice";
        });
    };
    for (const Box &kept : own.kept)
        take(rank, kept);
    for (const Transfer &receive : own.receives) {
        EXPECT_GT(volume(receive.box), 0);
        take(receive.peer, receive.box);
        const std::vector<Transfer> &sends = exchanges[receive.peer].sends;
        EXPECT_EQ(std::count_if(sends.begin(), sends.end(),
                                [&](const Transfer &send) { return send.peer == rank && send.box == receive.box; }),
                  1);
    }
    const Box wanted = local_box(to, mesh, rank);
    EXPECT_EQ(static_cast<std::int64_t>(source.size()), volume(wanted));
    for_each(wanted, [&](const Index &index) { EXPECT_EQ(source[index], holder(from, mesh, rank, index)); });
}

TEST(Exchange, EqualsAScanOfAllRanks) {
    Random random(1);
    for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
        const Mesh mesh = random_mesh(random, 4, 12);
        std::vector<std::int64_t> extents;
        for (int d = uniform(random, 0, 3); d > 0; --d)
            extents.push_back(uniform(random, 1, 7));
        const Placement from = random_placement(extents, mesh, false, random);
        Placement to = random_placement(extents, mesh, false, random);
        if (i % 2 == 1)
            to = with_random_windows(to, random);
        std::vector<Exchange> exchanges;
        std::size_t sends = 0;
        std::size_t receives = 0;
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            exchanges.push_back(exchange(from, to, mesh, rank));
            sends += exchanges.back().sends.size();
            receives += exchanges.back().receives.size();
        }
        EXPECT_EQ(sends, receives);
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            check_receives(from, to, mesh, exchanges, rank);
        SCOPED_TRACE(text(from) + " to " + text(to));
    }
}

TEST(Exchange, OfManyRanksLooksAtFew) {
    const Mesh mesh{{64, 64, 4}}; // 16384 ranks: a scan of pairs would never end
    const Placement from{{{1 << 20, {0, 1}}}, {}, Reduction::sum};
    const Placement to{{{1 << 20, {0}}}, {}, Reduction::sum};
    for (int rank = 0; rank < mesh.ranks(); rank += 97) {
        const Exchange result = exchange(from, to, mesh, rank);
        EXPECT_EQ(result.receives.size(), 63U);
        EXPECT_EQ(result.sends.size(), 63U);
        EXPECT_TRUE(std::is_sorted(result.sends.begin(), result.sends.end(),
                                   [](const Transfer &a, const Transfer &b) { return a.peer < b.peer; }));
    }
}

TEST(Traffic, CountsWhatEachKindHandsToMpi) {
    const Mesh mesh{{3}};
    const Placement whole{{{5, {}}}, {}, Reduction::sum};
    const Placement cut{{{5, {0}}}, {}, Reduction::sum};
    const Placement partial{{{5, {}}}, {0}, Reduction::sum};
    using planrt::Traffic;
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(traffic(CollectiveKind::slice, whole, cut, mesh, rank), (Traffic{0, 0}));
        EXPECT_EQ(traffic(CollectiveKind::all_gather, cut, whole, mesh, rank), (Traffic{1, 5}));
        EXPECT_EQ(traffic(CollectiveKind::reduce_scatter, partial, cut, mesh, rank), (Traffic{1, 5}));
        EXPECT_EQ(traffic(CollectiveKind::all_reduce, partial, whole, mesh, rank), (Traffic{1, 5}));
    }
    EXPECT_EQ(traffic(CollectiveKind::exchange, cut, whole, mesh, 0), (Traffic{2, 4}));
    EXPECT_EQ(traffic(CollectiveKind::exchange, cut, whole, mesh, 2), (Traffic{2, 2}));
    EXPECT_EQ(traffic(CollectiveKind::all_to_all, cut, whole, mesh, 2), (Traffic{1, 2}));
}

TEST(Exchange, LargestScratchAndHaloAreThoseOfSomeRank) {
    Random random(47);
    for (int trial = 0; trial < 40000; ++trial) {
        const Mesh mesh = random_mesh(random, 3, 12);
        std::vector<std::int64_t> extents;
        for (int d = uniform(random, 1, 3); d > 0; --d)
            extents.push_back(uniform(random, 1, 12));
        Step step{CollectiveKind::exchange, {}, random_placement(extents, mesh, false, random), {}};
        step.to = random_placement(extents, mesh, false, random);
        if (uniform(random, 0, 1)) { // most is cut alike, the last by the same axes as the first before
            step.to = step.from;
            std::swap(step.to.dimensions.front().axes, step.to.dimensions.back().axes);
        }
        if (uniform(random, 0, 1))
            step.to = with_random_windows(step.to, random);
        std::int64_t scratch = 0;
        std::int64_t halo = 0;
        const auto all = [](const std::vector<Transfer> &transfers) {
            std::int64_t elements = 0;
            for (const Transfer &transfer : transfers)
                elements += planrt::volume(transfer.box);
            return elements;
        };
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            scratch = std::max(scratch, planrt::scratch_elements(step.kind, step.from, step.to, mesh, rank));
            const Exchange moved = planrt::exchange(step.from, step.to, mesh, rank);
            EXPECT_EQ(planrt::scratch_elements(CollectiveKind::all_to_all, step.from, step.to, mesh, rank),
                      all(moved.sends) + all(moved.receives));
            const planrt::Box wanted = planrt::local_box(step.to, mesh, rank);
            const planrt::Box kept = planrt::intersect(wanted, planrt::local_box(step.from, mesh, rank));
            halo = std::max(halo, planrt::volume(wanted) - planrt::volume(kept));
        }
        EXPECT_EQ(planrt::largest_scratch_elements(step.kind, step.from, step.to, mesh), scratch);
        if (planrt::is_windowed(step.to)) {
            EXPECT_EQ(wire_volume(step, mesh), static_cast<double>(halo) * mesh.ranks());
        }
    }
}

} // namespace
} // namespace planc::sharding::reference

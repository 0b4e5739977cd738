// reshard(): every sequence is executed on random tensors, and known pairs of placements give the known collectives.
#include "sharding/random_graph.h"

#include "sharding/placement.h"
#include "sharding/wire_volumes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::sharding::reference {
namespace {

std::vector<std::int64_t> random_extents(Random &random) {
    std::vector<std::int64_t> extents;
    std::int64_t elements = 1;
    for (int d = uniform(random, 0, 4); d > 0; --d) {
        extents.push_back(uniform(random, 1, static_cast<int>(std::min<std::int64_t>(13, 600 / elements))));
        elements *= extents.back();
    }
    return extents;
}

/// `to` may keep some of the axes along which `from` is partial, cuts by others, and replicates along the rest.
Placement random_target(const Placement &from, const Mesh &mesh, bool stored, Random &random) {
    std::vector<std::int64_t> extents;
    for (const planrt::DimensionPlacement &dimension : from.dimensions)
        extents.push_back(dimension.extent);
    Placement to = random_placement(extents, mesh, false, random, stored);
    if (stored && uniform(random, 0, 1) == 0) // as it is between a parameter and its shares
        for (std::size_t d = 0; d < extents.size(); ++d) {
            to.dimensions[d].axes = from.dimensions[d].axes;
            std::erase_if(to.stored, [&](int axis) { return cuts(from, axis); });
        }
    for (int axis : from.partial)
        if (!cuts(to, axis) && !contains(to.stored, axis) && uniform(random, 0, 2) == 0)
            to.partial.push_back(axis);
    if (!to.partial.empty())
        to.reduction = from.reduction;
    return to;
}

/// All-reduce, then gather everything, then slice: what needs no thought.
double naive_volume(const Placement &from, const Placement &to, const Mesh &mesh) {
    Placement reduced = from;
    reduced.partial = to.partial;
    Placement whole = reduced;
    for (planrt::DimensionPlacement &dimension : whole.dimensions)
        dimension.axes.clear();
    whole.stored.clear();
    std::vector<int> reduced_axes;
    std::set_difference(from.partial.begin(), from.partial.end(), to.partial.begin(), to.partial.end(),
                        std::back_inserter(reduced_axes));
    std::vector<int> gathered_axes;
    for (const planrt::DimensionPlacement &dimension : from.dimensions)
        gathered_axes.insert(gathered_axes.end(), dimension.axes.begin(), dimension.axes.end());
    gathered_axes.insert(gathered_axes.end(), from.stored.begin(), from.stored.end());
    return wire_volume(Step{CollectiveKind::all_reduce, reduced_axes, from, reduced}, mesh) +
           wire_volume(Step{CollectiveKind::all_gather, gathered_axes, reduced, whole}, mesh);
}

void check_random_reshard(Random &random) {
    const Mesh mesh = random_mesh(random, 4, 12);
    const bool stored = uniform(random, 0, 1) == 0;
    const Placement from = random_placement(random_extents(random), mesh, true, random, stored);
    const Placement to = random_target(from, mesh, stored, random);
    std::vector<std::int64_t> extents;
    for (const planrt::DimensionPlacement &dimension : from.dimensions)
        extents.push_back(dimension.extent);
    const Whole whole = random_whole(extents, random);
    Distributed tensor = distribute(whole, from, mesh, random);
    ASSERT_EQ(difference(tensor, whole, mesh), "");

    const std::vector<Step> steps = reshard(from, to, mesh);
    SCOPED_TRACE(text(from) + " to " + text(to) + ": " + text(steps));
    ASSERT_EQ(execute(steps, tensor, whole, mesh), "");
    EXPECT_EQ(tensor.placement, to);
    const double rounding = stored ? 2.0 * static_cast<double>(steps.size()) * mesh.ranks() : 0; // an element a share
    if (from.stored.empty()) {
        EXPECT_LE(wire_volume(steps, mesh), naive_volume(from, to, mesh) + rounding);
    }
    EXPECT_EQ(steps, reshard(from, to, mesh));
}

TEST(Reshard, ExecutedOnRandomTensors) {
    Random random(2);
    for (int i = 0; i < 5000 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(i);
        check_random_reshard(random);
    }
}

// --- known pairs: [8, 8] on a mesh of 2 by 2 ------------------------------------------------------------------------

const Mesh grid{{2, 2}};

Placement place(std::vector<int> first, std::vector<int> second, std::vector<int> partial = {}) {
    return {{{8, std::move(first)}, {8, std::move(second)}}, std::move(partial), Reduction::sum};
}

std::vector<CollectiveKind> kinds(const Placement &from, const Placement &to) {
    std::vector<CollectiveKind> result;
    for (const Step &step : reshard(from, to, grid))
        result.push_back(step.kind);
    return result;
}
using Kinds = std::vector<CollectiveKind>;
using enum CollectiveKind;

TEST(Reshard, OfEqualPlacementsIsNothing) {
    EXPECT_EQ(kinds(place({0}, {}, {1}), place({0}, {}, {1})), Kinds{});
}

TEST(Reshard, KeepsAPartWithoutCommunication) {
    EXPECT_EQ(kinds(place({}, {}), place({0}, {1})), Kinds{slice});
    EXPECT_EQ(kinds(place({}, {}, {1}), place({0}, {}, {1})), Kinds{slice});
}

TEST(Reshard, GathersSeveralAxesAtOnce) {
    EXPECT_EQ(kinds(place({0}, {1}), place({}, {})), Kinds{all_gather});
    const std::vector<Step> steps = reshard(place({0, 1}, {}), place({0}, {}), grid);
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].kind, all_gather);
    EXPECT_EQ(steps[0].axes, std::vector<int>{1});
}

TEST(Reshard, ReducesAllAxesAtOnce) {
    const std::vector<Step> steps = reshard(place({}, {}, {0, 1}), place({}, {}), grid);
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].kind, all_reduce);
    EXPECT_EQ(steps[0].axes, (std::vector<int>{0, 1}));
}

TEST(Reshard, ScattersWhatIsWantedCut) {
    EXPECT_EQ(kinds(place({}, {}, {0}), place({0}, {})), Kinds{reduce_scatter});
    EXPECT_EQ(kinds(place({1}, {}, {0}), place({1, 0}, {})), Kinds{reduce_scatter});
    EXPECT_EQ(kinds(place({}, {}, {0, 1}), place({0}, {1})), Kinds{reduce_scatter}) << "both at once";
    EXPECT_EQ(kinds(place({}, {}, {0, 1}), place({0}, {})), (Kinds{reduce_scatter, all_reduce}));
}

TEST(Reshard, SlicesBeforeItReduces) {
    EXPECT_EQ(kinds(place({}, {}, {1}), place({0}, {})), (Kinds{slice, all_reduce}));
    EXPECT_EQ(kinds(place({}, {}, {1}), place({0, 1}, {})), (Kinds{slice, reduce_scatter}));
}

TEST(Reshard, MovesAxesBetweenDimensions) {
    EXPECT_EQ(kinds(place({0}, {}), place({}, {0})), Kinds{all_to_all});
    EXPECT_EQ(kinds(place({0}, {1}), place({1}, {0})), Kinds{all_to_all});
    EXPECT_EQ(kinds(place({0, 1}, {}), place({0}, {1})), Kinds{all_to_all});
}

TEST(Reshard, PermutesPointToPoint) {
    EXPECT_EQ(kinds(place({0, 1}, {}), place({1, 0}, {})), Kinds{exchange});
}

TEST(Reshard, ExchangesSmallBlocksBeforeItGathers) {
    // From cut by axis 0 to cut by axis 1: a quarter is permuted, then gathered; never the whole.
    const std::vector<Step> steps = reshard(place({0}, {}), place({1}, {}), grid);
    Placement whole = place({}, {});
    EXPECT_LE(wire_volume(steps, grid), wire_volume(Step{all_gather, {0}, place({0}, {}), whole}, grid));
    EXPECT_EQ(steps.front().kind, slice);
}

TEST(Reshard, OfAScalar) {
    const Placement partial{{}, {0}, Reduction::sum};
    const std::vector<Step> steps = reshard(partial, Placement{}, Mesh{{4}});
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].kind, all_reduce);
}

} // namespace
} // namespace planc::sharding::reference

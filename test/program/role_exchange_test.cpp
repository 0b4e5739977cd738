// Exchanges between roles of random sizes under random placements: what one rank sends another receives, and every rank
// gets each element of its block once.
#include <planrt/scratch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace planrt {
namespace {

class Drawing {
  public:
    explicit Drawing(unsigned seed) : random_(seed) {}
    int draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

    /// Some axes cut some dimensions; the others hold replicas.
    Placement placement(const std::vector<std::int64_t> &extents, int axes, bool windows) {
        Placement placed;
        for (const std::int64_t extent : extents)
            placed.dimensions.push_back({extent, {}});
        for (int axis = 0; axis < axes; ++axis)
            if (const int at = draw(-1, static_cast<int>(extents.size()) - 1); at >= 0)
                placed.dimensions[static_cast<std::size_t>(at)].axes.push_back(axis);
        for (DimensionPlacement &dimension : placed.dimensions)
            if (windows && !dimension.axes.empty() && draw(0, 2) == 0)
                dimension.window = Window{dimension.extent, 3, 1, 1, 1};
        return placed;
    }

  private:
    std::mt19937 random_;
};

/// Positions of the elements of a box within another one, row-major.
std::vector<std::int64_t> positions(const Box &whole, const Box &part) {
    std::vector<std::int64_t> result{0};
    for (std::size_t d = 0; d < part.size(); ++d) {
        std::vector<std::int64_t> next;
        for (const std::int64_t before : result)
            for (std::int64_t i = part[d].begin; i < part[d].end; ++i)
                next.push_back(before * whole[d].size() + i - whole[d].begin);
        result = std::move(next);
    }
    return result;
}

void check(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh) {
    std::map<std::pair<int, int>, std::vector<Box>> sent;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const Exchange moved = exchange(from, to, mesh, rank);
        const int holds = from.role.rank_within(mesh, rank);
        std::int64_t elements = 0;
        for (const Transfer &send : moved.sends) {
            ASSERT_GE(holds, 0);
            const Box held = local_box(from.placement, from.role.mesh(mesh), holds);
            EXPECT_EQ(intersect(held, send.box), send.box);
            sent[{rank, send.peer}].push_back(send.box);
            elements += volume(send.box);
        }
        EXPECT_EQ(traffic(from, to, mesh, rank), (Traffic{static_cast<std::int64_t>(moved.sends.size()), elements}));
    }
    std::size_t received = 0;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const Exchange moved = exchange(from, to, mesh, rank);
        const int wants = to.role.rank_within(mesh, rank);
        if (wants < 0) {
            EXPECT_TRUE(moved.receives.empty());
            continue;
        }
        const Box wanted = local_box(to.placement, to.role.mesh(mesh), wants);
        std::vector<int> times(static_cast<std::size_t>(volume(wanted)), 0);
        std::int64_t elements = 0;
        for (const Transfer &each : moved.receives) {
            EXPECT_EQ((sent[{each.peer, rank}]), std::vector<Box>{each.box});
            ++received;
            elements += volume(each.box);
            for (const std::int64_t at : positions(wanted, each.box))
                ++times[static_cast<std::size_t>(at)];
        }
        EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }));
        EXPECT_LE(scratch_elements(from, to, mesh, rank), elements);
    }
    EXPECT_EQ(received, static_cast<std::size_t>(std::count_if(sent.begin(), sent.end(),
                                                               [](const auto &each) { return !each.second.empty(); })));
}

TEST(RoleExchange, GivesEveryRankItsBlockOnce) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        Drawing drawing(seed);
        const int axes = drawing.draw(1, 3);
        Mesh mesh;
        for (int axis = 0; axis < axes; ++axis)
            mesh.sizes.push_back(drawing.draw(axis == 0 ? 2 : 1, axis == 0 ? 5 : 3));
        // The first axis divides the roles; along the others each has some of the coordinates.
        Role first;
        Role second;
        const int cut = drawing.draw(1, mesh.sizes[0] - 1);
        first.coordinates.push_back({0, cut});
        second.coordinates.push_back({cut, mesh.sizes[0]});
        for (int axis = 1; axis < axes; ++axis)
            for (Role *role : {&first, &second})
                role->coordinates.push_back({0, drawing.draw(1, mesh.sizes[static_cast<std::size_t>(axis)])});
        std::vector<std::int64_t> extents;
        for (int dimension = drawing.draw(0, 3); dimension > 0; --dimension)
            extents.push_back(drawing.draw(1, 7));
        SCOPED_TRACE(seed);
        check({drawing.placement(extents, axes, false), first}, {drawing.placement(extents, axes, true), second}, mesh);
        check({drawing.placement(extents, axes, false), second}, {drawing.placement(extents, axes, true), first}, mesh);
    }
}

/// Roles of an uneven mesh have other sizes along all other axes.
TEST(RoleExchange, GivesEveryRankOfUnequalStagesItsBlockOnce) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        Drawing drawing(seed);
        const int axes = drawing.draw(2, 3);
        const int stages = drawing.draw(0, axes - 1);
        std::vector<std::vector<int>> sizes_at(static_cast<std::size_t>(drawing.draw(2, 3)));
        for (std::vector<int> &sizes : sizes_at)
            for (int axis = 0; axis < axes; ++axis)
                sizes.push_back(axis == stages ? 1 : drawing.draw(1, 4));
        const Mesh mesh = uneven_mesh(stages, sizes_at);
        const Role last = role_at(mesh, stages, static_cast<int>(sizes_at.size()) - 1);
        const Role first = role_at(mesh, stages, 0);
        std::vector<std::int64_t> extents;
        for (int dimension = drawing.draw(0, 3); dimension > 0; --dimension)
            extents.push_back(drawing.draw(1, 7));
        SCOPED_TRACE(seed);
        check({drawing.placement(extents, axes, false), first}, {drawing.placement(extents, axes, true), last}, mesh);
        check({drawing.placement(extents, axes, false), last}, {drawing.placement(extents, axes, true), first}, mesh);
    }
}

} // namespace
} // namespace planrt

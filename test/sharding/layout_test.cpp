// Meshes and blocks.
#include <planrt/layout.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using planrt::block;
using planrt::Box;
using planrt::Mesh;
using planrt::Placement;
using planrt::Range;

TEST(Mesh, NumbersRanksRowMajor) {
    const Mesh mesh{{2, 3}};
    EXPECT_EQ(mesh.ranks(), 6);
    EXPECT_EQ(mesh.coordinates(4), (std::vector<int>{1, 1}));
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        EXPECT_EQ(mesh.rank(mesh.coordinates(rank)), rank);
    EXPECT_EQ((Mesh{{}}).ranks(), 1);
}

TEST(Mesh, GroupsFollowTheOrderOfTheirAxes) {
    const Mesh mesh{{2, 3}};
    EXPECT_EQ(mesh.group(4, std::vector<int>{0}), (std::vector<int>{1, 4}));
    EXPECT_EQ(mesh.group(4, std::vector<int>{1}), (std::vector<int>{3, 4, 5}));
    EXPECT_EQ(mesh.group(4, std::vector<int>{1, 0}), (std::vector<int>{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(mesh.group(4, std::vector<int>{}), (std::vector<int>{4}));
}

TEST(UnevenMesh, NumbersRanksPositionByPosition) {
    const Mesh mesh = planrt::uneven_mesh(1, {{2, 1, 1}, {1, 1, 3}, {2, 1, 2}}); // along the axis in the middle
    EXPECT_EQ(mesh.sizes, (std::vector<int>{2, 3, 3}));
    EXPECT_EQ(mesh.ranks(), 9);
    EXPECT_EQ(mesh.coordinates(1), (std::vector<int>{1, 0, 0}));
    EXPECT_EQ(mesh.coordinates(4), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(mesh.coordinates(7), (std::vector<int>{1, 2, 0}));
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        EXPECT_EQ(mesh.rank(mesh.coordinates(rank)), rank);
    EXPECT_EQ(mesh.group(7, std::vector<int>{0, 2}), (std::vector<int>{5, 6, 7, 8}));
    EXPECT_EQ(mesh.group(4, std::vector<int>{2}), (std::vector<int>{2, 3, 4}));
    EXPECT_EQ(mesh.group(7, std::vector<int>{1}), (std::vector<int>{1, 7})); // the second position has no such rank
    EXPECT_EQ(planrt::size_text(mesh, 0), "[2, 1, 2]");
    EXPECT_EQ(planrt::size_text(mesh, 1), "3");
}

TEST(UnevenMesh, IsEvenIfAllSizesAreTheSame) {
    EXPECT_EQ(planrt::uneven_mesh(0, {{1, 3}, {1, 3}}), (Mesh{{2, 3}}));
    EXPECT_TRUE(planrt::uneven_mesh(0, {{1, 3}, {1, 3}}).is_even());
}

TEST(Role, OfAPositionHasItsRanks) {
    for (const Mesh &mesh : {Mesh{{2, 3, 2}}, planrt::uneven_mesh(1, {{2, 1, 1}, {1, 1, 3}, {2, 1, 2}})}) {
        std::vector<int> found;
        for (int position = 0; position < 3; ++position) {
            const planrt::Role role = planrt::role_at(mesh, 1, position);
            EXPECT_EQ(role.mesh(mesh), mesh.at(1, position));
            for (int within = 0; within < role.mesh(mesh).ranks(); ++within) {
                found.push_back(role.rank_of(mesh, within));
                EXPECT_EQ(role.rank_within(mesh, found.back()), within);
                EXPECT_EQ(mesh.coordinates(found.back())[1], position);
            }
        }
        std::sort(found.begin(), found.end());
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            EXPECT_EQ(found[static_cast<std::size_t>(rank)], rank);
    }
}

TEST(Block, SizesDifferByOneAndTheLargerComeFirst) {
    EXPECT_EQ(block({0, 5}, 3, 0), (Range{0, 2}));
    EXPECT_EQ(block({0, 5}, 3, 1), (Range{2, 4}));
    EXPECT_EQ(block({0, 5}, 3, 2), (Range{4, 5}));
    EXPECT_EQ(block({10, 12}, 4, 3).size(), 0);
    for (std::int64_t extent = 0; extent < 12; ++extent)
        for (int parts = 1; parts < 8; ++parts) {
            std::int64_t end = 3;
            for (int index = 0; index < parts; ++index) {
                const Range range = block({3, 3 + extent}, parts, index);
                EXPECT_EQ(range.begin, end);
                EXPECT_GE(range.size(), extent / parts);
                EXPECT_LE(range.size(), (extent + parts - 1) / parts);
                end = range.end;
            }
            EXPECT_EQ(end, 3 + extent);
        }
}

TEST(LocalBox, CutsByTheMajorAxisFirst) {
    const Mesh mesh{{2, 2}};
    const Placement rows_then_columns{{{7, {0, 1}}}, {}, planrt::Reduction::sum};
    const Placement columns_then_rows{{{7, {1, 0}}}, {}, planrt::Reduction::sum};
    EXPECT_EQ(local_box(rows_then_columns, mesh, 1), (Box{{2, 4}}));
    EXPECT_EQ(local_box(columns_then_rows, mesh, 1), (Box{{4, 6}}));
    EXPECT_EQ(largest_volume(rows_then_columns, mesh), 2);
}

TEST(LocalBox, OfAScalarHasOneElement) {
    const Mesh mesh{{3}};
    EXPECT_EQ(volume(local_box(Placement{}, mesh, 2)), 1);
    EXPECT_EQ(largest_volume(Placement{}, mesh), 1);
}

TEST(StoredRange, IsABalancedRangeOfTheFlattenedBox) {
    const Mesh mesh{{2, 3}};
    const Placement p{{{5, {0}}, {3, {}}}, {}, planrt::Reduction::sum, {1}}; // boxes of 9 and 6 elements
    EXPECT_EQ(stored_range(p, mesh, 0), (Range{0, 3}));
    EXPECT_EQ(stored_range(p, mesh, 2), (Range{6, 9}));
    EXPECT_EQ(stored_range(p, mesh, 4), (Range{2, 4}));
    EXPECT_EQ(local_box(p, mesh, 4), (Box{{3, 5}, {0, 3}}));
    EXPECT_EQ(local_volume(p, mesh, 4), 2);
    EXPECT_EQ(largest_volume(p, mesh), 3);
}

TEST(StoredRange, CutsByTheMajorAxisFirst) {
    const Mesh mesh{{2, 2}};
    const Placement p{{{7, {}}}, {}, planrt::Reduction::sum, {1, 0}};
    EXPECT_EQ(stored_range(p, mesh, 1), (Range{4, 6}));
    EXPECT_EQ(stored_range(p, mesh, 2), (Range{2, 4}));
    const Placement scalar{{}, {}, planrt::Reduction::sum, {0, 1}};
    EXPECT_EQ(local_volume(scalar, mesh, 0), 1);
    EXPECT_EQ(local_volume(scalar, mesh, 3), 0);
}

TEST(Traffic, OfFlatStepsIsTheRangeThatIsWhole) {
    const Mesh mesh{{2, 3}};
    const Placement whole{{{5, {0}}, {3, {}}}, {}, planrt::Reduction::sum};
    const Placement shares{{{5, {0}}, {3, {}}}, {}, planrt::Reduction::sum, {1}};
    const Placement partial{{{5, {0}}, {3, {}}}, {1}, planrt::Reduction::sum};
    using planrt::CollectiveKind;
    using planrt::Traffic;
    EXPECT_EQ(traffic(CollectiveKind::all_gather, shares, whole, mesh, 4), (Traffic{1, 6}));
    EXPECT_EQ(traffic(CollectiveKind::reduce_scatter, partial, shares, mesh, 1), (Traffic{1, 9}));
    EXPECT_EQ(traffic(CollectiveKind::slice, whole, shares, mesh, 1), (Traffic{0, 0}));
}

TEST(Boxes, Intersect) {
    EXPECT_EQ(intersect(Box{{0, 4}, {2, 6}}, Box{{3, 9}, {0, 3}}), (Box{{3, 4}, {2, 3}}));
    EXPECT_EQ(volume(intersect(Box{{0, 2}}, Box{{5, 9}})), 0);
}

} // namespace

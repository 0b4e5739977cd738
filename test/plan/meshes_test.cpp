#include "plan/space/meshes.h"

#include <gtest/gtest.h>

#include <set>

namespace planc::plan {
namespace {

std::set<std::vector<int>> sizes(const Request &request) {
    std::set<std::vector<int>> result;
    for (const MeshShape &shape : mesh_shapes(request))
        EXPECT_TRUE(result.insert(shape.mesh.sizes).second) << "twice";
    return result;
}

using Sizes = std::set<std::vector<int>>;

TEST(Meshes, OpenSizesWithoutDistinctionOccurOnce) {
    Request request;
    request.ranks = 12;
    request.mesh.axes = {{"rows", 0}, {"cols", 0}};
    EXPECT_EQ(sizes(request), (Sizes{{12, 1}, {6, 2}, {4, 3}}));
}

TEST(Meshes, RulesTellAxesApart) {
    Request request;
    request.ranks = 6;
    request.mesh.axes = {{"rows", 0}, {"cols", 0}};
    request.pins = {{{"batch", {"rows"}, "batch -> rows"}}};
    EXPECT_EQ(sizes(request), (Sizes{{6, 1}, {3, 2}, {2, 3}}));
}

TEST(Meshes, RulesKeepTheirAxesWhereTheRanksAllow) {
    Request request;
    request.mesh.axes = {{"rows", 0}, {"cols", 0}};
    request.pins = {{{"batch", {"rows"}, "batch -> rows"}}, {{"hidden", {"cols"}, "hidden -> cols"}}};
    request.ranks = 4;
    EXPECT_EQ(sizes(request), (Sizes{{2, 2}}));
    request.ranks = 3;
    EXPECT_EQ(sizes(request), (Sizes{{3, 1}, {1, 3}}));
    request.ranks = 1;
    EXPECT_EQ(sizes(request), (Sizes{{1, 1}}));
}

TEST(Meshes, GivenSizesStay) {
    Request request;
    request.ranks = 12;
    request.mesh.axes = {{"rows", 3}, {"cols", 0}};
    EXPECT_EQ(sizes(request), (Sizes{{3, 4}}));
    request.mesh.axes = {{"rows", 5}, {"cols", 0}};
    EXPECT_EQ(sizes(request), (Sizes{}));
    request.mesh.axes = {{"rows", 3}, {"cols", 5}};
    EXPECT_EQ(sizes(request), (Sizes{}));
}

TEST(Meshes, OfOpenAxesThreeHaveManyRanks) {
    Request request;
    request.ranks = 8;
    request.mesh.axes = {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}};
    request.machine.levels.resize(2); // where ranks lie matters, but an axis with one rank does not
    request.machine.levels[0].units = 2;
    EXPECT_EQ(sizes(request), (Sizes{{8, 1, 1, 1}, {4, 2, 1, 1}, {2, 4, 1, 1}, {2, 2, 2, 1}}));
    request.ranks = 16;
    EXPECT_FALSE(sizes(request).contains({2, 2, 2, 2}));
    request.pins = {{{"batch", {"a", "b", "c", "d"}, "batch -> [a, b, c, d]"}}};
    EXPECT_EQ(sizes(request), (Sizes{{2, 2, 2, 2}}));
}

TEST(Meshes, AutomaticUpToThreeAxes) {
    Request request;
    request.ranks = 8;
    request.mesh.automatic = true;
    EXPECT_EQ(sizes(request), (Sizes{{8}, {4, 2}, {2, 2, 2}}));
    request.ranks = 1;
    EXPECT_EQ(sizes(request), (Sizes{{1}}));
    request.ranks = 512;
    EXPECT_EQ(sizes(request).size(), 12u);
}

TEST(Meshes, LinksTellAxesApart) {
    Request request;
    request.ranks = 8;
    request.mesh.automatic = true;
    request.machine.levels.insert(request.machine.levels.begin(), {4, request.machine.network()});
    EXPECT_EQ(sizes(request), (Sizes{{8}, {4, 2}, {2, 4}, {2, 2, 2}}));
    request.ranks = 4; // one node
    EXPECT_EQ(sizes(request), (Sizes{{4}, {2, 2}}));
}

} // namespace
} // namespace planc::plan

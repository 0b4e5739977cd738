#include "timeline/rank_classes.h"

#include "timeline/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace planc::timeline {

namespace {

std::vector<int> firsts(const RankClasses &classes) {
    std::vector<int> result;
    for (const RankClass &each : classes.classes)
        result.push_back(each.first);
    return result;
}

/// Every rank a class of its own.
RankClasses each_alone(const planrt::Mesh &mesh) {
    RankClasses result;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        result.classes.push_back({rank, 1});
        result.of_rank.push_back(rank);
    }
    return result;
}

/// A kernel for each column of seconds, with a collective over some axes beside it; its seconds those of its slowest
/// member.
Program program_of(const planrt::Mesh &mesh, const RankClasses &classes,
                   const std::vector<std::vector<std::int64_t>> &columns, const std::vector<std::vector<int>> &axes) {
    Program program{classes.classes, {}, {}, {{}}};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        Kernel kernel{"kernel", "layer", "forward", {}};
        Collective collective{"all-reduce", "layer", "forward", {}, {}};
        for (const RankClass &ranks : classes.classes) {
            kernel.seconds.emplace_back(static_cast<double>(columns[c][ranks.first]));
            Group group{classes_in_group(classes, mesh, ranks.first, axes[c]), {}, 2, {}};
            group.senders = group.members;
            for (int member : group.members)
                group.seconds =
                    std::max(group.seconds, Seconds(static_cast<double>(columns[c][classes.classes[member].first])));
            const auto known = std::find_if(collective.groups.begin(), collective.groups.end(),
                                            [&](const Group &other) { return other.members == group.members; });
            collective.group_of.push_back(static_cast<int>(known - collective.groups.begin()));
            if (known == collective.groups.end())
                collective.groups.push_back(group);
        }
        const int index = static_cast<int>(c);
        program.kernels.push_back(kernel);
        program.collectives.push_back(collective);
        program.actions.front().push_back({ActionKind::start, index});
        program.actions.front().push_back({ActionKind::compute, index});
        program.actions.front().push_back({ActionKind::progress, 0});
        if (c % 3 == 2)
            for (int wait = index - 2; wait <= index; ++wait)
                program.actions.front().push_back({ActionKind::wait, wait});
    }
    return program;
}

} // namespace

TEST(RankClasses, equal_blocks_are_one_class) {
    const RankClasses classes = rank_classes({{4, 2}}, {{2, 2, 2, 2, 1, 1, 1, 1}}, {{0}, {1}});
    EXPECT_EQ(firsts(classes), (std::vector<int>{0, 4}));
    EXPECT_EQ(classes.classes[1].ranks, 4);
}

// Only rank 0 has more: over cols it holds up rank 1, over rows rank 2, and these rank 3.
TEST(RankClasses, whom_a_rank_waits_for_tells_it_apart) {
    const planrt::Mesh mesh{{2, 2}};
    EXPECT_EQ(firsts(rank_classes(mesh, {{2, 1, 1, 1}}, {})), (std::vector<int>{0, 1}));
    EXPECT_EQ(firsts(rank_classes(mesh, {{2, 1, 1, 1}}, {{1}})), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(firsts(rank_classes(mesh, {{2, 1, 1, 1}}, {{0}, {1}})), (std::vector<int>{0, 1, 2, 3}));
    const RankClasses classes = rank_classes(mesh, {{2, 1, 1, 1}}, {{1}});
    EXPECT_EQ(classes_in_group(classes, mesh, 1, {1}), (std::vector<int>{0, 1}));
    EXPECT_EQ(classes_in_group(classes, mesh, 3, {1}), (std::vector<int>{2}));
}

// What one of a class does is what all of it do: against a simulation of every rank.
TEST(RankClasses, one_stands_for_all) {
    int smaller = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed);
        const auto draw = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
        const planrt::Mesh mesh{{1 + draw(4), 1 + draw(3), 1 + draw(2)}};
        std::vector<std::vector<std::int64_t>> columns;
        std::vector<std::vector<int>> axes;
        for (int c = 0; c < 9; ++c) {
            const int cut = draw(3); // blocks of one axis, the first ones larger
            const int larger = draw(mesh.sizes[cut] + 1);
            std::vector<std::int64_t> &column = columns.emplace_back();
            for (int rank = 0; rank < mesh.ranks(); ++rank)
                column.push_back(mesh.coordinates(rank)[cut] < larger ? 5 : 4);
            axes.push_back({draw(3)});
        }
        const RankClasses classes = rank_classes(mesh, columns, axes);
        const Timeline some = simulate(program_of(mesh, classes, columns, axes));
        const Timeline all = simulate(program_of(mesh, each_alone(mesh), columns, axes));
        EXPECT_EQ(some.makespan, all.makespan) << "seed " << seed;
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const RankTime &own = all.ranks[rank];
            const RankTime &like = some.ranks[classes.of_rank[rank]];
            ASSERT_EQ(own.compute.size(), like.compute.size()) << "seed " << seed;
            for (std::size_t i = 0; i < own.compute.size(); ++i)
                EXPECT_EQ(own.compute[i].end, like.compute[i].end) << "seed " << seed << ", rank " << rank;
            EXPECT_EQ(own.exposed, like.exposed) << "seed " << seed << ", rank " << rank;
        }
        smaller += static_cast<int>(classes.classes.size()) < mesh.ranks();
    }
    EXPECT_GT(smaller, 50);
}

} // namespace planc::timeline

// Gathers in pieces: what all rounds bring is what the whole gather brings, once, and senders and receivers agree.
#include <planrt/needed_rows.h>
#include <planrt/pattern.h>
#include <planrt/staged.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

namespace planrt {
namespace {

Placement placed(std::vector<DimensionPlacement> dimensions) {
    return {std::move(dimensions), {}};
}

/// The rounds of all ranks. Checks that what a round sends is received in the same round.
std::vector<StagedGather> of_all(CollectiveKind kind, const std::vector<int> &axes, const Placement &from,
                                 const Placement &to, const Mesh &mesh) {
    std::vector<StagedGather> all;
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        all.push_back(*staged_gather(kind, axes, from, to, mesh, rank));
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        for (std::size_t k = 0; k < all[rank].rounds.size(); ++k) {
            const StagedGather::Round &there = all[all[rank].rounds[k].to].rounds[k];
            EXPECT_EQ(there.from, rank);
            EXPECT_EQ(volume(there.received), volume(all[rank].rounds[k].sent));
        }
    return all;
}

TEST(Staged, all_gathers_bring_each_block_once) {
    const Mesh mesh{{2, 3}};
    const Placement from = placed({{5, {0}}, {8, {1}}});
    const Placement to = placed({{5, {0}}, {8, {}}});
    for (const StagedGather &gather : of_all(CollectiveKind::all_gather, {1}, from, to, mesh)) {
        EXPECT_EQ(gather.dimension, 1U);
        std::vector<int> times(8, 0);
        for (std::int64_t i = gather.own[1].begin; i < gather.own[1].end; ++i)
            ++times[i];
        for (const StagedGather::Round &round : gather.rounds)
            for (std::int64_t i = round.received[1].begin; i < round.received[1].end; ++i)
                ++times[i];
        EXPECT_EQ(times, std::vector<int>(8, 1));
    }
    const StagedMemory memory = *staged_memory(CollectiveKind::all_gather, std::vector{1}, from, to, mesh);
    EXPECT_EQ(memory.piece, 3 * 3);
    EXPECT_EQ(memory.pieces, 2);
    EXPECT_EQ(memory.scratch, 0);
}

/// A row needs those beside it, and the one across.
Pattern ring_of(std::int32_t size) {
    Pattern ring;
    ring.rows = ring.columns = size;
    for (std::int32_t row = 0; row < size; ++row) {
        std::vector<std::int32_t> columns{(row + 1) % size, (row + size / 2) % size, (row + size - 1) % size};
        std::ranges::sort(columns);
        ring.column.insert(ring.column.end(), columns.begin(), columns.end());
        ring.row_begin.push_back(static_cast<std::int64_t>(ring.column.size()));
    }
    return ring;
}

TEST(Staged, exchanges_bring_needed_rows_from_their_owners) {
    Window window;
    window.positions = 12;
    window.matrix = number_matrix(ring_of(12));
    window.row_cuts = 1;
    const Mesh mesh{{4}};
    const Placement from = placed({{12, {0}}, {2, {}}});
    const Placement to = placed({{12, {0}, window}, {2, {}}});
    const std::vector<StagedGather> all = of_all(CollectiveKind::exchange, {0}, from, to, mesh);
    for (int rank = 0; rank < 4; ++rank) {
        std::map<int, std::int64_t> expected;
        for (const Transfer &send : exchange(from, to, mesh, rank).sends)
            expected[send.peer] = volume(send.box);
        std::map<int, std::int64_t> sent;
        for (const StagedGather::Round &round : all[rank].rounds)
            if (volume(round.sent) > 0)
                sent[round.to] = volume(round.sent);
        EXPECT_EQ(sent, expected);
    }
    EXPECT_EQ(staged_memory(CollectiveKind::exchange, std::vector{0}, from, to, mesh)->piece, 3 * 2);
}

/// The rank's own block is read where it is, so it must have the form of a piece.
TEST(Staged, other_dimensions_must_not_change) {
    const Mesh mesh{{2, 2}};
    const Placement from = placed({{4, {0}}, {8, {}}});
    const Placement both = placed({{4, {0}}, {8, {1}}});
    const Placement whole = placed({{4, {}}, {8, {}}});
    const Placement turned = placed({{4, {}}, {8, {0}}});
    EXPECT_FALSE(staged_gather(CollectiveKind::all_gather, std::vector{0, 1}, both, whole, mesh, 0));
    // Ranks that need rows of another part than their own.
    const Placement own_quarter = placed({{4, {1, 0}}, {8, {}}});
    const Placement half = placed({{4, {0}}, {8, {}}});
    EXPECT_FALSE(staged_gather(CollectiveKind::exchange, std::vector{0, 1}, own_quarter, half, mesh, 1));
    Window
        of_columns; // rows cut by the first axis, columns by the second: of other columns than those of the own block
    of_columns.positions = 4;
    of_columns.matrix = number_matrix(ring_of(4));
    of_columns.row_cuts = 1;
    const Placement needed = placed({{4, {0, 1}, of_columns}, {8, {}}});
    EXPECT_FALSE(staged_gather(CollectiveKind::exchange, std::vector{0, 1}, half, needed, mesh, 0));
    EXPECT_FALSE(staged_gather(CollectiveKind::all_to_all, std::vector{0}, from, turned, mesh, 0));
}

} // namespace
} // namespace planrt

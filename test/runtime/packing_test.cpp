#include "collectives/box_copy.h"
#include "collectives/operation.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace planrt {
namespace {

/// Elements that carry their own global number.
std::vector<int> numbered(const Box &box) {
    std::vector<int> values;
    const std::int64_t count = volume(box);
    for (std::int64_t position = 0; position < count; ++position) {
        std::int64_t rest = position;
        std::int64_t number = 0;
        std::int64_t stride = 1;
        for (std::size_t d = box.size(); d-- > 0; stride *= 10) {
            number += (box[d].begin + rest % box[d].size()) * stride;
            rest /= box[d].size();
        }
        values.push_back(static_cast<int>(number));
    }
    return values;
}

TEST(BoxCopy, RandomBoxesWithinBoxes) {
    std::mt19937 random(5);
    const auto below = [&random](std::int64_t bound) {
        return std::uniform_int_distribution<std::int64_t>(0, bound)(random);
    };
    for (int repeat = 0; repeat < 500; ++repeat) {
        Box from;
        Box to;
        Box moved;
        for (std::int64_t d = below(4); d-- > 0;) {
            const std::int64_t begin = below(4);
            const std::int64_t end = begin + below(5);
            moved.push_back({begin, end});
            from.push_back({below(begin), end + below(9 - end)});
            to.push_back({below(begin), end + below(9 - end)});
        }
        const std::vector<int> source = numbered(from);
        const std::vector<int> all = numbered(to);
        std::vector<int> target(all.size(), -1);
        const BoxCopy copy(reinterpret_cast<const std::byte *>(source.data()), from,
                           reinterpret_cast<std::byte *>(target.data()), to, moved, sizeof(int));
        copy.run();
        const std::vector<int> wanted = numbered(moved);
        std::size_t copied = 0;
        for (std::size_t i = 0; i < target.size(); ++i) {
            if (target[i] == -1)
                continue;
            ASSERT_EQ(target[i], all[i]);
            ++copied;
        }
        ASSERT_EQ(copied, wanted.size());
    }
}

TEST(BoxCopy, WholeRowsAreOneRun) {
    int from[12] = {};
    int to[6] = {};
    const BoxCopy rows(reinterpret_cast<const std::byte *>(from), {{0, 4}, {0, 3}}, reinterpret_cast<std::byte *>(to),
                       {{1, 3}, {0, 3}}, {{1, 3}, {0, 3}}, sizeof(int));
    EXPECT_TRUE(rows.contiguous());
    EXPECT_EQ(rows.from(), reinterpret_cast<const std::byte *>(from + 3));
    const BoxCopy columns(reinterpret_cast<const std::byte *>(from), {{0, 4}, {0, 3}},
                          reinterpret_cast<std::byte *>(to), {{0, 4}, {0, 1}}, {{0, 4}, {0, 1}}, sizeof(int));
    EXPECT_FALSE(columns.contiguous());
}

TEST(Segments, CountWhatMpiCanCount) {
    Segments segments;
    segments.add(3);
    segments.add(0);
    segments.add(2147483644);
    EXPECT_EQ(counted(segments, most_counted).offsets, (std::vector<int>{0, 3, 3}));
    EXPECT_EQ(segments.total(), 2147483647);
    segments.add(1);
    EXPECT_EQ(failure_of([&] { static_cast<void>(counted(segments, most_counted)); }),
              "2147483648 elements in one call, but MPI counts to 2147483647: split the tensor over more ranks");
}

TEST(MessageParts, AreNoLongerThanMpiCounts) {
    EXPECT_EQ(in_parts({{0, 7}, {9, 12}}, 3), (Positions{{0, 3}, {3, 6}, {6, 7}, {9, 12}}));
    EXPECT_EQ(in_parts({{5, 5}}, 3), Positions{});
    const std::int64_t many = std::int64_t{3} << 31;
    EXPECT_EQ(in_parts({{1, many}}, most_counted).size(), 4U);
}

} // namespace
} // namespace planrt

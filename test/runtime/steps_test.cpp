// The steps of every algorithm, executed by all members of a group in one process: what they send fits what the others
// receive, every element arrives, and every member has the same bits.
#include <planrt/steps.h>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace planrt {
namespace {

using Vectors = std::vector<std::vector<float>>; ///< by member

struct Executed {
    Vectors vectors;
    std::size_t rounds = 0;
};

/// Rounds in lockstep: what a round sends is what was there before it.
Executed execute(CollectiveKind kind, const Method &method, const std::vector<Range> &blocks, Vectors vectors) {
    std::vector<std::vector<MessageRound>> all;
    for (int member = 0; member < static_cast<int>(blocks.size()); ++member) {
        all.push_back(steps(kind, method, member, blocks));
        EXPECT_EQ(all.back().size(), all.front().size());
    }
    for (std::size_t k = 0; k < all.front().size(); ++k) {
        const Vectors before = vectors;
        for (int member = 0; member < static_cast<int>(all.size()); ++member) {
            const MessageRound &round = all[member][k];
            if (round.to >= 0) {
                EXPECT_EQ(all[round.to][k].from, member);
                EXPECT_EQ(all[round.to][k].received, round.sent);
            }
            if (round.from < 0)
                continue;
            EXPECT_EQ(all[round.from][k].to, member);
            for (const Range &range : round.received)
                for (std::int64_t i = range.begin; i < range.end; ++i) {
                    const float other = before[round.from][i];
                    float &own = vectors[member][i];
                    own = !round.combines ? other : round.from < member ? other + own : own + other;
                }
        }
    }
    return {vectors, all.front().size()};
}

/// Whole numbers, so that sums in any order are equal.
Vectors numbered(int members, std::int64_t count) {
    Vectors vectors(members);
    for (int member = 0; member < members; ++member)
        for (std::int64_t i = 0; i < count; ++i)
            vectors[member].push_back(static_cast<float>((i * 7 + member * 13) % 101));
    return vectors;
}

std::vector<float> sums(const Vectors &vectors) {
    std::vector<float> result(vectors.front().size(), 0);
    for (const std::vector<float> &vector : vectors)
        for (std::size_t i = 0; i < vector.size(); ++i)
            result[i] += vector[i];
    return result;
}

/// Blocks of random sizes, empty ones too, that lie in random order.
std::vector<Range> random_blocks(int members, std::mt19937 &random) {
    std::vector<int> order(members);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Range> blocks(members);
    std::int64_t begin = 0;
    for (const int member : order) {
        const std::int64_t size = std::uniform_int_distribution<int>(0, 5)(random);
        blocks[member] = {begin, begin + size};
        begin += size;
    }
    return blocks;
}

/// Every way to see the group as a grid of up to three dimensions.
std::vector<std::vector<int>> shapes(int members) {
    std::vector<std::vector<int>> result{{members}};
    for (int a = 1; a <= members; ++a)
        for (int b = 1; members % a == 0 && b <= members / a; ++b)
            if (members / a % b == 0)
                result.push_back({a, b, members / a / b});
    return result;
}

std::string words(const Method &method) {
    std::string text = std::to_string(static_cast<int>(method.algorithm)) + " on";
    for (const int size : method.shape)
        text += " " + std::to_string(size);
    return text;
}

std::vector<Method> methods(const std::vector<Algorithm> &by_dimension, const std::vector<Algorithm> &of_a_line,
                            int members) {
    std::vector<Method> result;
    for (const Algorithm algorithm : by_dimension)
        for (const std::vector<int> &shape : shapes(members))
            result.push_back({algorithm, shape});
    for (const Algorithm algorithm : of_a_line)
        result.push_back({algorithm, {members}});
    return result;
}

constexpr int most_members = 17;

TEST(Steps, AllReduce) {
    for (int members = 1; members <= most_members; ++members)
        for (const Method &method : methods({Algorithm::ring, Algorithm::mst, Algorithm::hierarchical},
                                            {Algorithm::rabenseifner, Algorithm::recursive_doubling}, members))
            for (const std::int64_t count : {0, 1, 3, 50}) {
                SCOPED_TRACE(words(method) + ", " + std::to_string(count) + " elements");
                const std::vector<Range> blocks = all_reduce_blocks(count, method.shape);
                ASSERT_EQ(blocks.size(), static_cast<std::size_t>(members));
                const Vectors vectors = numbered(members, count);
                const Executed executed = execute(CollectiveKind::all_reduce, method, blocks, vectors);
                for (const std::vector<float> &vector : executed.vectors)
                    EXPECT_EQ(vector, sums(vectors));
            }
}

/// Rounding depends on the order of a sum, which is the same for every member.
TEST(Steps, AllReduceIsTheSameBitByBit) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (int members = 2; members <= most_members; ++members)
        for (const Method &method : methods({Algorithm::ring, Algorithm::mst, Algorithm::hierarchical},
                                            {Algorithm::rabenseifner, Algorithm::recursive_doubling}, members)) {
            SCOPED_TRACE(words(method));
            Vectors vectors(members, std::vector<float>(29));
            for (std::vector<float> &vector : vectors)
                for (float &value : vector)
                    value = normal(random);
            const Vectors reduced =
                execute(CollectiveKind::all_reduce, method, all_reduce_blocks(29, method.shape), vectors).vectors;
            for (const std::vector<float> &vector : reduced)
                for (std::size_t i = 0; i < vector.size(); ++i)
                    EXPECT_EQ(std::bit_cast<std::uint32_t>(vector[i]), std::bit_cast<std::uint32_t>(reduced[0][i]));
        }
}

TEST(Steps, ReduceScatterAndAllGatherOfAnyBlocks) {
    std::mt19937 random(5);
    for (int members = 1; members <= most_members; ++members) {
        const std::vector<Range> blocks = random_blocks(members, random);
        std::int64_t count = 0;
        for (const Range &block : blocks)
            count += block.size();
        const Vectors vectors = numbered(members, count);
        const std::vector<float> whole = sums(vectors);
        for (const Method &method : methods({Algorithm::ring}, {Algorithm::recursive_halving}, members)) {
            SCOPED_TRACE("reduce-scatter by " + words(method));
            const Executed executed = execute(CollectiveKind::reduce_scatter, method, blocks, vectors);
            for (int member = 0; member < members; ++member)
                for (std::int64_t i = blocks[member].begin; i < blocks[member].end; ++i)
                    EXPECT_EQ(executed.vectors[member][i], whole[i]);
        }
        Vectors own(members, std::vector<float>(count, -1));
        for (int member = 0; member < members; ++member)
            for (std::int64_t i = blocks[member].begin; i < blocks[member].end; ++i)
                own[member][i] = whole[i];
        for (const Method &method : methods({Algorithm::ring}, {Algorithm::recursive_doubling}, members)) {
            SCOPED_TRACE("all-gather by " + words(method));
            for (const std::vector<float> &vector : execute(CollectiveKind::all_gather, method, blocks, own).vectors)
                EXPECT_EQ(vector, whole);
        }
    }
}

TEST(Steps, TheExampleOfTheHeader) {
    const MessageRound first =
        steps(CollectiveKind::all_reduce, {Algorithm::ring, {3}}, 0, all_reduce_blocks(6, std::vector{3}))[0];
    EXPECT_EQ(first, (MessageRound{2, {{2, 4}}, 1, {{4, 6}}, true}));
}

TEST(Steps, MpisOwnCallHasNone) {
    const std::vector<Range> blocks{{0, 2}, {2, 4}};
    EXPECT_TRUE(steps(CollectiveKind::all_reduce, {}, 0, blocks).empty());
    EXPECT_TRUE(steps(CollectiveKind::all_to_all, {Algorithm::ring, {2}}, 0, blocks).empty());
}

/// What one round receives to combine is what scratch has to hold, no more and no less.
TEST(Steps, LargestCombined) {
    const auto largest = [](CollectiveKind kind, const Method &method, int member) {
        return largest_combined(steps(kind, method, member, all_reduce_blocks(12, method.shape)));
    };
    EXPECT_EQ(largest(CollectiveKind::all_reduce, {Algorithm::ring, {4}}, 0), 3);
    EXPECT_EQ(largest(CollectiveKind::all_reduce, {Algorithm::rabenseifner, {4}}, 0), 6);
    EXPECT_EQ(largest(CollectiveKind::all_reduce, {Algorithm::recursive_doubling, {4}}, 0), 12);
    EXPECT_EQ(largest(CollectiveKind::all_reduce, {Algorithm::mst, {4}}, 0), 12);
    EXPECT_EQ(largest(CollectiveKind::all_reduce, {Algorithm::mst, {4}}, 3), 0);
    EXPECT_EQ(largest(CollectiveKind::all_gather, {Algorithm::ring, {4}}, 0), 0);
}

} // namespace
} // namespace planrt

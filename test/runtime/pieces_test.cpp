#include "mesh/pieces.h"

#include <gtest/gtest.h>

namespace planrt {
namespace {

/// Row-major numbers of a box's elements within a tensor of these extents.
void add_numbers(const Box &box, const Box &whole, std::vector<std::int64_t> &numbers) {
    for (std::int64_t position = 0; position < volume(box); ++position) {
        std::int64_t rest = position;
        std::int64_t number = 0;
        std::int64_t stride = 1;
        for (std::size_t d = box.size(); d-- > 0;) {
            number += (box[d].begin + rest % box[d].size() - whole[d].begin) * stride;
            rest /= box[d].size();
            stride *= whole[d].size();
        }
        numbers.push_back(number);
    }
}

TEST(Pieces, OfEveryRangeOfABox) {
    for (const Box &box : {Box{}, Box{{3, 8}}, Box{{0, 3}, {1, 5}}, Box{{2, 4}, {0, 3}, {5, 8}}, Box{{0, 2}, {0, 0}},
                           Box{{0, 1}, {2, 5}, {0, 1}, {0, 2}}})
        for (std::int64_t begin = 0; begin <= volume(box); ++begin)
            for (std::int64_t end = begin; end <= volume(box); ++end) {
                std::vector<std::int64_t> numbers;
                const std::vector<Box> found = pieces(box, {begin, end});
                for (const Box &piece : found) {
                    EXPECT_GT(volume(piece), 0);
                    add_numbers(piece, box, numbers);
                }
                ASSERT_EQ(static_cast<std::int64_t>(numbers.size()), end - begin);
                for (std::size_t i = 0; i < numbers.size(); ++i)
                    ASSERT_EQ(numbers[i], begin + static_cast<std::int64_t>(i));
                EXPECT_LE(found.size(), std::max<std::size_t>(1, 2 * box.size()));
            }
}

TEST(Pieces, OfATensorInShares) {
    const Mesh mesh{{2, 3}};
    const Placement placement{{{4, {0}}, {3, {}}}, {}, Reduction::sum, {1}}; // blocks of 6, shares of 2
    EXPECT_EQ(pieces(placement, mesh, 4), (std::vector<Box>{{{2, 3}, {2, 3}}, {{3, 4}, {0, 1}}}));
    const Placement whole{{{4, {0}}, {3, {}}}, {}, Reduction::sum, {}};
    EXPECT_EQ(pieces(whole, mesh, 4), (std::vector<Box>{{{2, 4}, {0, 3}}}));
}

} // namespace
} // namespace planrt

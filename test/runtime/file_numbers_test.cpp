#include "mesh/file_numbers.h"

#include <gtest/gtest.h>

#include <numeric>

namespace planrt {
namespace {

constexpr const char *roles[] = {"vertex", "vertex'"};
constexpr Order order{4, roles, "2031"};

/// Numbers in the file of the box's elements, in its order.
std::vector<std::int64_t> numbers_of(std::span<const Dimension> dimensions, const Box &box, int &runs) {
    Tensor tensor;
    tensor.dimensions = dimensions;
    std::vector<std::int64_t> numbers;
    runs = 0;
    FileNumbers(order).for_each_run(tensor, box, [&](std::int64_t first, std::int64_t count) {
        ++runs;
        for (std::int64_t i = 0; i < count; ++i)
            numbers.push_back(first + i);
    });
    return numbers;
}

TEST(FileNumbers, OfEveryDimension) {
    int runs = 0;
    const Dimension rows[] = {{"vertex", 4}, {"hidden", 3}};
    EXPECT_EQ(numbers_of(rows, {{0, 2}, {0, 3}}, runs), (std::vector<std::int64_t>{6, 7, 8, 0, 1, 2}));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(numbers_of(rows, {{2, 3}, {1, 3}}, runs), (std::vector<std::int64_t>{10, 11}));
    const Dimension columns[] = {{"hidden", 3}, {"vertex'", 4}};
    EXPECT_EQ(numbers_of(columns, {{1, 3}, {0, 3}}, runs), (std::vector<std::int64_t>{6, 4, 7, 10, 8, 11}));
    const Dimension both[] = {{"vertex", 4}, {"vertex'", 4}};
    EXPECT_EQ(numbers_of(both, {{1, 2}, {0, 4}}, runs), (std::vector<std::int64_t>{2, 0, 3, 1}));
}

TEST(FileNumbers, OfDimensionsThatAreNotOrderedAsRunsAsLongAsCanBe) {
    int runs = 0;
    const Dimension others[] = {{"hidden", 4}, {"vertex", 3}, {"part", 2}}; // another extent: no vertices
    std::vector<std::int64_t> all(24);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(numbers_of(others, {{0, 4}, {0, 3}, {0, 2}}, runs), all);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(numbers_of(others, {{1, 3}, {1, 3}, {0, 2}}, runs),
              (std::vector<std::int64_t>{8, 9, 10, 11, 14, 15, 16, 17}));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(numbers_of({}, {}, runs), (std::vector<std::int64_t>{0}));
}

TEST(FileNumbers, WhoseTensorsDiffer) {
    const FileNumbers numbers(order);
    EXPECT_EQ(numbers.vertices(), (std::vector<std::int32_t>{2, 0, 3, 1}));
    const Dimension rows[] = {{"vertex", 4}, {"hidden", 3}};
    const Dimension others[] = {{"hidden", 4}};
    Tensor tensor;
    tensor.dimensions = rows;
    EXPECT_TRUE(numbers.differ(tensor));
    EXPECT_FALSE(FileNumbers({}).differ(tensor));
    tensor.dimensions = others;
    EXPECT_FALSE(numbers.differ(tensor));
}

} // namespace
} // namespace planrt

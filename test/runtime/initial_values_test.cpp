#include "run/training/initial_values.h"

#include <gtest/gtest.h>

#include <vector>

namespace planrt {
namespace {

/// One rank's block of a variable [in: 5, out: 7].
std::vector<float> block_of(Initializer initializer, const Mesh &mesh, std::span<const int> in,
                            std::span<const int> out, int rank, Box &box) {
    const Dimension dimensions[2] = {{"in", 5, in}, {"out", 7, out}};
    const Variable variable{"h1.w", {Type::f32, dimensions, {}, Reduction::sum, {}, 0}, true, initializer, 0.5, 2};
    box = local_box({{{5, {in.begin(), in.end()}}, {7, {out.begin(), out.end()}}}, {}, {}}, mesh, rank);
    std::vector<float> values(static_cast<std::size_t>(volume(box)));
    set_initial_values(variable, 3, FileNumbers({}), mesh, rank, reinterpret_cast<std::byte *>(values.data()));
    return values;
}

TEST(InitialValues, AreTheSameUnderEveryLayout) {
    const Mesh mesh{{2, 3}};
    const int rows[1] = {0};
    const int cols[1] = {1};
    const int both[2] = {1, 0};
    for (const Initializer initializer : {Initializer::constant, Initializer::uniform, Initializer::normal}) {
        Box box;
        const std::vector<float> whole = block_of(initializer, mesh, {}, {}, 0, box);
        for (int rank = 0; rank < 6; ++rank)
            for (const auto &[in, out] : {std::pair<std::span<const int>, std::span<const int>>{rows, cols},
                                          {cols, rows},
                                          {{}, both},
                                          {both, {}}}) {
                const std::vector<float> values = block_of(initializer, mesh, in, out, rank, box);
                std::size_t next = 0;
                for (std::int64_t i = box[0].begin; i < box[0].end; ++i)
                    for (std::int64_t j = box[1].begin; j < box[1].end; ++j)
                        ASSERT_EQ(values[next++], whole[static_cast<std::size_t>(7 * i + j)]);
            }
    }
}

TEST(InitialValues, OfATensorInSharesAreThoseOfTheWhole) {
    const Mesh mesh{{2, 3}};
    const int rows[1] = {0};
    const int cols[1] = {1};
    Box box;
    for (int rank = 0; rank < 6; ++rank) {
        const std::vector<float> block = block_of(Initializer::normal, mesh, {}, rows, rank, box);
        const Dimension dimensions[2] = {{"in", 5, {}}, {"out", 7, rows}};
        const Variable variable{
            "h1.w", {Type::f32, dimensions, {}, Reduction::sum, cols, 0}, true, Initializer::normal, 0.5, 2};
        const Range range = stored_range({{{5, {}}, {7, {0}}}, {}, Reduction::sum, {1}}, mesh, rank);
        std::vector<float> share(static_cast<std::size_t>(range.size()));
        set_initial_values(variable, 3, FileNumbers({}), mesh, rank, reinterpret_cast<std::byte *>(share.data()));
        for (std::int64_t i = range.begin; i < range.end; ++i)
            ASSERT_EQ(share[static_cast<std::size_t>(i - range.begin)], block[static_cast<std::size_t>(i)]);
    }
}

TEST(InitialValues, AreInTheRangeOfTheInitializer) {
    Box box;
    const Mesh mesh;
    for (const float value : block_of(Initializer::constant, mesh, {}, {}, 0, box))
        EXPECT_EQ(value, 0.5F);
    for (const float value : block_of(Initializer::uniform, mesh, {}, {}, 0, box)) {
        EXPECT_GE(value, 0.5F);
        EXPECT_LE(value, 2.0F);
    }
}

TEST(InitialValues, Scalars) {
    const Variable variable{"scale", {Type::f64, {}, {}, Reduction::sum, {}, 0}, true, Initializer::constant, 4, 0};
    double value = 0;
    set_initial_values(variable, 1, FileNumbers({}), Mesh{}, 0, reinterpret_cast<std::byte *>(&value));
    EXPECT_EQ(value, 4);
}

} // namespace
} // namespace planrt

#include "run/engine/arena.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace planrt {
namespace {

TEST(Arena, IsZeroedAndAligned) {
    const Arena arena(1000, /*measured=*/false);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.begin()) % 64, 0U);
    for (int i = 0; i < 1000; ++i)
        ASSERT_EQ(arena.begin()[i], std::byte{0});
}

TEST(Arena, MeasuresTheLastByteThatIsWritten) {
    const Arena arena(1000, /*measured=*/true);
    EXPECT_EQ(arena.high_water(), 0);
    arena.begin()[640] = std::byte{1};
    EXPECT_EQ(arena.high_water(), 641);
    *reinterpret_cast<float *>(arena.begin() + 996) = -1.5F;
    EXPECT_EQ(arena.high_water(), 1000);
    arena.begin()[5000] = std::byte{0}; // behind its end
    EXPECT_EQ(arena.high_water(), 5001);
}

TEST(Arena, TellsThatThereIsNotEnoughMemory) {
    const auto complaint = [](std::int64_t bytes, int ranks) {
        return failure_of([&] { Arena::check_available(bytes, ranks); });
    };
    EXPECT_TRUE(complaint(std::int64_t{1} << 50, 1)
                    .starts_with("out of memory: the program needs 1.00 PiB on each of 1 rank, but this machine has "));
    EXPECT_TRUE(
        complaint(std::int64_t{9} << 47, 3)
            .starts_with("out of memory: the program needs 1.12 PiB on each of 3 ranks, but this machine has "));
    EXPECT_EQ(complaint(1000, 4), "");
}

} // namespace
} // namespace planrt

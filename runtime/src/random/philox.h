// Counter-based random numbers: a number depends only on (seed, stream, index), so that every layout and every number
// of ranks draws the same. Philox4x32-10, Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section
// 4.3.
//
// Example: element 5 of "h1.w" under seed 1 is uniform(random_stream(1, "h1.w"), 5).
#pragma once

#include <planrt/random.h>

#include <cstdint>
#include <string_view>

namespace planrt {

/// An independent sequence of numbers: the seed is Philox's key, the name's hash the upper half of its counter.
struct RandomStream {
    std::uint64_t seed = 0;
    std::uint64_t name = 0;
};
[[nodiscard]] RandomStream random_stream(std::uint64_t seed, std::string_view name);

/// Block `index` of the stream: 128 random bits.
[[nodiscard]] PhiloxCounter random_block(RandomStream stream, std::uint64_t index);
/// Number `index` of the stream; four neighbours share one Philox block.
[[nodiscard]] std::uint32_t random_bits(RandomStream stream, std::uint64_t index);
/// In (0, 1), on a grid of 2^-32.
[[nodiscard]] double uniform(RandomStream stream, std::uint64_t index);
/// Mean 0, standard deviation 1, by Box and Muller 1958.
[[nodiscard]] double normal(RandomStream stream, std::uint64_t index);
/// In [0, bound); the bias, at most 2^-32 * bound, is negligible for the numbers of samples that occur.
[[nodiscard]] std::uint64_t random_below(RandomStream stream, std::uint64_t index, std::uint64_t bound);

/// Fills `values` with the numbers at index, index + 1, … of the stream.
void fill_uniform(RandomStream stream, std::uint64_t index, double low, double high, double *values, std::size_t count);
void fill_normal(RandomStream stream, std::uint64_t index, double mean, double deviation, double *values,
                 std::size_t count);

} // namespace planrt

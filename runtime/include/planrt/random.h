// Random numbers inside a step (dropout). A number is a function of the seed, a name, the step, the sample's number in
// the global batch (of a graph: the vertex's number in the file) and the element within the sample; so every layout,
// every number of ranks, micro-batches and recomputation draw the same numbers. Emitted loops and the compiler's
// interpreter share this file. No MPI.
//
// Philox4x32-10: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section 4.3 and table 2.
//
//   const Key key = key_of(seed, "attention.dropout", step);
//   for (…) mask[i] = uniform(key, sample, i) >= 0.1F;  // or, faster, for many elements: fill_uniform()
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace planrt {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline constexpr int philox_rounds = 10;

constexpr void philox_round(std::uint32_t &a, std::uint32_t &b, std::uint32_t &c, std::uint32_t &d,
                            const PhiloxKey &key) {
    const std::uint64_t product_0 = std::uint64_t{0xD2511F53} * a;
    const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57} * c;
    a = static_cast<std::uint32_t>(product_1 >> 32) ^ b ^ key[0];
    b = static_cast<std::uint32_t>(product_1);
    c = static_cast<std::uint32_t>(product_0 >> 32) ^ d ^ key[1];
    d = static_cast<std::uint32_t>(product_0);
}

/// That of the next round: plus the golden ratio and the square root of 3.
[[nodiscard]] constexpr PhiloxKey next_key(const PhiloxKey &key) {
    return {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
}

[[nodiscard]] constexpr PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
#pragma GCC unroll 10
    for (int round = 0; round < philox_rounds; ++round) {
        philox_round(counter[0], counter[1], counter[2], counter[3], key);
        key = next_key(key);
    }
    return counter;
}

/// FNV-1a, 64 bits.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : name) {
        hash ^= static_cast<unsigned char>(letter);
        hash *= 0x100000001b3;
    }
    return hash;
}

/// What all numbers of one random tensor share in one step.
struct Key {
    PhiloxKey key = {};
    std::uint32_t step = 0;
};

[[nodiscard]] constexpr Key key_of(std::uint64_t seed, std::string_view name, std::int64_t step) {
    const std::uint64_t key = seed ^ hash_of(name);
    return {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}, static_cast<std::uint32_t>(step)};
}

/// Elements of a sample whose numbers come from counters that follow each other: `uniform_lanes` counters give four
/// numbers each, and numbers of the same place in their counter are neighbours, so that vectors hold them as they lie.
inline constexpr std::int64_t uniform_block = 64;
inline constexpr std::int64_t uniform_lanes = uniform_block / 4;

/// The 24 highest bits, as a number in [0, 1).
[[nodiscard]] constexpr float to_unit_interval(std::uint32_t bits) {
    return static_cast<float>(static_cast<std::int32_t>(bits >> 8)) * 0x1p-24F;
}

/// A random number in [0, 1), a multiple of 2^-24. `sample`: its number in the global batch, 0 for tensors without a
/// batch dimension, below 2^32; `element`: its row-major number among the other dimensions, in global extents.
[[nodiscard]] constexpr float uniform(const Key &key, std::int64_t sample, std::int64_t element) {
    const std::int64_t counter = element / uniform_block * uniform_lanes + element % uniform_lanes;
    const PhiloxCounter bits = philox4x32_10({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(sample),
                                              key.step, static_cast<std::uint32_t>(counter >> 32)},
                                             key.key);
    const std::int64_t place = element / uniform_lanes % 4;
    return to_unit_interval(place < 2 ? place == 0 ? bits[0] : bits[1] : place == 2 ? bits[2] : bits[3]);
}

/// The numbers of `count` elements from `first` on: the same as uniform() gives, in a quarter of its time.
inline void fill_uniform(const Key &key, std::int64_t sample, std::int64_t first, std::int64_t count, float *numbers) {
    for (std::int64_t block = first / uniform_block * uniform_block; block < first + count; block += uniform_block) {
        // Arrays, not four numbers in a loop over the lanes: g++ only finds vectors in loops of few operations.
        std::uint32_t bits[4][uniform_lanes];
        const std::int64_t counter = block / 4;
        for (std::int64_t lane = 0; lane < uniform_lanes; ++lane) {
            bits[0][lane] = static_cast<std::uint32_t>(counter + lane);
            bits[1][lane] = static_cast<std::uint32_t>(sample);
            bits[2][lane] = key.step;
            bits[3][lane] = static_cast<std::uint32_t>(counter >> 32);
        }
        PhiloxKey round_key = key.key;
        for (int round = 0; round < philox_rounds; ++round) {
            for (std::int64_t lane = 0; lane < uniform_lanes; ++lane)
                philox_round(bits[0][lane], bits[1][lane], bits[2][lane], bits[3][lane], round_key);
            round_key = next_key(round_key);
        }
        float of_block[uniform_block];
        for (std::int64_t place = 0; place < 4; ++place)
            for (std::int64_t lane = 0; lane < uniform_lanes; ++lane)
                of_block[place * uniform_lanes + lane] = to_unit_interval(bits[place][lane]);
        const std::int64_t from = std::max(first, block);
        const std::int64_t to = std::min(first + count, block + uniform_block);
        std::copy(of_block + (from - block), of_block + (to - block), numbers + (from - first));
    }
}

} // namespace planrt

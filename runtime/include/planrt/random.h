// Random numbers inside a step (dropout). A number is a function of the seed, a name, the step, the sample's number in
// the global batch (of a graph: the vertex's number in the file) and the element within the sample; so every layout,
// every number of ranks, micro-batches and recomputation draw the same numbers. Emitted loops and the compiler's
// interpreter share this file. It is branch-free, so that g++ vectorises loops that call it. No MPI.
//
// Philox4x32-10: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section 4.3 and table 2.
//
//   const Key key = key_of(seed, "attention.dropout", step);
//   for (…) mask[i] = uniform(key, sample, i) >= 0.1F;
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace planrt {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

[[nodiscard]] constexpr PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product_0 = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {
            static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
            static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product_0)};
        key[0] += 0x9E3779B9; // the golden ratio
        key[1] += 0xBB67AE85; // the square root of 3
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

/// A random number in [0, 1), a multiple of 2^-24. `sample`: its number in the global batch, 0 for tensors without a
/// batch dimension, below 2^32; `element`: its row-major number among the other dimensions, in global extents.
[[nodiscard]] constexpr float uniform(const Key &key, std::int64_t sample, std::int64_t element) {
    const PhiloxCounter bits = philox4x32_10({static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(sample),
                                              key.step, static_cast<std::uint32_t>(element >> 32)},
                                             key.key);
    return static_cast<float>(bits[0] >> 8) * 0x1p-24F;
}

} // namespace planrt

#include "random/philox.h"

#include <array>
#include <cmath>
#include <numbers>

namespace planrt {

RandomStream random_stream(std::uint64_t seed, std::string_view name) {
    return {seed, hash_of(name)};
}

PhiloxCounter random_block(RandomStream stream, std::uint64_t block) {
    return philox4x32_10({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                          static_cast<std::uint32_t>(stream.name), static_cast<std::uint32_t>(stream.name >> 32)},
                         {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)});
}

namespace {

double to_unit(std::uint32_t bits) {
    return (bits + 0.5) * 0x1p-32;
}

std::array<double, 2> normal_pair(std::uint32_t first, std::uint32_t second) {
    const double radius = std::sqrt(-2 * std::log(to_unit(first)));
    const double angle = 2 * std::numbers::pi * to_unit(second);
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

std::array<double, 4> four_uniform(const PhiloxCounter &bits) {
    return {to_unit(bits[0]), to_unit(bits[1]), to_unit(bits[2]), to_unit(bits[3])};
}

std::array<double, 4> four_normal(const PhiloxCounter &bits) {
    const auto [a, b] = normal_pair(bits[0], bits[1]);
    const auto [c, d] = normal_pair(bits[2], bits[3]);
    return {a, b, c, d};
}

/// values[i] = number (index + i) of the stream * scale + shift; whole blocks of four at once.
template <class Four>
void fill(RandomStream stream, std::uint64_t index, double scale, double shift, double *values, std::size_t count,
          Four four) {
    std::size_t done = 0;
    while (done < count) {
        const std::array<double, 4> numbers = four(random_block(stream, (index + done) / 4));
        for (std::uint64_t word = (index + done) % 4; word < 4 && done < count; ++word, ++done)
            values[done] = numbers[word] * scale + shift;
    }
}

} // namespace

std::uint32_t random_bits(RandomStream stream, std::uint64_t index) {
    return random_block(stream, index / 4)[index % 4];
}

double uniform(RandomStream stream, std::uint64_t index) {
    return to_unit(random_bits(stream, index));
}

double normal(RandomStream stream, std::uint64_t index) {
    return four_normal(random_block(stream, index / 4))[index % 4];
}

std::uint64_t random_below(RandomStream stream, std::uint64_t index, std::uint64_t bound) {
    const PhiloxCounter bits = random_block(stream, index); // 64 of the block's 128 bits
    const std::uint64_t number = bits[0] | (static_cast<std::uint64_t>(bits[1]) << 32);
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(number) * bound) >> 64);
}

void fill_uniform(RandomStream stream, std::uint64_t index, double low, double high, double *values,
                  std::size_t count) {
    fill(stream, index, high - low, low, values, count, four_uniform);
}

void fill_normal(RandomStream stream, std::uint64_t index, double mean, double deviation, double *values,
                 std::size_t count) {
    fill(stream, index, deviation, mean, values, count, four_normal);
}

} // namespace planrt

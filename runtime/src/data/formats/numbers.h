// Numbers in binary files: their types, and the header of records of one type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace planrt {

enum class Number : std::uint8_t { u8, i8, u16, i16, u32, i32, i64, u64, f32, f64 };
[[nodiscard]] std::size_t bytes_of(Number number);
/// The number at `bytes`, which need not be aligned.
[[nodiscard]] double decode(const unsigned char *bytes, Number number, bool big_endian);

struct RecordHeader {
    Number number;
    bool big_endian;
    std::vector<std::int64_t> extents; ///< samples first
};

/// "28 × 28".
[[nodiscard]] std::string describe_extents(std::span<const std::int64_t> extents);

} // namespace planrt

// What IDX and .npy share: fixed records of numbers of one type, one record a sample.
#pragma once

#include "data/formats/compressed_file.h"
#include "data/store.h"

#include <vector>

namespace planrt {

enum class Number : std::uint8_t { u8, i8, u16, i16, u32, i32, i64, u64, f32, f64 };
[[nodiscard]] std::size_t bytes_of(Number number);

struct RecordHeader {
    Number number;
    bool big_endian;
    std::vector<std::int64_t> extents; ///< samples first
};

/// Reads all records behind the header into `store`. Failure where a record has not as many numbers as the field wants,
/// where the file is too short or too long, or where a label is out of range.
void read_records(CompressedFile &file, const RecordHeader &header, FieldStore &store);

/// "28 × 28".
[[nodiscard]] std::string describe_extents(std::span<const std::int64_t> extents);

} // namespace planrt

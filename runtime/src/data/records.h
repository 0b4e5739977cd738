// What IDX and .npy share: records of numbers of one type and of fixed size, one record per sample.
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

/// Reads all records after the header into `store`. Throws Failure if the records do not have as many numbers as the
/// field needs, if the file is too short or too long, or if a label is out of range.
void read_records(CompressedFile &file, const RecordHeader &header, FieldStore &store);

/// "28 × 28".
[[nodiscard]] std::string describe_extents(std::span<const std::int64_t> extents);

} // namespace planrt

#include "data/formats/numbers.h"

#include "support/plain_failure.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace planrt {

namespace {

template <class T> double decode(const unsigned char *bytes, bool big_endian) {
    unsigned char ordered[sizeof(T)];
    std::memcpy(ordered, bytes, sizeof(T));
    if (big_endian != (std::endian::native == std::endian::big))
        std::reverse(ordered, ordered + sizeof(T));
    T value;
    std::memcpy(&value, ordered, sizeof(T));
    return static_cast<double>(value);
}

} // namespace

double decode(const unsigned char *bytes, Number number, bool big_endian) {
    switch (number) {
    case Number::u8:
        return *bytes;
    case Number::i8:
        return static_cast<signed char>(*bytes);
    case Number::u16:
        return decode<std::uint16_t>(bytes, big_endian);
    case Number::i16:
        return decode<std::int16_t>(bytes, big_endian);
    case Number::u32:
        return decode<std::uint32_t>(bytes, big_endian);
    case Number::i32:
        return decode<std::int32_t>(bytes, big_endian);
    case Number::u64:
        return decode<std::uint64_t>(bytes, big_endian);
    case Number::i64:
        return decode<std::int64_t>(bytes, big_endian);
    case Number::f32:
        return decode<float>(bytes, big_endian);
    case Number::f64:
        return decode<double>(bytes, big_endian);
    }
    return 0;
}

std::size_t bytes_of(Number number) {
    switch (number) {
    case Number::u8:
    case Number::i8:
        return 1;
    case Number::u16:
    case Number::i16:
        return 2;
    case Number::u32:
    case Number::i32:
    case Number::f32:
        return 4;
    case Number::u64:
    case Number::i64:
    case Number::f64:
        break;
    }
    return 8;
}

std::string describe_extents(std::span<const std::int64_t> extents) {
    std::string result;
    for (const std::int64_t extent : extents)
        result += text("%s%lld", result.empty() ? "" : " × ", static_cast<long long>(extent));
    return result.empty() ? "single numbers" : result;
}

} // namespace planrt

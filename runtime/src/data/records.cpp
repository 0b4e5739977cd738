#include "data/records.h"

#include "support/failure.h"

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

void check_extents(const CompressedFile &file, const RecordHeader &header, const FieldStore &store) {
    if (header.extents.empty() || header.extents[0] == 0)
        throw Failure(file.path() + ": has no samples");
    std::int64_t elements = 1;
    const std::span<const std::int64_t> sample = std::span(header.extents).subspan(1);
    bool overflow = false;
    for (const std::int64_t extent : sample)
        overflow = overflow || __builtin_mul_overflow(elements, extent, &elements);
    if (overflow || elements != store.sample_elements())
        throw Failure(text("%s: expected samples of %lld numbers for %s, got %s", file.path().c_str(),
                           static_cast<long long>(store.sample_elements()), store.field().name,
                           describe_extents(sample).c_str()));
}

} // namespace

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

void read_records(CompressedFile &file, const RecordHeader &header, FieldStore &store) {
    check_extents(file, header, store);
    const std::size_t number_bytes = bytes_of(header.number);
    const auto elements = static_cast<std::size_t>(store.sample_elements());
    std::vector<unsigned char> record(elements * number_bytes);
    std::vector<double> numbers(elements);
    std::string reason;
    for (std::int64_t sample = 0; sample < header.extents[0]; ++sample) {
        if (file.read(record.data(), record.size()) < record.size())
            throw Failure(text("%s: ends in sample %lld; its header says that there are %lld", file.path().c_str(),
                               static_cast<long long>(sample), static_cast<long long>(header.extents[0])));
        bool good = true;
        if (header.number == Number::u8) {
            good = store.append(record.data(), reason);
        } else {
            for (std::size_t i = 0; i < elements; ++i)
                numbers[i] = decode(record.data() + i * number_bytes, header.number, header.big_endian);
            good = store.append(numbers.data(), reason);
        }
        if (!good)
            throw Failure(text("%s: sample %lld: ", file.path().c_str(), static_cast<long long>(sample)) + reason);
    }
    unsigned char more = 0;
    if (file.read(&more, 1) != 0)
        throw Failure(text("%s: continues after the %lld samples of its header", file.path().c_str(),
                           static_cast<long long>(header.extents[0])));
}

} // namespace planrt

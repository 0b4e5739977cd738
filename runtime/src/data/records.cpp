#include "data/records.h"

#include "support/failure.h"

namespace planrt {

namespace {

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

// NumPy's .npy, versions 1 to 3: a magic string, a header that is a Python dictionary, the numbers. Row-major only.
#include "data/formats/readers.h"
#include "data/records.h"

#include "support/failure.h"

#include <charconv>
#include <cstring>
#include <map>

namespace planrt {

namespace {

/// The text behind "'key':" in the header's dictionary; empty if it is not there.
std::string_view value_of(std::string_view header, std::string_view key) {
    const std::string quoted = "'" + std::string(key) + "':";
    const std::size_t found = header.find(quoted);
    if (found == std::string_view::npos)
        return {};
    std::string_view rest = header.substr(found + quoted.size());
    return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

void parse_type(const CompressedFile &file, std::string_view value, RecordHeader &header) {
    static const std::map<std::string_view, Number> numbers = {
        {"u1", Number::u8},  {"b1", Number::u8},  {"i1", Number::i8},  {"u2", Number::u16},
        {"i2", Number::i16}, {"u4", Number::u32}, {"i4", Number::i32}, {"u8", Number::u64},
        {"i8", Number::i64}, {"f4", Number::f32}, {"f8", Number::f64}};
    const std::size_t end = value.size() < 2 ? 0 : value.find('\'', 1);
    const std::string_view type = value.substr(0, end == std::string_view::npos ? 0 : end);
    const auto known = type.size() == 4 ? numbers.find(type.substr(2)) : numbers.end();
    if (known == numbers.end())
        throw Failure(text("%s: expected numbers, got the type %.*s'", file.path().c_str(),
                           static_cast<int>(type.size()), type.data()));
    header.number = known->second;
    header.big_endian = type[1] == '>';
}

void parse_shape(const CompressedFile &file, std::string_view value, RecordHeader &header) {
    const std::size_t end = value.find(')');
    if (!value.starts_with('(') || end == std::string_view::npos)
        throw Failure(file.path() + ": is no .npy file: its header has no shape");
    std::string_view list = value.substr(1, end - 1);
    while (!list.empty()) {
        const std::size_t digit = list.find_first_of("0123456789");
        if (digit == std::string_view::npos)
            return;
        list.remove_prefix(digit);
        std::int64_t extent = 0;
        const auto [rest, error] = std::from_chars(list.data(), list.data() + list.size(), extent);
        if (error != std::errc{})
            throw Failure(file.path() + ": an extent of its shape is too large");
        header.extents.push_back(extent);
        list.remove_prefix(static_cast<std::size_t>(rest - list.data()));
    }
}

RecordHeader read_header(CompressedFile &file) {
    unsigned char magic[8] = {};
    if (file.read(magic, sizeof magic) < sizeof magic || std::memcmp(magic, "\x93NUMPY", 6) != 0)
        throw Failure(file.path() + ": is no .npy file: it does not begin with \\x93NUMPY");
    unsigned char length[4] = {};
    const std::size_t length_bytes = magic[6] == 1 ? 2 : 4;
    const std::size_t got = file.read(length, length_bytes);
    const std::size_t header_bytes = length[0] | (length[1] << 8) | (length[2] << 16) | (std::size_t{length[3]} << 24);
    std::string words(std::min<std::size_t>(header_bytes, 1 << 20), '\0');
    if (got < length_bytes || file.read(words.data(), words.size()) < header_bytes)
        throw Failure(file.path() + ": ends in its header");
    RecordHeader header{Number::u8, false, {}};
    parse_type(file, value_of(words, "descr"), header);
    parse_shape(file, value_of(words, "shape"), header);
    if (value_of(words, "fortran_order").starts_with("True") && header.extents.size() > 1)
        throw Failure(file.path() + ": is in column-major order; save it with numpy.ascontiguousarray");
    return header;
}

} // namespace

void read_npy(const DataSource &source, std::vector<FieldStore> &stores) {
    for (FieldStore &store : stores) {
        CompressedFile file(source.path(store.field().file));
        read_records(file, read_header(file), store);
    }
}

} // namespace planrt

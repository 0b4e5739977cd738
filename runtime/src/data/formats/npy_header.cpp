#include "data/formats/npy_header.h"

#include "data/formats/python_literal.h"
#include "support/plain_failure.h"

#include <cstring>
#include <map>

namespace planrt {

namespace {

using Kind = PythonValue::Kind;

constexpr std::size_t longest_header = 1 << 20; // bytes; NumPy itself takes 10,000

/// The type as in the file, "'<f4'"; in words if it is not a string.
std::string described(const PythonValue *type) {
    if (type == nullptr || type->kind != Kind::string)
        return "a structure of several";
    return "'" + type->string.substr(0, 40) + "'";
}

void parse_type(const CompressedFile &file, const PythonValue *type, RecordHeader &header) {
    static const std::map<std::string_view, Number> numbers = {
        {"u1", Number::u8},  {"b1", Number::u8},  {"?", Number::u8},   {"i1", Number::i8},
        {"u2", Number::u16}, {"i2", Number::i16}, {"u4", Number::u32}, {"i4", Number::i32},
        {"u8", Number::u64}, {"i8", Number::i64}, {"f4", Number::f32}, {"f8", Number::f64}};
    std::string_view word;
    if (type != nullptr)
        word = type->string;
    const bool has_order = !word.empty() && std::string_view("<>|=").find(word[0]) != std::string_view::npos;
    header.big_endian = word.starts_with('>');
    const auto known = numbers.find(word.substr(has_order ? 1 : 0));
    if (known == numbers.end())
        throw Failure(file.path() + ": expected numbers, got the type " + described(type));
    header.number = known->second;
}

void parse_shape(const CompressedFile &file, const PythonValue *shape, RecordHeader &header) {
    if (shape == nullptr || shape->kind != Kind::tuple)
        throw Failure(file.path() + ": is not a .npy file: its header has no shape");
    for (const PythonValue &extent : shape->values) {
        if (extent.kind != Kind::integer || extent.integer < 0)
            throw Failure(file.path() + ": is not a .npy file: its shape has an extent that is not a whole number");
        header.extents.push_back(extent.integer);
    }
}

/// The dictionary between the magic string and the numbers.
std::string read_dictionary(CompressedFile &file) {
    unsigned char magic[8] = {};
    if (file.read(magic, sizeof magic) < sizeof magic || std::memcmp(magic, "\x93NUMPY", 6) != 0)
        throw Failure(file.path() + ": is not a .npy file: it does not begin with \\x93NUMPY");
    if (magic[6] < 1 || magic[6] > 3)
        throw Failure(text("%s: is of version %d of .npy; expected 1 to 3", file.path().c_str(), magic[6]));
    unsigned char length[4] = {};
    const std::size_t length_bytes = magic[6] == 1 ? 2 : 4;
    const std::size_t got = file.read(length, length_bytes);
    const std::size_t header_bytes = length[0] | (length[1] << 8) | (length[2] << 16) | (std::size_t{length[3]} << 24);
    if (header_bytes > longest_header)
        throw Failure(text("%s: is not a .npy file: a header of %zu bytes is longer than any", file.path().c_str(),
                           header_bytes));
    std::string words(header_bytes, '\0');
    if (got < length_bytes || file.read(words.data(), words.size()) < header_bytes)
        throw Failure(file.path() + ": ends in its header");
    return words;
}

PythonValue parse_dictionary(const CompressedFile &file, const std::string &words) {
    PythonValue dictionary;
    try {
        dictionary = parse_python_literal(words);
    } catch (const Failure &failure) {
        throw Failure(file.path() + ": is not a .npy file: its header: " + failure.what());
    }
    if (dictionary.kind != Kind::dictionary)
        throw Failure(file.path() + ": is not a .npy file: its header is not a dictionary");
    return dictionary;
}

} // namespace

RecordHeader read_npy_header(CompressedFile &file) {
    const PythonValue dictionary = parse_dictionary(file, read_dictionary(file));
    RecordHeader header{Number::u8, false, {}};
    parse_type(file, dictionary.member("descr"), header);
    parse_shape(file, dictionary.member("shape"), header);
    const PythonValue *by_columns = dictionary.member("fortran_order");
    if (by_columns == nullptr || by_columns->kind != Kind::boolean)
        throw Failure(file.path() + ": is not a .npy file: its header has no fortran_order");
    if (by_columns->boolean && header.extents.size() > 1)
        throw Failure(file.path() + ": is in column-major order; save it with numpy.ascontiguousarray");
    return header;
}

} // namespace planrt

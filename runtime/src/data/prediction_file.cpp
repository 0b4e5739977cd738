#include "data/prediction_file.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <array>
#include <charconv>

namespace planrt {

namespace {

/// The magic string and the header of .npy version 1.0, padded so that the numbers begin at a multiple of 64 bytes.
std::string npy_header(const Tensor &result, std::int64_t samples) {
    const char *type = result.type == Type::f64 ? "<f8" : result.type == Type::i32 ? "<i4" : "<f4";
    std::string shape = std::to_string(samples) + ",";
    for (const Dimension &dimension : result.dimensions.subspan(1))
        shape += " " + std::to_string(dimension.extent) + ",";
    std::string words = text("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape.c_str());
    constexpr std::size_t before = 10; // magic string, version, length
    words.append(63 - (before + words.size()) % 64, ' ');
    words += '\n';
    const std::string length = {static_cast<char>(words.size() & 0xFF), static_cast<char>(words.size() >> 8)};
    return std::string("\x93NUMPY\x01\x00", 8) + length + words;
}

/// The shortest text that reads back as the same number.
template <class Number> void add_line(const Number *numbers, std::int64_t count, std::string &lines) {
    std::array<char, 32> word{};
    for (std::int64_t i = 0; i < count; ++i) {
        const char *end = std::to_chars(word.data(), word.data() + word.size(), numbers[i]).ptr;
        lines.append(i == 0 ? "" : ",").append(word.data(), static_cast<std::size_t>(end - word.data()));
    }
    lines += '\n';
}

} // namespace

PredictionFile::PredictionFile(const std::string &path, const Tensor &result, std::int64_t samples)
    : file_(path), csv_(path.ends_with(".csv")), type_(result.type) {
    for (const Dimension &dimension : result.dimensions.subspan(1))
        elements_ *= dimension.extent;
    if (!csv_)
        file_.write(npy_header(result, samples));
}

void PredictionFile::append(const std::byte *rows, std::int64_t samples) {
    if (!csv_)
        return file_.write(rows, static_cast<std::size_t>(samples * elements_) * element_bytes(type_));
    std::string lines;
    const auto add = [&](const auto *numbers) {
        for (std::int64_t sample = 0; sample < samples; ++sample)
            add_line(numbers + sample * elements_, elements_, lines);
    };
    switch (type_) {
    case Type::f32:
        add(reinterpret_cast<const float *>(rows));
        break;
    case Type::f64:
        add(reinterpret_cast<const double *>(rows));
        break;
    case Type::i32:
        add(reinterpret_cast<const std::int32_t *>(rows));
        break;
    }
    file_.write(lines);
}

} // namespace planrt

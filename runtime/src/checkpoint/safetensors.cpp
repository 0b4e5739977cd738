#include "checkpoint/safetensors.h"

#include "mesh/tensors.h"
#include "support/failure.h"
#include "support/file.h"
#include "support/json.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace planrt {

const char *safetensors_type(Type type) {
    switch (type) {
    case Type::f64:
        return "F64";
    case Type::i32:
        return "I32";
    case Type::f32:
        break;
    }
    return "F32";
}

std::string safetensors_header(const std::vector<StoredTensor> &tensors, const Metadata &metadata) {
    std::string json = "{";
    if (!metadata.empty()) {
        std::string words;
        for (const auto &[key, value] : metadata)
            words += (words.empty() ? "" : ",") + json_quoted(key) + ":" + json_quoted(value);
        json += "\"__metadata__\":{" + words + "}";
    }
    for (const StoredTensor &tensor : tensors) {
        json += (json.size() > 1 ? "," : "") + json_quoted(tensor.name);
        json += text(":{\"dtype\":\"%s\",\"shape\":[", safetensors_type(tensor.type));
        for (std::size_t d = 0; d < tensor.shape.size(); ++d)
            json += text("%s%lld", d == 0 ? "" : ",", static_cast<long long>(tensor.shape[d]));
        json += text("],\"data_offsets\":[%llu,%llu]}", static_cast<unsigned long long>(tensor.begin),
                     static_cast<unsigned long long>(tensor.end));
    }
    json += "}";
    json.append((8 - json.size() % 8) % 8, ' ');
    std::string result;
    for (int byte = 0; byte < 8; ++byte)
        result += static_cast<char>((json.size() >> (8 * byte)) & 0xFF);
    return result + json;
}

namespace {

constexpr std::uint64_t longest_header = 100'000'000; // the limit of the format's own library

std::uint64_t whole_number(const JsonValue *value) {
    if (value == nullptr || value->kind != JsonValue::Kind::number || value->number < 0 || value->number > 0x1p53 ||
        value->number != std::floor(value->number))
        throw Failure("expected a whole number in the header");
    return static_cast<std::uint64_t>(value->number);
}

StoredTensor parse_tensor(const std::string &name, const JsonValue &entry, std::uint64_t numbers_bytes) {
    StoredTensor tensor;
    tensor.name = name;
    const JsonValue *type = entry.member("dtype");
    const JsonValue *shape = entry.member("shape");
    const JsonValue *offsets = entry.member("data_offsets");
    if (type == nullptr || shape == nullptr || offsets == nullptr || offsets->values.size() != 2)
        throw Failure("tensor " + name + " lacks dtype, shape or data_offsets");
    if (type->string == "F64")
        tensor.type = Type::f64;
    else if (type->string == "I32")
        tensor.type = Type::i32;
    else if (type->string != "F32")
        throw Failure("tensor " + name + " has elements of type " + type->string + "; expected F32 or F64");
    std::uint64_t bytes = element_bytes(tensor.type);
    bool overflow = false;
    for (const JsonValue &extent : shape->values) {
        tensor.shape.push_back(static_cast<std::int64_t>(whole_number(&extent)));
        overflow = overflow || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(tensor.shape.back()), &bytes);
    }
    tensor.begin = whole_number(&offsets->values[0]);
    tensor.end = whole_number(&offsets->values[1]);
    if (overflow || tensor.end < tensor.begin || tensor.end - tensor.begin != bytes || tensor.end > numbers_bytes)
        throw Failure("tensor " + name + " lies outside the file according to its shape");
    return tensor;
}

/// Checks that tensors follow one another and fill the file, as the format requires.
void check_offsets(std::vector<StoredTensor> tensors, std::uint64_t numbers_bytes) {
    std::ranges::sort(tensors, {}, [](const StoredTensor &tensor) { return std::pair(tensor.begin, tensor.end); });
    std::uint64_t end = 0;
    for (const StoredTensor &tensor : tensors) {
        if (tensor.begin < end)
            throw Failure("tensor " + tensor.name + " overlaps another one");
        if (tensor.begin > end)
            throw Failure(text("has %llu bytes of no tensor before tensor ",
                               static_cast<unsigned long long>(tensor.begin - end)) +
                          tensor.name);
        end = tensor.end;
    }
    if (end != numbers_bytes)
        throw Failure(
            text("has %llu bytes after its last tensor", static_cast<unsigned long long>(numbers_bytes - end)));
}

} // namespace

const std::string *SafetensorsIndex::word(std::string_view key) const {
    const auto found = std::ranges::find(metadata, key, &Metadata::value_type::first);
    return found == metadata.end() ? nullptr : &found->second;
}

SafetensorsIndex read_safetensors_index(const InputFile &file, const std::string &path) {
    try {
        unsigned char bytes[8] = {};
        if (file.size() < sizeof bytes)
            throw Failure("is not a safetensors file: too short");
        file.read(0, bytes, sizeof bytes);
        std::uint64_t length = 0;
        for (int byte = 8; byte-- > 0;)
            length = (length << 8) | bytes[byte];
        if (length > longest_header && length <= file.size() - sizeof bytes)
            throw Failure(text("is not a safetensors file: a header of %llu bytes is longer than any",
                               static_cast<unsigned long long>(length)));
        if (length > file.size() - sizeof bytes)
            throw Failure("is not a safetensors file, or its end is missing");
        std::string words(length, '\0');
        file.read(sizeof bytes, words.data(), words.size());
        const JsonValue header = parse_json(words);
        SafetensorsIndex index{{}, sizeof bytes + length, {}};
        for (std::size_t i = 0; i < header.names.size(); ++i) {
            const JsonValue &entry = header.values[i];
            if (header.names[i] != "__metadata__")
                index.tensors.push_back(parse_tensor(header.names[i], entry, file.size() - index.numbers));
            else
                for (std::size_t word = 0; word < entry.names.size(); ++word)
                    index.metadata.emplace_back(entry.names[word], entry.values[word].string);
        }
        check_offsets(index.tensors, file.size() - index.numbers);
        return index;
    } catch (const Failure &failure) {
        throw Failure(path + ": " + failure.what());
    }
}

} // namespace planrt

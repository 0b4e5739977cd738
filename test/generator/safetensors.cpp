#include "safetensors.h"

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace planc::test {

namespace {

/// The number at `at`; both are little-endian.
template <class T> T number(const std::string &bytes, std::size_t at) {
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

interpret::Array read_tensor(const llvm::json::Object &entry, const std::string &bytes, std::size_t begin) {
    interpret::Array array;
    for (const llvm::json::Value &extent : *entry.getArray("shape"))
        array.extents.push_back(extent.getAsInteger().value());
    const llvm::json::Array &range = *entry.getArray("data_offsets");
    const bool wide = entry.getString("dtype").value() == "F64";
    const std::size_t end = begin + static_cast<std::size_t>(range[1].getAsInteger().value());
    if (end > bytes.size())
        throw std::runtime_error("a tensor ends behind the end of the file");
    for (std::size_t at = begin + static_cast<std::size_t>(range[0].getAsInteger().value()); at < end;
         at += wide ? 8 : 4)
        array.elements.push_back(wide ? number<double>(bytes, at) : static_cast<double>(number<float>(bytes, at)));
    return array;
}

} // namespace

std::map<std::string, interpret::Array> read_safetensors(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (bytes.size() < 8)
        throw std::runtime_error(path + " is not a safetensors file");
    const auto length = static_cast<std::size_t>(number<std::uint64_t>(bytes, 0));
    auto header = llvm::json::parse(bytes.substr(8, length));
    if (!header) {
        llvm::consumeError(header.takeError());
        throw std::runtime_error(path + " has no JSON header");
    }
    std::map<std::string, interpret::Array> tensors;
    for (const auto &[name, entry] : *header->getAsObject())
        if (name != "__metadata__")
            tensors[name.str()] = read_tensor(*entry.getAsObject(), bytes, 8 + length);
    return tensors;
}

} // namespace planc::test

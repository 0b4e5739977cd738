// The safetensors format: eight bytes of length, a JSON header {name: {dtype, shape, data_offsets}}, the numbers,
// little-endian. https://github.com/huggingface/safetensors
#pragma once

#include <planrt/planrt.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planrt {

struct StoredTensor {
    std::string name;
    Type type = Type::f32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0; ///< bytes from the start of the numbers
    std::uint64_t end = 0;
};

/// "F32", "F64", "I32".
[[nodiscard]] const char *safetensors_type(Type type);

/// Metadata of a file as pairs of key and value.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The length and the header for tensors that follow one another, padded to eight bytes.
[[nodiscard]] std::string safetensors_header(const std::vector<StoredTensor> &tensors, const Metadata &metadata = {});

/// The contents of a file, and the offset at which its numbers begin.
struct SafetensorsIndex {
    std::vector<StoredTensor> tensors;
    std::uint64_t numbers = 0; ///< offset in the file
    Metadata metadata;
    /// The value of a key; null if there is none.
    [[nodiscard]] const std::string *word(std::string_view key) const;
};
class InputFile;
/// Errors: Failure "FILE: …" if the file is not a safetensors file, is damaged, has a tensor of another type or the
/// same name twice, or if its tensors overlap or leave gaps.
[[nodiscard]] SafetensorsIndex read_safetensors_index(const InputFile &file, const std::string &path);

} // namespace planrt

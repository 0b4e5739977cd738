// The safetensors format: eight bytes of length, a JSON header {name: {dtype, shape, data_offsets}}, the numbers,
// little-endian. https://github.com/huggingface/safetensors
#pragma once

#include <planrt/planrt.h>

#include <cstdint>
#include <string>
#include <string_view>
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

/// The length and the header for tensors that lie one behind the other, padded to eight bytes.
[[nodiscard]] std::string safetensors_header(const std::vector<StoredTensor> &tensors);

/// What a file holds, and where its numbers begin.
struct SafetensorsIndex {
    std::vector<StoredTensor> tensors;
    std::uint64_t numbers = 0; ///< offset in the file
};
class InputFile;
/// Failure "FILE: …" where it is no safetensors file or is damaged, or has a tensor of another type.
[[nodiscard]] SafetensorsIndex read_safetensors_index(const InputFile &file, const std::string &path);

} // namespace planrt

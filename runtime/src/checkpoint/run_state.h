// A run's state in the metadata of its checkpoint, and the checksum of the file.
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"

namespace planrt {

/// With a checksum of zeros, which is written over when it is known.
[[nodiscard]] Metadata metadata_of(const RunState &state);

[[nodiscard]] bool is_checkpoint(const SafetensorsIndex &index);

/// Where the digits of the file's checksum stand in its header: of all its bytes in their order, its own digits counted
/// as zeros. npos: it has none.
[[nodiscard]] std::size_t checksum_place(const std::string &header);

} // namespace planrt

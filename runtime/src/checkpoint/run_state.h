// A run's state in the metadata of its checkpoint, and the checksum of the file.
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"

namespace planrt {

/// The checksum in it is zero; it is overwritten once it is known.
[[nodiscard]] Metadata metadata_of(const RunState &state);

[[nodiscard]] bool is_checkpoint(const SafetensorsIndex &index);

/// Whether it is a checkpoint with the weights of a best epoch.
[[nodiscard]] bool has_best_epoch(const SafetensorsIndex &index);

/// The position of the file's checksum in its header; npos if it has none. The checksum covers all bytes of the file in
/// order, with its own digits counted as zeros.
[[nodiscard]] std::size_t checksum_place(const std::string &header);

} // namespace planrt

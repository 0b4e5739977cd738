// A run's state in the metadata of its checkpoint, and the checksum of the file.
#pragma once

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"

namespace planrt {

/// With a checksum of zeros, which is written over when it is known.
[[nodiscard]] Metadata metadata_of(const RunState &state);

[[nodiscard]] bool is_checkpoint(const SafetensorsIndex &index);

/// CRC-32 of a file from its parts in their order; the header's own checksum counts as zeros.
class Checksum {
  public:
    void add(const void *bytes, std::size_t count);
    /// Eight hexadecimal digits.
    [[nodiscard]] std::string digits() const;
    /// Where the digits stand in a header; npos: it has none.
    [[nodiscard]] static std::size_t place(const std::string &header);
    static constexpr std::size_t length = 8;

  private:
    unsigned long sum_ = 0;
};

} // namespace planrt

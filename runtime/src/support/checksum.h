// CRC-32 as in zlib, for bytes that arrive in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace planrt {

class InputFile;

class Checksum {
  public:
    void add(const void *bytes, std::size_t count);
    /// Adds the file's bytes from `begin` to its end. Errors: Failure.
    void add(const InputFile &file, std::uint64_t begin);
    /// Eight hexadecimal digits.
    [[nodiscard]] std::string digits() const;
    static constexpr std::size_t length = 8;

  private:
    unsigned long sum_ = 0;
};

/// The checksum of a whole file. Errors: Failure.
[[nodiscard]] std::string checksum_of_file(const std::string &path);

} // namespace planrt

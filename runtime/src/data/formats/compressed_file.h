// A file read from its beginning, decompressed where it is gzip.
//
// A small file can unpack to more than any disk holds. A file that unpacks to more than `most_unpacked` and to more
// than `most_ratio` times its size is therefore refused; a real data set of this kind must be unpacked first.
#pragma once

#include "support/file.h"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace planrt {

class CompressedFile {
  public:
    /// Opens a file; pipes and devices are refused. Errors: Failure "cannot read FILE: reason"; MissingFile.
    explicit CompressedFile(const std::string &path);
    CompressedFile(const CompressedFile &) = delete;
    CompressedFile &operator=(const CompressedFile &) = delete;
    ~CompressedFile();

    [[nodiscard]] const std::string &path() const { return path_; }
    /// Reads up to `count` bytes; fewer only at the end. Errors: Failure on a read error or damaged gzip data, or if
    /// the file unpacks to too much.
    std::size_t read(void *bytes, std::size_t count);

    static constexpr std::uint64_t most_unpacked = std::uint64_t{1} << 30;
    static constexpr std::uint64_t most_ratio = 100;

  private:
    void check_unpacked() const;

    std::string path_;
    std::uint64_t size_ = 0;     ///< of the file
    std::uint64_t unpacked_ = 0; ///< so far
    gzFile file_;
};

} // namespace planrt

// A file read from its beginning, decompressed where it is gzip.
//
// A small file can unpack to more than any disk holds. What is more than `most_unpacked` and more than `most_ratio`
// times the file is no data set that somebody packed; whoever has one unpacks it first.
#pragma once

#include "support/file.h"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace planrt {

class CompressedFile {
  public:
    /// A file that is no pipe or device. Failure: "cannot read FILE: reason"; MissingFile.
    explicit CompressedFile(const std::string &path);
    CompressedFile(const CompressedFile &) = delete;
    CompressedFile &operator=(const CompressedFile &) = delete;
    ~CompressedFile();

    [[nodiscard]] const std::string &path() const { return path_; }
    /// Up to `count` bytes; fewer at the end only. Failure on a read error or damaged gzip, or where it unpacks to too
    /// much.
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

// A file read from its beginning, decompressed where it is gzip.
#pragma once

#include "support/failure.h"

#include <zlib.h>

#include <cstddef>
#include <string>

namespace planrt {

class MissingFile : public Failure {
  public:
    using Failure::Failure;
};

class CompressedFile {
  public:
    /// Failure: "cannot read FILE: reason"; MissingFile.
    explicit CompressedFile(const std::string &path);
    CompressedFile(const CompressedFile &) = delete;
    CompressedFile &operator=(const CompressedFile &) = delete;
    ~CompressedFile();

    [[nodiscard]] const std::string &path() const { return path_; }
    /// Up to `count` bytes; fewer at the end only. Failure on a read error or damaged gzip.
    std::size_t read(void *bytes, std::size_t count);

  private:
    std::string path_;
    gzFile file_;
};

} // namespace planrt

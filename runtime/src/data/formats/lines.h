// A text file line by line; gzip too.
#pragma once

#include "data/formats/compressed_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace planrt {

/// Cuts a file into lines without their ends ("\n" or "\r\n"), and without a byte order mark. Errors: Failure of
/// CompressedFile, or for a line of more than 1 GiB.
class Lines {
  public:
    explicit Lines(const std::string &path) : file_(path), buffer_(1 << 16, '\0') {}

    /// False at the end. `line` is valid until the next call.
    bool next(std::string_view &line);
    /// Of the line that next() gave last, counted from 1.
    [[nodiscard]] std::int64_t number() const { return number_; }
    [[nodiscard]] const std::string &path() const { return file_.path(); }

  private:
    bool cut(std::string_view &line);
    [[nodiscard]] std::string_view trim_end(std::size_t begin, std::size_t end) const;
    /// Keeps the incomplete line and appends more of the file; `searched` is adjusted.
    bool refill(std::size_t &searched);

    CompressedFile file_;
    std::string buffer_;
    std::size_t begin_ = 0; ///< of the next line
    std::size_t end_ = 0;   ///< of what has been read
    std::int64_t number_ = 0;
};

/// A word of a CSV file without blanks and quotes around it.
[[nodiscard]] std::string_view trim(std::string_view word);

} // namespace planrt

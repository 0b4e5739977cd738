// Source files and ranges in them. A range is a file and two byte offsets; lines and columns are computed on demand.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace planc::support {

using FileId = std::int32_t;

/// Bytes [begin, end) of a file. A range with file -1 is not in a file (built in).
struct SourceRange {
    FileId file = -1;
    std::int32_t begin = 0;
    std::int32_t end = 0;
};

struct SourceFile {
    std::string path; ///< as the user wrote it, or as an import found it
    std::string text;
    std::vector<std::int32_t> line_starts; ///< offset of each line
};

struct LineColumn {
    int line = 1;   ///< from 1
    int column = 1; ///< from 1, in bytes
};

/// Owns the text of every file that was read. Files do not move, so views into them stay valid.
class SourceFiles {
  public:
    FileId add(std::string path, std::string text);
    [[nodiscard]] const SourceFile &file(FileId id) const;
    [[nodiscard]] LineColumn locate(FileId id, std::int32_t offset) const;
    [[nodiscard]] std::string_view line(FileId id, int line) const; ///< without its line end
    [[nodiscard]] std::string_view text(SourceRange range) const;
    [[nodiscard]] int count() const { return static_cast<int>(files_.size()); }

  private:
    std::deque<SourceFile> files_;
};

} // namespace planc::support

// The entries of a file in its order, before they become a matrix.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace planrt {

/// The line of each entry, kept as a few runs: nearly always the next entry is on the next line.
class EntryLines {
  public:
    void add(std::int64_t entry, std::int64_t line) {
        if (runs_.empty() || runs_.back().second != line - entry)
            runs_.emplace_back(entry, line - entry);
    }
    [[nodiscard]] bool empty() const { return runs_.empty(); }
    [[nodiscard]] std::int64_t line(std::int64_t entry) const;

  private:
    std::vector<std::pair<std::int64_t, std::int64_t>> runs_; ///< the first entry, and what is added to its number
};

/// Which half of a symmetric matrix a file leaves out.
enum class Symmetry : std::uint8_t { general, symmetric, skew };

struct FileEntries {
    std::string path;
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    std::vector<double> values; ///< empty: all are 1
    EntryLines lines;           ///< empty: the file has no lines
    Symmetry symmetry = Symmetry::general;
    int counted_from = 0; ///< the number that the file gives the first row

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(rows.size()); }
    /// "FILE:LINE: " or "FILE: edge N: ".
    [[nodiscard]] std::string place(std::int64_t entry) const;
};

/// Throws Failure if an entry occurs twice.
void check_no_duplicates(const FileEntries &entries);

} // namespace planrt

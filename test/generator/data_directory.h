// The files of a generated case, which the compiler reads, in a directory of their own.
#pragma once

#include "plan_file.h"

#include <string>

namespace planc::test {

/// Writes the data files, not the text. Throws std::runtime_error where it cannot.
void write_data(const PlanFile &file, const std::string &directory);

/// Makes a directory with the files, which is removed at the end of its life; none if there are no files.
class DataDirectory {
  public:
    explicit DataDirectory(const PlanFile &file);
    ~DataDirectory();
    DataDirectory(const DataDirectory &) = delete;
    DataDirectory(DataDirectory &&) = delete;
    DataDirectory &operator=(const DataDirectory &) = delete;
    DataDirectory &operator=(DataDirectory &&) = delete;

    /// Empty: there is none.
    [[nodiscard]] const std::string &path() const { return path_; }

  private:
    std::string path_;
};

} // namespace planc::test

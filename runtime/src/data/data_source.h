// Where the files of a data set are.
#pragma once

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// The place from which a data set is read.
struct DataSource {
    const DataSet &set;
    std::string directory; ///< of the .plan file, or that of --data
    bool replaced;         ///< --data: a file may lie in the directory itself, under its last name
    /// The path of `file`, absolute or below the directory.
    [[nodiscard]] std::string path(const char *file) const;
};

/// `replacement`: the directory that --data names; empty: that of the .plan file.
[[nodiscard]] DataSource data_source(const DataSet &set, const std::string &replacement);

} // namespace planrt

// One reader per format: each fills the stores of a program's fields with all samples of the data set, or throws
// Failure with the file, the place in it and what was expected.
#pragma once

#include "data/store.h"

#include <planrt/planrt.h>

#include <string>
#include <vector>

namespace planrt {

/// Where a data set is read.
struct DataSource {
    const DataSet &set;
    std::string directory; ///< of the .plan file, or that of --data
    bool replaced;         ///< --data: a file may lie in the directory itself, under its last name
    /// The path of `file`, absolute or below the directory.
    [[nodiscard]] std::string path(const char *file) const;
};

/// Per sample the value of DataSet::split_column, or whether its file is for tests (1); else empty.
using SplitColumn = std::vector<double>;

void read_csv(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column);
void read_idx(const DataSource &source, std::vector<FieldStore> &stores);
void read_npy(const DataSource &source, std::vector<FieldStore> &stores);
/// Characters of a UTF-8 file, windows of them as samples, see DataFormat::text; numbered as in the file `vocabulary`.
void read_text(const DataSource &source, const std::string &vocabulary, std::vector<FieldStore> &stores);
/// A directory with the published files of CIFAR-10 or CIFAR-100, or one of them. Images as [height, width, channel].
void read_cifar(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column);
/// Inputs normally distributed, labels uniform, by the data set's seed and the field's name.
void make_synthetic(const DataSource &source, std::vector<FieldStore> &stores);

/// By DataSet::format. Returns how many samples there are, as many of each field.
std::int64_t read_samples(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column);
/// The files that read_samples() reads. Errors: as of read_samples().
[[nodiscard]] std::vector<std::string> files_of(const DataSource &source, const std::vector<FieldStore> &stores);
/// Of a directory with CIFAR's files, or the file itself.
[[nodiscard]] std::vector<std::string> cifar_files(const std::string &path);
/// Throws Failure where the fields have not the same number of samples; returns it.
std::int64_t same_samples(const DataSet &set, const std::vector<FieldStore> &stores);

} // namespace planrt

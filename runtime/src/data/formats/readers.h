// One reader per format: each fills the stores of a program's fields with all samples of the data set, or throws
// Failure with the file, the place in it and what was expected.
#pragma once

#include "data/data_source.h"
#include "data/store.h"
#include "random/philox.h"

#include <planrt/planrt.h>

#include <string>
#include <string_view>
#include <vector>

namespace planrt {

/// For each sample, the value of DataSet::split_column, or 1 if its file is for tests; empty for other splits. Of graph
/// data, the part of each row of its own table.
using SplitColumn = std::vector<double>;

/// Parts of a graph's vertices.
constexpr double train_part = 0;
constexpr double validation_part = 1;
constexpr double test_part = 2;
constexpr double no_part = 3;
/// Whether the field is the weights of vertices in the loss (Body::fields).
[[nodiscard]] bool is_weight(const Field &field);

void read_csv(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column);
void read_idx(const DataSource &source, std::vector<FieldStore> &stores);
void read_npy(const DataSource &source, std::vector<FieldStore> &stores);
/// Reads windows of characters of a UTF-8 file as samples (DataFormat::text). The characters of the file `vocabulary`
/// determine their numbers.
void read_text(const DataSource &source, const std::string &vocabulary, std::vector<FieldStore> &stores);
/// Reads a directory with the published files of CIFAR-10 or CIFAR-100, or one of these files. Images are [height,
/// width, channel].
void read_cifar(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column);
void read_graph_data(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &parts);
/// Draws samples of a field.
class SampleDrawer {
  public:
    SampleDrawer(std::uint64_t seed, std::string_view name, const Field &field, std::int64_t elements);
    /// The elements of a sample. It depends on seed, name and number only.
    [[nodiscard]] const std::vector<double> &sample(std::int64_t number);

  private:
    RandomStream stream_;
    Drawn drawn_;
    std::vector<double> values_;
};

/// Draws all samples, by the data set's seed and the field's name.
void make_synthetic(const DataSource &source, std::vector<FieldStore> &stores);

/// Reads all samples in DataSet::format. Returns their number, which is the same for each field.
std::int64_t read_samples(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column);
/// The files that read_samples() reads. Errors: as of read_samples().
[[nodiscard]] std::vector<std::string> files_of(const DataSource &source, const std::vector<FieldStore> &stores);
/// The files in a directory with CIFAR's files, or the file itself.
[[nodiscard]] std::vector<std::string> cifar_files(const std::string &path);
/// Returns the number of samples. Errors: Failure if it differs between fields.
std::int64_t same_samples(const DataSet &set, const std::vector<FieldStore> &stores);

} // namespace planrt

// The samples of files. A file has the format of the training data unless its name says otherwise (.csv, .npy). If the
// inputs of a network are not columns of one file, they are given as NAME=FILE,NAME=FILE; each file has its own format.
#pragma once

#include "data/store.h"
#include "run/engine/engine.h"
#include "run/options.h"
#include "run/prediction/inputs.h"

#include <optional>
#include <string>
#include <vector>

namespace planrt {

class SampleInputs : public PredictionInputs {
  public:
    /// Errors: Failure.
    SampleInputs(const Engine &engine, const Options &options);

    [[nodiscard]] std::int64_t count() const override { return count_; }
    [[nodiscard]] std::int64_t batch() const override { return fields_[0].tensor.dimensions[0].extent; }
    [[nodiscard]] Facts facts() const override;
    [[nodiscard]] std::vector<NamedFile> files() const override;
    void load(std::int64_t first, std::byte *arena) override;

  private:
    void find_files(const std::string &words);
    [[nodiscard]] DataSet set_of(const std::string &path) const;
    void choose_columns();
    void read(const std::string &path);

    const Program &program_;
    int role_;
    std::vector<Field> fields_;
    std::vector<std::string> paths_; ///< per field
    std::string vocabulary_;         ///< the file of the training data: it numbers the characters of a text
    std::optional<Stores> stores_;
    std::int64_t count_ = 0;
    std::vector<Range> rows_; ///< per field, this rank's part of the batch
    std::vector<std::int64_t> numbers_;
};

} // namespace planrt

// The file of predictions, with one row per sample: .npy, or comma-separated if the file's name ends in .csv.
#pragma once

#include "support/file.h"

#include <planrt/planrt.h>

#include <cstdint>
#include <string>

namespace planrt {

class PredictionFile {
  public:
    /// `result`: the tensor of one batch; the first dimension is the batch. Errors here and below: Failure.
    PredictionFile(const std::string &path, const Tensor &result, std::int64_t samples);
    /// Appends the first `samples` rows of a batch, row-major.
    void append(const std::byte *rows, std::int64_t samples);
    void commit() { file_.commit(); }

  private:
    AtomicFile file_;
    bool csv_;
    Type type_;
    std::int64_t elements_ = 1; ///< of a sample
};

} // namespace planrt

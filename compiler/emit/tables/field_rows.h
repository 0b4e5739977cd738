// Writes fields of the data set as rows of planrt::Field.
#pragma once

#include "emit/emit.h"
#include "emit/names/matrices.h"
#include "sema/program.h"

#include <map>
#include <string>
#include <vector>

namespace planc::emit {

class FieldRows {
  public:
    /// Both must outlive this.
    FieldRows(const EmitInfo &info, const Matrices &matrices) : info_(info), matrices_(matrices) {}

    /// The row of input `name`, which lies in `tensor`. Images are augmented only in `training`. `role`: of evaluation
    /// and prediction.
    [[nodiscard]] std::string row(const std::string &name, const std::string &tensor, bool training, int role = 0);
    /// The rows of planrt::Hop, from the names of the inputs of a training step.
    [[nodiscard]] std::vector<std::string> hops(const std::vector<std::string> &inputs) const;
    /// The arrays that the rows so far refer to.
    [[nodiscard]] const std::string &arrays() const { return arrays_; }

  private:
    std::string channels(const sema::Field &field);
    [[nodiscard]] std::string classes(const std::string &field) const;

    const EmitInfo &info_;
    const Matrices &matrices_;
    std::map<std::string, std::string> names_; ///< rows of an array -> its name
    std::string arrays_;
};

} // namespace planc::emit

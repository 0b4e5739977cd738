// The rows of planrt::Program::work, to which the emitted program books the time of a training step.
//
// A row is a layer in a part of the step: forward, backward, update. Fused loops of several layers run as one, so these
// layers share a row: "attention.output, norm2". Their predictions are added up too.
#pragma once

#include "emit/emit.h"
#include "emit/step.h"
#include "schedule/functions.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace planc::emit {

class WorkRows {
  public:
    struct Row {
        std::vector<std::string> layers;
        schedule::Part part = schedule::Part::forward;
        double seconds = 0; ///< predicted, a step
    };

    WorkRows(const Step &step, const EmitInfo &info);

    /// The rows of a layer are adjacent.
    [[nodiscard]] const std::vector<Row> &rows() const { return rows_; }
    /// The row of an operation of the training step: index in rows().
    [[nodiscard]] int of(mlir::Operation *op) const;

  private:
    using Place = std::pair<std::string, schedule::Part>;
    int add(const Place &place);
    int root(int place) const;
    /// The first `own` places are computed in their own part of the step.
    void join(mlir::Operation *loops, std::size_t own);
    void make_rows();

    std::map<Place, int> numbers_;      ///< of places, in the order in which they are met
    std::vector<Place> places_;         ///< by number
    std::vector<double> seconds_;       ///< predicted, by number
    std::vector<int> joined_to_;        ///< by number: an earlier place of the same row, or itself
    std::map<std::string, int> layers_; ///< in the order in which they are met
    std::vector<int> row_of_;           ///< by number
    std::vector<Row> rows_;
};

} // namespace planc::emit

// Extents in an emitted program: numbers where nothing splits the dimension, otherwise variables that are set per rank
// at set-up, because blocks differ.
#pragma once

#include "emit/functions/body.h"
#include "emit/names/identifiers.h"

#include "ir/plan_dialect.h"

#include <map>
#include <string>
#include <vector>

namespace planc::emit {

class LocalExtents {
  public:
    /// `mesh`: names of the axes; `globals`: names at the top of the program, where the arrays stand.
    LocalExtents(std::vector<std::string> mesh, UniqueNames &globals) : mesh_(std::move(mesh)), globals_(globals) {}

    /// "over_rows_cols": the array with the numbers of these axes; "{}" for none.
    std::string axes(const std::vector<std::string> &names);
    /// "10", or "local.batch_over_rows".
    std::string of(const ExtentParameter &parameter);
    /// Definitions of the arrays; a struct with all variables; the statements that set them.
    [[nodiscard]] std::string axes_arrays() const;
    [[nodiscard]] std::string declaration() const;
    [[nodiscard]] std::string set_up();

  private:
    /// What the axes split: the extent, or for a sharded tensor the rank's part of the dimensions.
    std::string whole(const schedule::LoopDimension &dimension);

    struct Variable {
        ExtentParameter parameter;
        std::string name;
    };
    std::vector<std::string> mesh_;
    std::map<std::vector<std::string>, std::string> axes_;
    UniqueNames &globals_;
    std::vector<Variable> variables_;
    UniqueNames unique_;
};

/// "planrt::Window{16, 3, 2, 1, 1, false}"
[[nodiscard]] std::string text_of(const planrt::Window &window);

/// For a dimension that windows read: which part of what they touch, " with halo", " before", …; otherwise "".
[[nodiscard]] std::string part_name(const schedule::LoopDimension &dimension);

/// "[batch: 10 over rows, pixel: 6]"
[[nodiscard]] std::string describe(ir::TensorType type);

} // namespace planc::emit

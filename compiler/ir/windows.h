// The attributes of convolutions and pools that describe their windows.
#pragma once

#include "ir/plan_dialect.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::ir {

[[nodiscard]] std::vector<std::string> names_of(mlir::ArrayAttr names);

/// The numbers of one window, except its extent.
struct WindowNumbers {
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0; ///< padding
    std::int64_t behind = 0;

    /// Window i of an operation with strides, dilations and paddings.
    template <class Op>
    WindowNumbers(Op op, std::size_t i)
        : stride(op.getStrides()[i]), dilation(op.getDilations()[i]), before(op.getPaddings()[2 * i]),
          behind(op.getPaddings()[2 * i + 1]) {}

    /// The number of positions of a window of `kernel` elements on a dimension of this extent.
    [[nodiscard]] std::int64_t places(std::int64_t extent, std::int64_t kernel) const;
};

/// Checks that there are as many kernels, strides and dilations as windows, twice as many paddings, and that none is
/// too small.
mlir::LogicalResult check_window_numbers(mlir::Operation *op, std::size_t windows, std::size_t kernels,
                                         mlir::ArrayRef<std::int64_t> strides, mlir::ArrayRef<std::int64_t> dilations,
                                         mlir::ArrayRef<std::int64_t> paddings);

/// Checks that a window of `kernel` elements has `positions` places along dimension `name`.
mlir::LogicalResult check_places(mlir::Operation *op, const std::string &name, std::int64_t extent, std::int64_t kernel,
                                 std::int64_t positions, const WindowNumbers &numbers);

} // namespace planc::ir

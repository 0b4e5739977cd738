// What a convolution and a pool say of their windows.
#pragma once

#include "ir/plan_dialect.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::ir {

[[nodiscard]] std::vector<std::string> names_of(mlir::ArrayAttr names);

/// The numbers of one window; its extent stands elsewhere.
struct WindowNumbers {
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0; ///< padding
    std::int64_t behind = 0;

    /// Of an operation with strides, dilations and paddings: those of its window i.
    template <class Op>
    WindowNumbers(Op op, std::size_t i)
        : stride(op.getStrides()[i]), dilation(op.getDilations()[i]), before(op.getPaddings()[2 * i]),
          behind(op.getPaddings()[2 * i + 1]) {}

    /// Places for a window of `kernel` elements on a dimension of this extent.
    [[nodiscard]] std::int64_t places(std::int64_t extent, std::int64_t kernel) const;
};

/// As many kernels, strides and dilations as windows and twice as many paddings, none of them too small.
mlir::LogicalResult check_window_numbers(mlir::Operation *op, std::size_t windows, std::size_t kernels,
                                         mlir::ArrayRef<std::int64_t> strides, mlir::ArrayRef<std::int64_t> dilations,
                                         mlir::ArrayRef<std::int64_t> paddings);

/// A window of `kernel` elements has `positions` places along dimension `name`.
mlir::LogicalResult check_places(mlir::Operation *op, const std::string &name, std::int64_t extent, std::int64_t kernel,
                                 std::int64_t positions, const WindowNumbers &numbers);

} // namespace planc::ir

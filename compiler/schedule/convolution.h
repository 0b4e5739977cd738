// The loops of a convolution by role, and the order of dimensions that its kernel needs.
//
//   forward "batch height in, kernel in out -> batch height out", windows ["height"], kernels ["kernel"]:
//   samples {batch}, windows {height}, kernels {kernel}, no groups, in {in}, out {out}
#pragma once

#include "ir/plan_dialect.h"
#include "schedule/matrix_product.h"

#include <planrt/convolution.h>

#include <cstdint>

namespace planc::schedule {

/// A tensor of a convolution and the loop of each of its dimensions.
struct ConvolutionTensor {
    mlir::Value value;
    Loops loops;
};

/// A convolution or one of its gradients, by the roles of its tensors: y = x * w.
struct ConvolutionParts {
    ConvolutionTensor x;
    ConvolutionTensor w;
    ConvolutionTensor y;
    Loops samples; ///< of x and y
    Loops windows; ///< of x and y, moved over; in x's order
    Loops kernels; ///< of w, window by window
    Loops groups;  ///< of all three
    Loops in;      ///< of x and w
    Loops out;     ///< of w and y
    Loops alone;   ///< of one operand only; lower-convolutions removes them

    explicit ConvolutionParts(ir::ConvOp conv);

    /// The orders of dimensions that the kernel works on.
    [[nodiscard]] Loops order_of_x() const;
    [[nodiscard]] Loops order_of_w() const;
    [[nodiscard]] Loops order_of_y() const;
    /// Index in the operation's lists of the window that moves over this loop.
    [[nodiscard]] std::size_t window(const std::string &loop) const;

  private:
    Loops attribute_order_; ///< of the windows
};

/// Formats of weights, ConvOp's attribute `format`; without one they are in the language's order.
constexpr llvm::StringLiteral packed_format = "packed";     ///< oneDNN's
constexpr llvm::StringLiteral winograd_format = "winograd"; ///< planrt/winograd.h

/// The format of a convolution; empty: none.
[[nodiscard]] llvm::StringRef weights_format(ir::ConvOp conv);

/// The convolution of the first rank, whose blocks are the largest; its dimensions in the kernel's order.
[[nodiscard]] planrt::Convolution largest_convolution(ir::ConvOp conv, ir::MeshAttr mesh);

/// The number of elements of a convolution's weights in their format; the maximum over the ranks.
[[nodiscard]] std::int64_t packed_elements(ir::ConvOp conv, ir::MeshAttr mesh);

/// For weights or a weight gradient in a kernel's format: the convolution that determines the format; otherwise null.
[[nodiscard]] ir::ConvOp format_of(mlir::Value value);

} // namespace planc::schedule

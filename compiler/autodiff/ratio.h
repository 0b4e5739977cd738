// Losses that are a ratio of two sums over samples, such as a mean over the tokens that count.
#pragma once

#include "ir/layer_builder.h"

#include <optional>

namespace planc::autodiff {

/// What depends on data or chance, and what on parameters.
class Dependence {
  public:
    [[nodiscard]] bool on_data(mlir::Value value) { return found(value, data_, of_data); }
    [[nodiscard]] bool on_parameters(mlir::Value value) { return found(value, parameters_, of_parameters); }

  private:
    using Known = llvm::DenseMap<mlir::Operation *, bool>;
    static bool of_data(mlir::Operation *op);
    static bool of_parameters(mlir::Operation *op);
    static bool found(mlir::Value value, Known &known, bool (*begins)(mlir::Operation *));

    Known data_;
    Known parameters_;
};

/// loss = numerator / denominator. The gradient of the loss is that of the numerator, divided by the denominator.
struct Ratio {
    mlir::Value numerator;
    mlir::Value denominator; ///< depends on data but on no parameter
};

/// The loss as such a ratio, if it is one: two values that depend on data, divided, then scaled, and added to others of
/// the same denominator and to terms that depend on no data.
[[nodiscard]] std::optional<Ratio> as_ratio(ir::LayerBuilder &build, mlir::Value loss);

} // namespace planc::autodiff

// Micro-batches: the loss of a part of the batch, so that gradients of the parts add up to those of the whole.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <vector>

namespace planc::autodiff {

/// Parts of a batch that differ by at most one sample, the larger ones first (planrt::block()).
struct MicroBatches {
    std::int64_t count = 1;
    std::int64_t samples = 0; ///< of the last one, which updates
    std::int64_t larger = 0;  ///< how many have one sample more

    MicroBatches(std::int64_t batch, std::int64_t count);
    [[nodiscard]] std::int64_t largest() const { return samples + (larger > 0 ? 1 : 0); }
    /// The first samples of those with one sample more, and of the others without the last.
    [[nodiscard]] std::vector<std::int64_t> firsts_of_larger() const;
    [[nodiscard]] std::vector<std::int64_t> firsts_of_others() const;
    [[nodiscard]] std::int64_t first_of_last() const;
};

/// Restricts a loss (composites decomposed, no gradients yet) to a part of `samples` samples of its batch, the first
/// dimension of its first argument. Means keep the factor of the whole batch, so the losses of the parts add up to its
/// loss; terms of parameters alone are divided by `count`.
///
/// Failure, with a message at the operation: the loss is no sum over samples (something else than a sum makes one
/// value of several samples, or uses such a value other than linearly), or the batch is renamed or reshaped.
mlir::LogicalResult restrict_to_micro_batch(mlir::func::FuncOp loss, std::int64_t samples, std::int64_t count);

/// Makes an evaluation or a prediction work on `samples` samples at once. False, and nothing is changed: what it
/// computes of a sample depends on the others.
bool shorten_batch(mlir::func::FuncOp function, std::int64_t samples);

} // namespace planc::autodiff

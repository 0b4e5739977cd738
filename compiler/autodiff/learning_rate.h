// The learning rate of a step as operations on its number.
#pragma once

#include "autodiff/arithmetic.h"
#include "sema/program.h"

namespace planc::autodiff {

/// f64, without dimensions: see sema::Schedule. Where a step has several updates, each is at its share of the step, so
/// that a rate schedule spans the same number of steps.
[[nodiscard]] mlir::Value learning_rate(Arithmetic &of, const sema::Schedule &schedule, int updates);

} // namespace planc::autodiff

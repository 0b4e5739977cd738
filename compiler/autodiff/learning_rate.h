// The learning rate of a step as operations on its number.
#pragma once

#include "autodiff/arithmetic.h"
#include "sema/program.h"

namespace planc::autodiff {

/// f64, without dimensions: see sema::Schedule.
[[nodiscard]] mlir::Value learning_rate(Arithmetic &of, const sema::Schedule &schedule);

} // namespace planc::autodiff

// The step of two roles of Inputs/two_roles.mlir, and what it computes, written again as plain loops.
#pragma once

#include "interpret/interpret.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace planc::test {

/// A context with the dialects of the file.
struct Context : mlir::MLIRContext {
    Context();
};
[[nodiscard]] mlir::OwningOpRef<mlir::ModuleOp> read_module(const std::string &file, mlir::MLIRContext &context);

constexpr int batch = 16;
constexpr int width = 6;

/// x of a whole batch, row-major.
[[nodiscard]] std::vector<double> samples();
[[nodiscard]] interpret::Inputs inputs();

struct Weights {
    std::vector<double> a = std::vector<double>(width, 0.5);
    std::vector<double> b = std::vector<double>(width, 0.75);
};
/// Trains one step on the whole batch; returns its loss.
double train(Weights &weights, const std::vector<double> &x);

} // namespace planc::test

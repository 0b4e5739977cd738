#include "two_roles.h"

#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <cmath>

namespace planc::test {

Context::Context() {
    loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> read_module(const std::string &file, mlir::MLIRContext &context) {
    return mlir::parseSourceFile<mlir::ModuleOp>(file, &context);
}

std::vector<double> samples() {
    std::vector<double> x;
    for (int i = 0; i < batch * width; ++i)
        x.push_back(std::round(1000 * std::sin(1 + 3 * i)) / 1000);
    return x;
}

interpret::Inputs inputs() {
    const Weights initial;
    interpret::Inputs inputs;
    inputs.fields["x"] = {{batch, width}, samples()};
    inputs.variables["a.w"] = {{width}, initial.a};
    inputs.variables["b.w"] = {{width}, initial.b};
    return inputs;
}

double train(Weights &weights, const std::vector<double> &x) {
    double loss = 0;
    Weights gradient{std::vector<double>(width, 0), std::vector<double>(width, 0)};
    for (int i = 0; i < batch; ++i)
        for (int j = 0; j < width; ++j) {
            const double value = x[static_cast<std::size_t>(i * width + j)];
            const double a = weights.a[static_cast<std::size_t>(j)];
            const double b = weights.b[static_cast<std::size_t>(j)];
            const double p = value * a * b;
            loss += 0.125 * p * p;
            gradient.a[static_cast<std::size_t>(j)] += 0.25 * p * b * value;
            gradient.b[static_cast<std::size_t>(j)] += 0.25 * p * value * a;
        }
    for (std::size_t j = 0; j < width; ++j) {
        weights.a[j] -= 0.1 * gradient.a[j];
        weights.b[j] -= 0.1 * gradient.b[j];
    }
    return loss;
}

} // namespace planc::test

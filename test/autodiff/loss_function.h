// Writes a function @loss on trained variables for tests, derives its training step and compares gradients.
#pragma once

#include "interpret/interpret.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace planc::test {

struct Dimension {
    std::string role;
    std::int64_t extent;
};
using Dimensions = std::vector<Dimension>;

[[nodiscard]] std::string tensor(const Dimensions &dimensions, const std::string &element = "f64");

/// @loss as text, built line by line. Values are named by their SSA names.
class LossFunction {
  public:
    std::string variable(const std::string &name, const Dimensions &dimensions);
    std::string input(const std::string &name, const Dimensions &dimensions, const std::string &element = "f64");
    /// A variable that is not trained: a running statistic.
    std::string statistic(const std::string &name, const Dimensions &dimensions);

    /// `%n = HEAD operands TAIL : (types) -> type`
    std::string operation(const std::string &head, const std::vector<std::string> &operands, const std::string &tail,
                          const Dimensions &result);
    std::string pointwise(const std::string &function, const std::vector<std::string> &operands,
                          const Dimensions &result);
    std::string reduce(const std::string &reduction, const std::string &operand, const Dimensions &result);
    std::string einsum(const std::string &subscripts, const std::vector<std::string> &operands,
                       const Dimensions &result);
    std::string constant(double value);
    /// Operands: x, scale, b, running mean and variance.
    std::string batch_norm(const std::vector<std::string> &operands, double epsilon, double momentum,
                           const Dimensions &result);

    /// The sum of all elements, each times its own random weight (an input): a scalar that depends on all of them.
    std::string weighted_sum(const std::string &value);

    [[nodiscard]] std::string text(const std::string &loss, const std::string &prediction) const;

    std::string attributes; ///< of @loss, beside plan.optimizer: "plan.label = 1, "
    std::string optimizer = R"({kind = "sgd", rate = 1.0, momentum = 0.0, weight_decay = 0.0})";
    std::map<std::string, Dimensions> variables;
    std::map<std::string, Dimensions> inputs;

  private:
    std::string declare(const std::string &name, const Dimensions &dimensions, const std::string &kind);
    std::string add(const std::string &line, const Dimensions &result);

    std::string declarations_;
    std::string arguments_;
    std::string reads_;
    std::string body_;
    std::map<std::string, std::string> types_;
    std::map<std::string, Dimensions> dimensions_;
    int next_ = 0;
};

/// Parses the module and runs decompose-composites, derive-training-step and simplify. Throws if that fails.
[[nodiscard]] mlir::OwningOpRef<mlir::ModuleOp> derive(const std::string &text, mlir::MLIRContext &context);

/// Random numbers in [low, high).
[[nodiscard]] interpret::Array random_array(const Dimensions &dimensions, double low, double high,
                                            std::mt19937 &random);

/// Values for all variables and inputs of the function.
[[nodiscard]] interpret::Inputs random_inputs(const LossFunction &function, double low, double high,
                                              std::mt19937 &random);

/// The gradients that @train applies (its optimizer takes steps of rate 1) against central differences of its loss.
void expect_gradients(const std::string &text, const interpret::Inputs &inputs);

} // namespace planc::test

#include "loss_function.h"

#include "autodiff/passes.h"
#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace planc::test {

std::string tensor(const Dimensions &dimensions, const std::string &element) {
    std::string text = "!plan.tensor<";
    for (const Dimension &dimension : dimensions)
        text += "\"" + dimension.role + "\": " + std::to_string(dimension.extent) + ", ";
    return text + element + ">";
}

std::string LossFunction::variable(const std::string &name, const Dimensions &dimensions) {
    return declare(name, dimensions, "trained");
}

std::string LossFunction::statistic(const std::string &name, const Dimensions &dimensions) {
    return declare(name, dimensions, "statistic");
}

std::string LossFunction::declare(const std::string &name, const Dimensions &dimensions, const std::string &kind) {
    const std::string type = tensor(dimensions);
    declarations_ +=
        "plan.variable @" + name + " : " + type + " = <constant, 0.0, 0.0> {" + kind + ", layer = \"one\"}\n";
    reads_ += "  %" + name + " = plan.read @" + name + " {layer = \"one\", phase = \"forward\"} : " + type + "\n";
    types_["%" + name] = type;
    dimensions_["%" + name] = dimensions;
    variables[name] = dimensions;
    return "%" + name;
}

std::string LossFunction::input(const std::string &name, const Dimensions &dimensions, const std::string &element) {
    const std::string type = tensor(dimensions, element);
    arguments_ += (arguments_.empty() ? "%" : ", %") + name + ": " + type + " {plan.input = \"" + name + "\"}";
    types_["%" + name] = type;
    dimensions_["%" + name] = dimensions;
    inputs[name] = dimensions;
    return "%" + name;
}

std::string LossFunction::add(const std::string &line, const Dimensions &result) {
    const std::string name = "%v" + std::to_string(next_++);
    body_ += "  " + name + " = " + line + "\n";
    types_[name] = tensor(result);
    dimensions_[name] = result;
    return name;
}

std::string LossFunction::operation(const std::string &head, const std::vector<std::string> &operands,
                                    const std::string &tail, const Dimensions &result) {
    std::string names;
    std::string types;
    for (const std::string &operand : operands) {
        names += (names.empty() ? "" : ", ") + operand;
        types += (types.empty() ? "" : ", ") + types_.at(operand);
    }
    return add(head + names + " " + tail + " {layer = \"one\", phase = \"forward\"} : (" + types + ") -> " +
                   tensor(result),
               result);
}

std::string LossFunction::pointwise(const std::string &function, const std::vector<std::string> &operands,
                                    const Dimensions &result) {
    return operation("plan.pointwise \"" + function + "\"(", operands, ")", result);
}

std::string LossFunction::reduce(const std::string &reduction, const std::string &operand, const Dimensions &result) {
    return operation("plan.reduce \"" + reduction + "\"(", {operand}, ")", result);
}

std::string LossFunction::einsum(const std::string &subscripts, const std::vector<std::string> &operands,
                                 const Dimensions &result) {
    return operation("plan.einsum \"" + subscripts + "\"(", operands, ")", result);
}

std::string LossFunction::batch_norm(const std::vector<std::string> &operands, double epsilon, double momentum,
                                     const Dimensions &result) {
    std::string types;
    for (const std::string &operand : operands)
        types += (types.empty() ? "" : ", ") + types_.at(operand);
    return add("plan.batch_norm " + operands[0] + ", " + operands[1] + ", " + operands[2] + " running " + operands[3] +
                   ", " + operands[4] + " epsilon " + std::to_string(epsilon) + " momentum " +
                   std::to_string(momentum) + " {layer = \"one\", phase = \"forward\"} : (" + types + ") -> " +
                   tensor(result),
               result);
}

std::string LossFunction::constant(double value) {
    return add("plan.constant " + std::to_string(value) + " : " + tensor({}), {});
}

std::string LossFunction::weighted_sum(const std::string &value) {
    const Dimensions dimensions = dimensions_.at(value);
    const std::string weights = input("weights" + std::to_string(next_), dimensions);
    return reduce("sum", pointwise("mul", {value, weights}, dimensions), {});
}

std::string LossFunction::text(const std::string &loss, const std::string &prediction) const {
    const std::string results = types_.at(loss) + ", " + types_.at(prediction);
    return declarations_ + "func.func @loss(" + arguments_ + ") -> (" + results + ") attributes {" + attributes +
           "plan.optimizer = " + optimizer + "} {\n" + reads_ + body_ + "  return " + loss + ", " + prediction + " : " +
           results + "\n}\n";
}

mlir::OwningOpRef<mlir::ModuleOp> derive(const std::string &text, mlir::MLIRContext &context) {
    context.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::PassManager passes(&context);
    autodiff::add_passes(passes);
    if (!module || failed(passes.run(*module)))
        throw std::runtime_error("not derived:\n" + text);
    return module;
}

interpret::Array random_array(const Dimensions &dimensions, double low, double high, std::mt19937 &random) {
    interpret::Array array;
    std::size_t count = 1;
    for (const Dimension &dimension : dimensions) {
        array.extents.push_back(dimension.extent);
        count *= static_cast<std::size_t>(dimension.extent);
    }
    std::uniform_real_distribution<double> distribution(low, high);
    for (std::size_t i = 0; i < count; ++i)
        array.elements.push_back(distribution(random));
    return array;
}

interpret::Inputs random_inputs(const LossFunction &function, double low, double high, std::mt19937 &random) {
    interpret::Inputs inputs;
    for (const auto &[name, dimensions] : function.variables)
        inputs.variables[name] = random_array(dimensions, low, high, random);
    for (const auto &[name, dimensions] : function.inputs)
        inputs.fields[name] = random_array(dimensions, low, high, random);
    return inputs;
}

void expect_gradients(const std::string &text, const interpret::Inputs &inputs) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = derive(text, context);
    const auto after = interpret::run(*module, "train", inputs).variables;
    for (const auto &[name, array] : inputs.variables) {
        if (module->lookupSymbol<ir::VariableOp>(name)->hasAttr("statistic"))
            continue;
        for (std::size_t i = 0; i < array.elements.size(); ++i) {
            const double step = 1e-5;
            interpret::Inputs moved = inputs;
            double &element = moved.variables[name].elements[i];
            const double middle = element;
            element = middle + step;
            const double above = interpret::run(*module, "train", moved).results[0].elements[0];
            element = middle - step;
            const double below = interpret::run(*module, "train", moved).results[0].elements[0];
            const double expected = (above - below) / (2 * step);
            const double got = middle - after.at(name).elements[i];
            ASSERT_NEAR(got, expected, 1e-7 * std::max(1.0, std::fabs(expected))) << name << "[" << i << "] of\n"
                                                                                  << text;
        }
    }
}

} // namespace planc::test

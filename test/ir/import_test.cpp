// Names of variables where they clash, and reads of shared parameters. How a .plan file looks as IR is import.plan's.
#include "ir/import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace planc::ir {

namespace {

/// y = w + w, with the parameter under this path, read twice.
sema::Network doubled(const std::string &name, const std::string &path, std::int64_t extent) {
    sema::Network network;
    network.name = name;
    const sema::TensorType type{sema::ElementType::f32, {{"a", extent}}};
    sema::Operation parameter;
    parameter.kind = sema::OperationKind::parameter;
    parameter.type = type;
    parameter.text = path;
    parameter.initializer = {sema::Initializer::Kind::normal, 0, 2};
    sema::Operation sum;
    sum.kind = sema::OperationKind::pointwise;
    sum.text = "add";
    sum.type = type;
    sum.operands = {0, 1};
    network.operations = {parameter, parameter, sum};
    network.results = {2};
    return network;
}

std::vector<std::string> variables(mlir::ModuleOp module) {
    std::vector<std::string> names;
    for (auto variable : module.getOps<VariableOp>())
        names.push_back(variable.getSymName().str());
    return names;
}

} // namespace

TEST(Import, a_parameter_is_read_once) {
    sema::Program program;
    program.networks = {doubled("n", "w", 3)};
    mlir::MLIRContext context;
    auto module = import_networks(program, {}, context);
    ASSERT_TRUE(succeeded(mlir::verify(*module)));
    auto body = &module->lookupSymbol<mlir::func::FuncOp>("n").getBody().front();
    EXPECT_EQ(std::distance(body->op_begin<ReadOp>(), body->op_end<ReadOp>()), 1);
    auto variable = *module->getOps<VariableOp>().begin();
    EXPECT_TRUE(variable.getTrained());
    EXPECT_EQ(variable.getInit().getKind(), "normal");
    EXPECT_EQ(variable.getInit().getB().getValueAsDouble(), 2);
}

TEST(Import, operations_know_their_place) {
    support::SourceFiles files;
    const support::FileId file = files.add("net.plan", "network n() {\n    y = w + w\n}\n");
    sema::Program program;
    program.networks = {doubled("n", "w", 3)};
    program.networks[0].operations[2].where = {file, 18, 27};
    mlir::MLIRContext context;
    auto module = import_networks(program, files, context);
    auto body = &module->lookupSymbol<mlir::func::FuncOp>("n").getBody().front();
    PointwiseOp sum = *body->op_begin<PointwiseOp>();
    EXPECT_EQ(sum.getLoc(), mlir::Location(mlir::FileLineColLoc::get(&context, "net.plan", 2, 5)));
}

TEST(Import, equal_names_in_two_networks_are_prefixed) {
    sema::Program program;
    program.networks = {doubled("first", "w", 3), doubled("second", "w", 4), doubled("third", "second", 5)};
    mlir::MLIRContext context;
    auto module = import_networks(program, {}, context);
    ASSERT_TRUE(succeeded(mlir::verify(*module)));
    EXPECT_EQ(variables(*module), (std::vector<std::string>{"w", "second.w", "third.second"}));
}

TEST(Import, a_parameter_may_be_called_as_a_function_is) {
    sema::Train train;
    train.loss = doubled("model", "train", 1);
    train.loss.operations.push_back(train.loss.operations.back());
    sema::Operation &sum = train.loss.operations.back();
    sum.kind = sema::OperationKind::reduce;
    sum.text = "mean";
    sum.operands = {2};
    sum.type.dimensions.clear();
    train.prediction = 2;
    train.loss.results = {3};
    mlir::MLIRContext context;
    auto module = import_program({}, train, {}, context);
    ASSERT_TRUE(succeeded(mlir::verify(*module)));
    EXPECT_EQ(variables(*module), (std::vector<std::string>{"model.train"}));
    auto loss = module->lookupSymbol<mlir::func::FuncOp>("loss");
    EXPECT_FALSE(loss->hasAttr("plan.label"));
    EXPECT_EQ(loss->getAttrOfType<mlir::DictionaryAttr>("plan.optimizer").getAs<mlir::StringAttr>("kind"), "sgd");
}

} // namespace planc::ir

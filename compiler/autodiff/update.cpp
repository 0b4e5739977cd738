#include "autodiff/update.h"

#include "mlir/IR/SymbolTable.h"

namespace planc::autodiff {

using mlir::FlatSymbolRefAttr;
using mlir::FloatAttr;
using mlir::StringAttr;
using mlir::StringRef;
using mlir::Value;

namespace {

class Updater {
  public:
    Updater(mlir::ModuleOp module, mlir::DictionaryAttr optimizer, mlir::OpBuilder &builder)
        : symbols_(module), optimizer_(optimizer), builder_(builder), phase_(builder.getStringAttr("update")) {}

    void update(const ParameterGradient &entry) {
        ir::ReadOp read = entry.parameter;
        auto variable = symbols_.lookup<ir::VariableOp>(read.getVariable());
        location_ = read.getLoc();
        layer_ = variable.getLayerAttr();
        if (optimizer_.getAs<StringAttr>("kind") == "adam")
            adam(variable, read, entry.gradient);
        else
            sgd(variable, read, entry.gradient);
    }

  private:
    /// Declares a piece of state after `variable` and returns its value.
    ir::ReadOp state(ir::VariableOp variable, StringRef suffix) {
        ir::VariableOp declared;
        {
            const mlir::OpBuilder::InsertionGuard guard(builder_);
            builder_.setInsertionPointAfter(variable);
            const FloatAttr zero = builder_.getF64FloatAttr(0);
            const auto init =
                ir::InitializerAttr::get(builder_.getContext(), builder_.getStringAttr("constant"), zero, zero);
            declared = builder_.create<ir::VariableOp>(
                location_, builder_.getStringAttr(variable.getSymName() + "." + suffix), variable.getTypeAttr(), init,
                mlir::UnitAttr(), variable.getLayerAttr());
        }
        symbols_.insert(declared);
        return builder_.create<ir::ReadOp>(location_, variable.getType(), FlatSymbolRefAttr::get(declared), layer_,
                                           phase_, ir::StrategyAttr());
    }

    void write(Value value, FlatSymbolRefAttr variable) {
        builder_.create<ir::WriteOp>(location_, value, variable, layer_, phase_, ir::StrategyAttr());
    }

    FloatAttr number(StringRef name) { return optimizer_.getAs<FloatAttr>(name); }

    void sgd(ir::VariableOp variable, ir::ReadOp read, Value gradient) {
        const bool with_momentum = number("momentum").getValueAsDouble() != 0;
        ir::ReadOp velocity;
        if (with_momentum)
            velocity = state(variable, "momentum");
        auto op = builder_.create<ir::SgdOp>(
            location_, read.getResult().getType(), with_momentum ? read.getResult().getType() : mlir::Type(),
            read.getResult(), gradient, velocity ? velocity.getResult() : Value(), number("rate"), number("momentum"),
            number("weight_decay"), layer_, phase_, ir::StrategyAttr());
        write(op.getNewParameter(), read.getVariableAttr());
        if (with_momentum)
            write(op.getNewVelocity(), velocity.getVariableAttr());
    }

    void adam(ir::VariableOp variable, ir::ReadOp read, Value gradient) {
        // Declared in the reverse order: each stands right after the variable.
        ir::ReadOp second = state(variable, "second_moment");
        ir::ReadOp first = state(variable, "first_moment");
        const mlir::Type type = read.getResult().getType();
        auto op =
            builder_.create<ir::AdamOp>(location_, type, type, type, read.getResult(), gradient, first.getResult(),
                                        second.getResult(), number("rate"), number("beta1"), number("beta2"),
                                        number("epsilon"), number("weight_decay"), layer_, phase_, ir::StrategyAttr());
        write(op.getNewParameter(), read.getVariableAttr());
        write(op.getNewFirstMoment(), first.getVariableAttr());
        write(op.getNewSecondMoment(), second.getVariableAttr());
    }

    mlir::SymbolTable symbols_;
    mlir::DictionaryAttr optimizer_;
    mlir::OpBuilder &builder_;
    mlir::Location location_ = builder_.getUnknownLoc();
    StringAttr layer_;
    StringAttr phase_;
};

} // namespace

void add_updates(mlir::ModuleOp module, mlir::ArrayRef<ParameterGradient> gradients, mlir::DictionaryAttr optimizer,
                 mlir::OpBuilder &builder) {
    Updater updater(module, optimizer, builder);
    for (const ParameterGradient &gradient : gradients)
        updater.update(gradient);
}

} // namespace planc::autodiff

#include "spmd/accumulators.h"

#include "ir/entry_functions.h"
#include "ir/layer_builder.h"
#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <algorithm>

namespace planc::spmd {

namespace {

class Expansion {
  public:
    explicit Expansion(mlir::ModuleOp module) : module_(module), symbols_(module), builder_(module.getContext()) {}

    mlir::LogicalResult run() {
        std::vector<mlir::func::FuncOp> functions = ir::entry_functions(module_);
        std::stable_partition(functions.begin(), functions.end(), // the last micro-batch first
                              [](auto function) { return !ir::accumulates(function); });
        for (mlir::func::FuncOp function : functions)
            for (auto op : llvm::make_early_inc_range(function.getOps<ir::AccumulateOp>()))
                if (failed(expand(op, function)))
                    return mlir::failure();
        return mlir::success();
    }

  private:
    mlir::LogicalResult expand(ir::AccumulateOp op, mlir::func::FuncOp function) {
        ir::VariableOp variable = accumulator(op);
        const mlir::Type type = op.getOperand().getType();
        if (variable.getType() != type)
            return op.emitOpError() << "lies as " << type << " here and as " << variable.getType() << " elsewhere";
        builder_.setInsertionPoint(op);
        const auto symbol = mlir::FlatSymbolRefAttr::get(variable);
        const auto layer = op.getLayerAttr();
        const auto phase = op.getPhaseAttr();
        // Where a step has several updates, the loss is summed over all of them, and each gradient anew for each.
        const bool of_loss = op.getAccumulator() == ir::sum_of_loss || op.getAccumulator() == ir::divisor_of_loss;
        const bool whole_step = of_loss && ir::kind_number(function) >= 0;
        mlir::Value sum = times(op, op.getOperand(), op.getShare());
        if (whole_step || !ir::begins_sums(function)) {
            auto sum_so_far = builder_.create<ir::ReadOp>(op.getLoc(), type, symbol, layer, phase, ir::StrategyAttr());
            sum = pointwise(op, "add", times(op, sum_so_far, op.getDecay()), sum);
        }
        if (whole_step || ir::accumulates(function))
            builder_.create<ir::WriteOp>(op.getLoc(), sum, symbol, layer, phase, ir::StrategyAttr());
        op.getResult().replaceAllUsesWith(sum);
        op.erase();
        return mlir::success();
    }

    mlir::Value pointwise(ir::AccumulateOp of, mlir::StringRef function, mlir::Value a, mlir::Value b) {
        return builder_.create<ir::PointwiseOp>(of.getLoc(), of.getOperand().getType(),
                                                builder_.getStringAttr(function), mlir::ValueRange{a, b},
                                                of.getLayerAttr(), of.getPhaseAttr(), of.getStrategyAttr());
    }

    mlir::Value times(ir::AccumulateOp of, mlir::Value value, std::optional<llvm::APFloat> factor) {
        if (!factor || factor->isExactlyValue(1))
            return value;
        ir::LayerBuilder build(builder_, of.getLoc(), of.getLayer().value_or(""), of.getPhase().value_or(""));
        const mlir::Type element = of.getOperand().getType().getElementType();
        return pointwise(of, "mul", value, build.constant(factor->convertToDouble(), element));
    }

    ir::VariableOp accumulator(ir::AccumulateOp op) {
        const std::string name = "sum of " + op.getAccumulator().str();
        if (auto known = symbols_.lookup<ir::VariableOp>(name))
            return known;
        builder_.setInsertionPoint(ir::updating_function(module_));
        const mlir::FloatAttr zero = builder_.getF64FloatAttr(0);
        const auto init =
            ir::InitializerAttr::get(module_.getContext(), builder_.getStringAttr("constant"), zero, zero);
        auto variable = builder_.create<ir::VariableOp>(op.getLoc(), builder_.getStringAttr(name),
                                                        mlir::TypeAttr::get(op.getOperand().getType()), init,
                                                        mlir::UnitAttr(), op.getLayerAttr());
        variable->setAttr("accumulator", builder_.getUnitAttr());
        if (const int role = ir::role_of(op->getParentOfType<mlir::func::FuncOp>()); role > 0)
            variable->setAttr("rank_role", builder_.getI64IntegerAttr(role));
        symbols_.insert(variable);
        return variable;
    }

    mlir::ModuleOp module_;
    mlir::SymbolTable symbols_;
    mlir::OpBuilder builder_;
};

} // namespace

mlir::LogicalResult expand_accumulates(mlir::ModuleOp module) {
    return Expansion(module).run();
}

} // namespace planc::spmd

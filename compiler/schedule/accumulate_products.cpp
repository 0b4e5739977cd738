// A product that is added to another value is accumulated by the matrix product itself: gradients of a parameter that
// is used twice, residual sums, sums over micro-batches. It is also accumulated into a scaled variable to which the sum
// is written back, as in momentum * velocity + gradient; this saves the gradient a buffer and two passes through
// memory.

#include "schedule/functions.h"
#include "schedule/passes.h"

namespace planc::schedule {

namespace {

/// Whether the value has a buffer of its own and the addition is its only use, so that it can be overwritten.
bool dies_at_addition(mlir::Value value, mlir::SymbolTableCollection &symbols) {
    return value.hasOneUse() && (value.getDefiningOp<ir::GemmOp>() || reads_accumulator(value, symbols));
}

bool accumulate(ir::PointwiseOp add, mlir::SymbolTableCollection &symbols) {
    for (unsigned product : {1U, 0U}) {
        auto gemm = add.getInputs()[product].getDefiningOp<ir::GemmOp>();
        const mlir::Value addend = add.getInputs()[1 - product];
        if (!gemm || gemm.getAccumulator() || !gemm.getResult().hasOneUse() || !dies_at_addition(addend, symbols) ||
            addend.getType() != gemm.getResult().getType() || addend.getType() != add.getResult().getType() ||
            (!reads_accumulator(addend, symbols) && !addend.getDefiningOp()->isBeforeInBlock(gemm)))
            continue;
        if (reads_accumulator(addend, symbols))
            addend.getDefiningOp()->moveBefore(gemm);
        gemm.getAccumulatorMutable().assign(addend);
        add.getResult().replaceAllUsesWith(gemm.getResult());
        add.erase();
        return true;
    }
    return false;
}

/// The variable to which the value is written; null if there is none.
mlir::FlatSymbolRefAttr written_to(mlir::Value value) {
    for (mlir::Operation *user : value.getUsers())
        if (auto write = mlir::dyn_cast<ir::WriteOp>(user))
            return write.getVariableAttr();
    return {};
}

/// `scaled` = number * (old value of `variable`), both used only here.
struct ScaledVariable {
    ir::ReadOp read;
    double factor = 0;

    ScaledVariable(mlir::Value scaled, mlir::FlatSymbolRefAttr variable) {
        auto mul = scaled.getDefiningOp<ir::PointwiseOp>();
        if (!mul || mul.getFunction() != "mul" || !scaled.hasOneUse())
            return;
        for (unsigned i : {0U, 1U}) {
            auto number = mul.getInputs()[i].getDefiningOp<ir::ConstantOp>();
            auto old = mul.getInputs()[1 - i].getDefiningOp<ir::ReadOp>();
            if (number && old && old.getVariableAttr() == variable && old.getResult().hasOneUse()) {
                read = old;
                factor = number.getValue().convertToDouble();
            }
        }
    }
};

void accumulate_into_variable(ir::PointwiseOp add) {
    const mlir::FlatSymbolRefAttr variable = written_to(add.getResult());
    for (unsigned product : {1U, 0U}) {
        auto gemm = add.getInputs()[product].getDefiningOp<ir::GemmOp>();
        if (!variable || !gemm || gemm.getAccumulator() || !gemm.getResult().hasOneUse())
            continue;
        const mlir::Value scaled = add.getInputs()[1 - product];
        ScaledVariable old(scaled, variable);
        if (!old.read || old.read.getResult().getType() != gemm.getResult().getType() ||
            add.getResult().getType() != gemm.getResult().getType())
            continue;
        old.read->moveBefore(gemm);
        gemm.getAccumulatorMutable().assign(old.read.getResult());
        gemm.setBetaAttr(mlir::Builder(gemm).getF64FloatAttr(old.factor));
        add.getResult().replaceAllUsesWith(gemm.getResult());
        add.erase();
        scaled.getDefiningOp()->erase();
        return;
    }
}

struct AccumulateProducts : mlir::PassWrapper<AccumulateProducts, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AccumulateProducts)

    llvm::StringRef getArgument() const override { return "accumulate-products"; }
    llvm::StringRef getDescription() const override {
        return "Let a matrix product accumulate into the value to which the program adds it";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        mlir::SymbolTableCollection symbols;
        for (auto op : llvm::to_vector(function.getOps<ir::PointwiseOp>()))
            if (op.getFunction() == "add" && !accumulate(op, symbols))
                accumulate_into_variable(op);
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> accumulate_products() {
    return std::make_unique<AccumulateProducts>();
}

} // namespace planc::schedule

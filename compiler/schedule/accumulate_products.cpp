// A product that is added to another value is accumulated into it by the matrix product itself: gradients of a
// parameter that is used twice, residual sums, sums over micro-batches.

#include "schedule/functions.h"
#include "schedule/passes.h"

namespace planc::schedule {

namespace {

/// Has a buffer of its own, and the addition is its only use: it can be overwritten.
bool dies_at_addition(mlir::Value value) {
    return value.hasOneUse() && (value.getDefiningOp<ir::GemmOp>() || reads_accumulator(value));
}

bool accumulate(ir::PointwiseOp add) {
    for (unsigned product : {1U, 0U}) {
        auto gemm = add.getInputs()[product].getDefiningOp<ir::GemmOp>();
        const mlir::Value addend = add.getInputs()[1 - product];
        if (!gemm || gemm.getAccumulator() || !gemm.getResult().hasOneUse() || !dies_at_addition(addend) ||
            addend.getType() != gemm.getResult().getType() || addend.getType() != add.getResult().getType() ||
            (!reads_accumulator(addend) && !addend.getDefiningOp()->isBeforeInBlock(gemm)))
            continue;
        if (reads_accumulator(addend))
            addend.getDefiningOp()->moveBefore(gemm);
        gemm.getAccumulatorMutable().assign(addend);
        add.getResult().replaceAllUsesWith(gemm.getResult());
        add.erase();
        return true;
    }
    return false;
}

struct AccumulateProducts : mlir::PassWrapper<AccumulateProducts, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AccumulateProducts)

    llvm::StringRef getArgument() const override { return "accumulate-products"; }
    llvm::StringRef getDescription() const override {
        return "Let a matrix product add to its result what the program adds to it";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        for (auto op : llvm::to_vector(function.getOps<ir::PointwiseOp>()))
            if (op.getFunction() == "add")
                accumulate(op);
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> accumulate_products() {
    return std::make_unique<AccumulateProducts>();
}

} // namespace planc::schedule

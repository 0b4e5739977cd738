// Weights that change between the forward and the backward pass of a micro-batch, as in a pipeline that stashes them
// (Narayanan et al., PipeDream, SOSP 2019). The forward pass copies those that the backward pass reads. The copy
// outlives its body, and so it lies in the slot of the micro-batch; the variable has the newest version.

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "pipeline/weights.h"
#include "schedule/functions.h"
#include "schedule/passes.h"

namespace planc::schedule {

namespace {

bool is_read_backward(mlir::OpOperand &use) {
    return part_of(use.getOwner()) == Part::backward;
}

void stash(mlir::func::FuncOp function) {
    mlir::SymbolTableCollection symbols;
    mlir::OpBuilder builder(function);
    for (auto read : llvm::to_vector(function.getOps<ir::ReadOp>())) {
        auto variable = symbols.lookupNearestSymbolFrom<ir::VariableOp>(read, read.getVariableAttr());
        if (!variable.getTrained() || llvm::none_of(read.getResult().getUses(), is_read_backward))
            continue;
        builder.setInsertionPointAfter(read);
        const mlir::Value copy = builder.create<ir::PointwiseOp>(
            read.getLoc(), read.getResult().getType(), builder.getStringAttr("identity"),
            mlir::ValueRange{read.getResult()}, variable.getLayerAttr(), builder.getStringAttr("forward"),
            ir::StrategyAttr());
        read.getResult().replaceUsesWithIf(copy, is_read_backward);
    }
}

struct StashWeights : mlir::PassWrapper<StashWeights, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StashWeights)

    llvm::StringRef getArgument() const override { return "stash-weights"; }
    llvm::StringRef getDescription() const override {
        return "Copy weights that change between the forward and the backward pass of a micro-batch";
    }

    void runOnOperation() override {
        if (!ir::has_pipeline(getOperation()))
            return;
        const std::vector<bool> stages = pipeline::stages_that_stash(ir::schedule_of(getOperation()));
        for (mlir::func::FuncOp function : ir::entry_functions(getOperation()))
            if (ir::is_training(function) && stages[static_cast<size_t>(ir::stage_of(function))])
                stash(function);
    }
};

} // namespace

std::unique_ptr<mlir::Pass> stash_weights() {
    return std::make_unique<StashWeights>();
}

} // namespace planc::schedule

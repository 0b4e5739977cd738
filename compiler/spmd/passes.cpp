#include "spmd/materialize.h"
#include "spmd/split_stages.h"

#include "mlir/Pass/Pass.h"

namespace planc::spmd {

namespace {

struct MaterializeLayouts : mlir::PassWrapper<MaterializeLayouts, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MaterializeLayouts)

    llvm::StringRef getArgument() const override { return "materialize-layouts"; }
    llvm::StringRef getDescription() const override {
        return "Turn a training step into a rank program: layouts on all types, collectives between them, by the "
               "module's plan.mesh, plan.strategies and plan.storage";
    }
    void runOnOperation() override {
        if (failed(materialize(getOperation())))
            signalPassFailure();
    }
};

struct SplitStages : mlir::PassWrapper<SplitStages, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitStages)

    llvm::StringRef getArgument() const override { return "split-stages"; }
    llvm::StringRef getDescription() const override {
        return "Cut the functions into those of the stages of the module's plan.pipeline; materialize-layouts does it "
               "too";
    }
    void runOnOperation() override {
        if (failed(split_stages(getOperation())))
            signalPassFailure();
    }
};

} // namespace

void register_passes() {
    mlir::PassRegistration<MaterializeLayouts>();
    mlir::PassRegistration<SplitStages>();
}

} // namespace planc::spmd

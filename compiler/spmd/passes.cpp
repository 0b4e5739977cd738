#include "spmd/materialize.h"

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

} // namespace

void register_passes() {
    mlir::PassRegistration<MaterializeLayouts>();
}

} // namespace planc::spmd

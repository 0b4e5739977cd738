#include "autodiff/passes.h"

namespace planc::autodiff {

namespace {

#define GEN_PASS_REGISTRATION
#include "autodiff/passes.h.inc"

} // namespace

void add_passes(mlir::OpPassManager &passes) {
    passes.addPass(createSampleNeighbours());
    passes.addPass(createOrderProducts());
    passes.addPass(createHoistInputProducts());
    passes.addPass(createHalveProducts());
    add_passes_as_written(passes);
}

void add_passes_as_written(mlir::OpPassManager &passes) {
    passes.addPass(createDecomposeComposites());
    passes.addPass(createDeriveTrainingStep());
    passes.addPass(createSimplify());
    passes.addPass(createFuseEdges());
    passes.addPass(createRecomputeActivations());
}

void register_passes() {
    registerAutodiffPasses();
}

} // namespace planc::autodiff

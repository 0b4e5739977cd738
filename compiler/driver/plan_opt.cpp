// plan-opt: runs passes on textual IR.
#include "autodiff/passes.h"
#include "ir/plan_dialect.h"
#include "schedule/passes.h"
#include "spmd/materialize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
    mlir::DialectRegistry dialects;
    dialects.insert<planc::ir::PlanDialect, mlir::func::FuncDialect>();
    planc::autodiff::register_passes();
    planc::spmd::register_passes();
    planc::schedule::register_passes();
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "passes of the plan dialect\n", dialects));
}

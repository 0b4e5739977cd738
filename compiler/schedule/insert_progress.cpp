// MPI does not advance a started collective by itself. So a plan.progress follows each kernel that runs while a
// collective is active.

#include "schedule/functions.h"
#include "schedule/passes.h"

namespace planc::schedule {

namespace {

struct InsertProgress : mlir::PassWrapper<InsertProgress, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertProgress)

    llvm::StringRef getArgument() const override { return "insert-progress"; }
    llvm::StringRef getDescription() const override {
        return "Insert progress points between kernels while a collective is under way";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        int under_way = 0;
        for (mlir::Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
            if (mlir::isa<ir::StartOp>(op))
                ++under_way;
            if (mlir::isa<ir::WaitOp>(op))
                --under_way;
            const bool next_waits = op.getNextNode() != nullptr && mlir::isa<ir::WaitOp>(op.getNextNode());
            if (under_way > 0 && (is_kernel(&op) || mlir::isa<ir::LoopsOp>(op)) && !next_waits) {
                mlir::OpBuilder builder(op.getContext());
                builder.setInsertionPointAfter(&op);
                builder.create<ir::ProgressOp>(op.getLoc());
            }
        }
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> insert_progress() {
    return std::make_unique<InsertProgress>();
}

} // namespace planc::schedule

#include "schedule/passes.h"

#include "schedule/schedule.h"

#include "mlir/Pass/PassRegistry.h"

namespace planc::schedule {

void register_passes() {
    for (auto *create : {stash_weights, alternate_weights, pair_contractions, lower_contractions, accumulate_products,
                         order_steps, lower_convolutions, lower_attention, advance_updates, find_bands, fuse_loops,
                         stage_gathers, insert_progress, keep_best, assign_buffers, outline_bodies})
        mlir::registerPass(create);
    mlir::registerPass([] { return overlap_halos(); });
    mlir::registerPass([] { return start_collectives(); });
    mlir::registerPassPipeline(
        "schedule", "All passes from a rank program to its schedule",
        [](mlir::OpPassManager &manager, llvm::StringRef,
           llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>) {
            add_passes(manager);
            return mlir::success();
        },
        [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}

} // namespace planc::schedule

#include "schedule/schedule.h"

#include "schedule/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace planc::schedule {

void add_passes(mlir::OpPassManager &manager, const Options &options) {
    manager.addPass(stash_weights());                          // the backward pass has the weights of the forward pass
    manager.addPass(alternate_weights());                      // each micro-batch works with its version of the weights
    manager.addPass(pair_contractions());                      // products have one operand or two
    manager.addPass(lower_contractions());                     // products are matrix products
    manager.addPass(accumulate_products());                    // sums of products need no pass of their own
    manager.addPass(order_steps());                            // forward, backward, update
    manager.addPass(overlap_halos(options.overlap_all_halos)); // convolutions compute while their halos travel
    manager.addPass(lower_convolutions());                     // convolutions and pools have the form of their kernels
    manager.addPass(lower_attention());                        // so has attention
    manager.addPass(advance_updates());                        // gradients that stay on the rank are used at once
    manager.addPass(start_collectives(options.overlap));       // communication overlaps with computation
    manager.addPass(find_bands());                             // products know the bands that masks leave
    manager.addPass(fuse_loops());                             // what is left is kernels: products, permutations, loops
    if (options.stage_gathers)
        manager.addPass(stage_gathers()); // products use a gather while it arrives
    manager.addPass(insert_progress());   // active collectives advance
    manager.addPass(keep_best());         // the weights of the best epoch have variables
    manager.addPass(assign_buffers());    // every value has its place
    manager.addPass(outline_bodies());    // the step is a program of bodies and actions
}

mlir::LogicalResult run(mlir::ModuleOp module, const Options &options) {
    mlir::PassManager manager(module.getContext());
    add_passes(manager, options);
    return manager.run(module);
}

} // namespace planc::schedule

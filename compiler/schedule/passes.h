// The passes of the schedule, one per file of the same name.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace planc::schedule {

/// --stash-weights: weights that change between both passes of a micro-batch are copied (Weights::stashed).
std::unique_ptr<mlir::Pass> stash_weights();
/// --alternate-weights: micro-batches work in turn with two versions of the weights (Weights::two_versions).
std::unique_ptr<mlir::Pass> alternate_weights();
/// --pair-contractions: products of three or more operands become products of two.
std::unique_ptr<mlir::Pass> pair_contractions();
/// --lower-contractions: products become plan.gemm; sums and permutations of one operand become plan.reduce,
/// plan.permute.
std::unique_ptr<mlir::Pass> lower_contractions();
/// --accumulate-products: a product that is added to another one is accumulated into it.
std::unique_ptr<mlir::Pass> accumulate_products();
/// --order-steps: forward, then backward, then update; operations for which a collective waits come first.
std::unique_ptr<mlir::Pass> order_steps();
/// --overlap-halos: convolutions compute on the rank's own rows while the halo travels, and then add its contribution.
/// `all`: even where that does not pay.
std::unique_ptr<mlir::Pass> overlap_halos(bool all = false);
/// --lower-convolutions: convolutions and pools in the order of dimensions that the kernels need; weights packed.
std::unique_ptr<mlir::Pass> lower_convolutions();
/// --lower-attention: what one pass of attention over the scores computes is one operation, in the kernel's order.
std::unique_ptr<mlir::Pass> lower_attention();
/// --advance-updates: parameters whose gradients are not communicated are updated as soon as the old value is no longer
/// needed.
std::unique_ptr<mlir::Pass> advance_updates();
/// --start-collectives: collectives become plan.start and plan.wait, as far apart as the data allows.
std::unique_ptr<mlir::Pass> start_collectives(bool overlap = true);
/// --find-bands: a product is marked with the band that counts if a mask discards half of it (schedule/band.h).
std::unique_ptr<mlir::Pass> find_bands();
/// --stage-gathers: products use what is gathered piece by piece (schedule/staged.h).
std::unique_ptr<mlir::Pass> stage_gathers();
/// --fuse-loops: pointwise operations and reductions over the same iteration space share a plan.loops.
std::unique_ptr<mlir::Pass> fuse_loops();
/// --insert-progress: plan.progress between kernels while a collective is active.
std::unique_ptr<mlir::Pass> insert_progress();
/// --keep-best: where the weights of the best epoch are kept, each variable of the model gets a second one for them.
std::unique_ptr<mlir::Pass> keep_best();
/// --assign-buffers: every value gets its place in the arena.
std::unique_ptr<mlir::Pass> assign_buffers();
/// --outline-bodies: the training functions become bodies, and the step program says when each runs.
std::unique_ptr<mlir::Pass> outline_bodies();

/// Registers all of them for plan-opt, and --schedule for the whole sequence.
void register_passes();

} // namespace planc::schedule

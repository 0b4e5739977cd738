// The passes from the network and its loss to the training step.

#ifndef PLANC_AUTODIFF_PASSES
#define PLANC_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeComposites : Pass<"decompose-composites", "::mlir::ModuleOp"> {
  let summary = "replace softmax, cross-entropy, mean-square error and mean by loop nests";
  let description = [{
    Softmax and cross-entropy subtract the maximum first, behind a `stop_gradient`. The label's logit is picked by a
    product with `equal(label, iota)`, so that a split class dimension needs a maximum, a sum and the label's logit per
    sample, never the logits. Means are sums times 1/N, N counted over the global extents.

    The loss of each sample before its mean is marked `plan.sample_loss`: a step on a graph
    weighs it by the samples that train.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect"];
}

def SampleNeighbours : Pass<"sample-neighbours", "::mlir::ModuleOp"> {
  let summary = "train on sampled neighbours of a batch of vertices";
  let description = [{
    For @loss on a graph with `plan.batch_vertices = B` and `plan.fanout = [f1, f2, …]`, makes @sampled_loss, from which
    the training step is derived; evaluation keeps @loss. Its values have trees in the place of vertices: B vertices of
    a batch; in the dimension `neighbour.1`, at 0 the vertex itself and behind it f1 sampled neighbours; in
    `neighbour.2`, of each of these the same with f2. A value has as many of these dimensions as sparse products depend on it one
    after the other. So a sparse product is an einsum over the last of them, with the entries of the sampled edges as an
    input: `plan.input = "a at hop 2"`. Inputs by vertex become those of trees: "x at 2 hops"; a sparse product of an
    input becomes an input too, whose rows are summed while they are read: "a * x at 1 hop".
  }];
  let dependentDialects = ["::planc::ir::PlanDialect", "::mlir::func::FuncDialect"];
}

def OrderProducts : Pass<"order-products", "::mlir::ModuleOp"> {
  let summary = "take products of sparse and dense matrices in the cheaper order";
  let description = [{
    In @loss, a (x w) with a sparse matrix a becomes (a x) w where the runtime then computes a x at set-up, or where the
    sparse products of a step have fewer columns so. The gradient costs another one, unless x is made of inputs alone.
    Both products keep their layers.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect", "::mlir::func::FuncDialect"];
}

def HoistInputProducts : Pass<"hoist-input-products", "::mlir::ModuleOp"> {
  let summary = "multiply inputs by sparse matrices once, when the data are read";
  let description = [{
    In @loss on a graph (`plan.all_samples`), a plan.spmm of an input, with the batch as its rows, becomes an input of
    its own: `plan.input = "a * x"`, with `mean` in front of a mean. The runtime computes it at set-up. An input that is
    no longer used goes.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect", "::mlir::func::FuncDialect"];
}

def HalveProducts : Pass<"halve-products", "::mlir::ModuleOp"> {
  let summary = "make of a product with a sparse matrix the sum of those with its halves";
  let description = [{
    In @loss, y = a x becomes y = fetched x + sent x, where `plan.halves` at the module has the halves of the square
    matrix a under a minimal cover (plan.spmm): `{a = {parts = 8, fetched = 2, fetched_nonzeros = 9000, sent = 3,
    sent_nonzeros = 1200}}`, the numbers as in plan.spmm. The loops of the second product have the names of each other:
    a rule that splits the rows of y splits the columns of `sent`, so that ranks fetch rows of x for the first product
    and send partial rows of y for the second.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect"];
}

def DeriveTrainingStep : Pass<"derive-training-step", "::mlir::ModuleOp"> {
  let summary = "make @train, @evaluate and @predict from @loss";
  let description = [{
    `@train(inputs) -> loss`: forward, loss, gradients by reverse accumulation, updates. A gradient operation has the
    layer of the forward operation that it comes from; its phase is `weight gradient` where it differentiates with
    respect to something made of parameters only, else `input gradient`. Optimizer state becomes variables
    (`h1.w.momentum`).

    `@evaluate(inputs, valid) -> (loss, correct)`: sums over the samples where `valid` is 1; `plan.results` says which
    of the two exist. `@predict(inputs) -> prediction`. Neither function has unused arguments.

    With `plan.microbatches = N` at the module, the batch is cut into N micro-batches (program/micro_batches.h), and
    each kind of them has a function. `@accumulate_rest`, for the larger ones, and `@accumulate`, for the others, end
    with `plan.accumulate` of the loss and of every gradient (attribute `plan.accumulates`); `@train` runs on the last
    one, and updates. `plan.batch` of the module keeps the size of the batch. The schedule decides when each function
    runs, and on which samples.

    The pass expects only loop nests, so it runs after decompose-composites. It removes `@loss`.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect", "::mlir::func::FuncDialect"];
}

def FuseEdges : Pass<"fuse-edges", "::mlir::ModuleOp"> {
  let summary = "compute sums over values on the entries of sparse matrices entry by entry";
  let description = [{
    Values with the rows and the columns of a plan.edges among their dimensions are never stored. A sum over one of the
    two, of a value that is 0 where the matrix has no entry, becomes a plan.edge_reduce with all that leads to the value;
    so does a maximum of `select(not_equal(edges, 0), x, number)`. Each reduction computes the values again. If another
    operation needs such a value, that is an error.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect"];
}

def RecomputeActivations : Pass<"recompute-activations", "::mlir::ModuleOp"> {
  let summary = "compute activations again for the backward pass instead of keeping them";
  let description = [{
    `plan.recompute = {layer = "group", …}` at the module says which group of layers a layer belongs to; others keep
    their activations. Values that leave their group forwards are kept; the others that the backward pass needs are
    computed again in phase `recompute`, just before their first use, from what enters the group. Recomputed random
    numbers are the same.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect"];
}

def Simplify : Pass<"simplify", "::mlir::ModuleOp"> {
  let summary = "fold arithmetic with numbers, merge signs, move factors out of sums, remove operations without effect";
  let description = [{
    Unused and repeated values are removed, too. The pass runs after derive-training-step, because it drops
    `stop_gradient`.
  }];
  let dependentDialects = ["::planc::ir::PlanDialect"];
}

#endif

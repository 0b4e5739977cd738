// Each replica of a schedule would change the variable by its own micro-batches.
// RUN: not plan-opt --split-stages %s 2>&1 | FileCheck %s

!batch = !plan.tensor<batch: 2, f32>
module attributes {plan.batch = 4 : i64, plan.mesh = #plan.mesh<stage: 2>, plan.microbatches = 2 : i64,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "chimera", stages = 2 : i64,
                                    layers = {h = 0 : i64, y = 1 : i64}}} {
  plan.variable @h.mean : !batch = #plan.init<constant, 0.0, 0.0> {layer = "h"}
  func.func @train(%x: !batch {plan.input = "x"}) attributes {plan.purpose = "training"} {
    %mean = plan.read @h.mean {layer = "h", phase = "forward"} : !batch
    %new = plan.pointwise "add" (%x, %mean) {layer = "h", phase = "forward"} : (!batch, !batch) -> !batch
    // CHECK: [[#@LINE+1]]:5: error: with the replicas of a pipeline schedule, each replica would write 'h.mean' for its own micro-batches
    plan.write %new, @h.mean {layer = "h", phase = "forward"} : !batch
    return
  }
}

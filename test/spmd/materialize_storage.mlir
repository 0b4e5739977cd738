// The layer of materialize_layouts.mlir with everything stored over rows (ZeRO 3), its gradient accumulated.
// RUN: plan-opt --materialize-layouts %s | FileCheck %s

module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 2>, plan.microbatches = 2 : i64,
                   plan.storage = {gradients = ["rows"], optimizer = ["rows"], parameters = ["rows"]},
                   plan.strategies = {fc = #plan.strategy<batch -> rows, in -> cols>}} {
  // The weight and its momentum live in shares of the part that the product wants.
  // CHECK-DAG: plan.variable @w : !plan.tensor<in: 6, out: 5, f32, #plan.layout<in = [cols], stored by [rows]>>
  // CHECK-DAG: plan.variable @w.momentum : !plan.tensor<in: 6, out: 5, f32, #plan.layout<in = [cols], stored by [rows]>>
  // CHECK-DAG: plan.variable @"sum of gradient of w" : !plan.tensor<in: 6, out: 5, f32, #plan.layout<in = [cols], stored by [rows]>>
  plan.variable @w : !plan.tensor<in: 6, out: 5, f32> = #plan.init<uniform, -1.0, 1.0> {layer = "fc", trained}
  plan.variable @w.momentum : !plan.tensor<in: 6, out: 5, f32> = #plan.init<constant, 0.0, 0.0> {layer = "fc"}

  // CHECK-LABEL: func.func @train
  func.func @train(%x: !plan.tensor<batch: 4, in: 6, f32> {plan.input = "x"}) {
    // It is gathered for the forward pass, and again for the backward pass.
    // CHECK: %[[W:.*]] = plan.read @w
    // CHECK: %[[FORWARD:.*]] = plan.collective "all_gather" %[[W]] over ["rows"] {layer = "fc", phase = "forward", tensor = "w"}
    // CHECK: plan.einsum "batch in, in out -> batch out"(%{{.*}}, %[[FORWARD]])
    %w = plan.read @w {layer = "fc", phase = "forward"} : !plan.tensor<in: 6, out: 5, f32>
    %y = plan.einsum "batch in, in out -> batch out" (%x, %w) {layer = "fc", phase = "forward"} : (!plan.tensor<batch: 4, in: 6, f32>, !plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<batch: 4, out: 5, f32>
    // CHECK: %[[BACKWARD:.*]] = plan.collective "all_gather" %[[W]] over ["rows"] {layer = "fc", phase = "input gradient", tensor = "w"}
    // CHECK: plan.einsum "batch out, in out -> batch in"(%{{.*}}, %[[BACKWARD]])
    %d = plan.einsum "batch out, in out -> batch in" (%y, %w) {layer = "fc", phase = "input gradient"} : (!plan.tensor<batch: 4, out: 5, f32>, !plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<batch: 4, in: 6, f32>
    // The gradient is scattered in every micro-batch; the update runs on shares and leaves nothing to gather.
    // CHECK: %[[G:.*]] = plan.einsum "batch in, batch out -> in out"{{.*}}partial sum = [rows]>>
    // CHECK: plan.collective "reduce_scatter" %[[G]] over ["rows"]
    // CHECK: plan.pointwise "add"{{.*}} -> !plan.tensor<in: 6, out: 5, f32, #plan.layout<in = [cols], stored by [rows]>>
    %g = plan.einsum "batch in, batch out -> in out" (%d, %y) {layer = "fc", phase = "weight gradient"} : (!plan.tensor<batch: 4, in: 6, f32>, !plan.tensor<batch: 4, out: 5, f32>) -> !plan.tensor<in: 6, out: 5, f32>
    %sum = plan.accumulate %g to "gradient of w" {layer = "fc", phase = "weight gradient"} : (!plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<in: 6, out: 5, f32>
    // A norm is a partial sum over shares and blocks.
    // CHECK: plan.reduce "sum"{{.*}} -> !plan.tensor<f32, #plan.layout<partial sum = [rows, cols]>>
    // CHECK: plan.collective "all_reduce" {{.*}} over ["rows", "cols"] {{.*}}tensor = "norm of w"
    %norm = plan.reduce "sum" (%sum) {layer = "fc", parameter = "w", phase = "update"} : (!plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<f32>
    // CHECK-NOT: plan.collective
    %m = plan.read @w.momentum {layer = "fc", phase = "update"} : !plan.tensor<in: 6, out: 5, f32>
    %scaled = plan.pointwise "mul" (%sum, %norm) {layer = "fc", parameter = "w", phase = "update"} : (!plan.tensor<in: 6, out: 5, f32>, !plan.tensor<f32>) -> !plan.tensor<in: 6, out: 5, f32>
    %moved = plan.pointwise "add" (%m, %scaled) {layer = "fc", parameter = "w", phase = "update"} : (!plan.tensor<in: 6, out: 5, f32>, !plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<in: 6, out: 5, f32>
    %new = plan.pointwise "sub" (%w, %moved) {layer = "fc", parameter = "w", phase = "update"} : (!plan.tensor<in: 6, out: 5, f32>, !plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<in: 6, out: 5, f32>
    plan.write %moved, @w.momentum {layer = "fc", phase = "update"} : !plan.tensor<in: 6, out: 5, f32>
    plan.write %new, @w {layer = "fc", phase = "update"} : !plan.tensor<in: 6, out: 5, f32>
    return
  }
}

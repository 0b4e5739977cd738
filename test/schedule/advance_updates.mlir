// RUN: plan-opt %s --order-steps --advance-updates --split-input-file | FileCheck %s

!x = !plan.tensor<batch: 4, in: 3, f32>
!y = !plan.tensor<batch: 4, out: 2, f32>
!w = !plan.tensor<in: 3, out: 2, f32>
!s = !plan.tensor<f32>

// The update stands behind the input gradient, which needs the old weight, and before the layers below; the rate, which
// depends on the step alone, before everything.
// CHECK-LABEL: func.func @train
// CHECK: plan.pointwise "identity"
// CHECK: phase = "forward"
// CHECK: phase = "weight gradient"
// CHECK: phase = "input gradient"
// CHECK: plan.pointwise "mul"{{.*}}parameter = "w"
// CHECK: plan.pointwise "sub"{{.*}}parameter = "w"
// CHECK: plan.write
// CHECK: layer = "below"
plan.variable @w : !w = #plan.init<constant, 0.0, 0.0> {trained, layer = "y"}
func.func @train(%x: !x, %dy: !y) -> (!y, !x) {
  %w = plan.read @w {layer = "y"} : !w
  %y = plan.einsum "batch in, in out -> batch out" (%x, %w) {layer = "y", phase = "forward"} : (!x, !w) -> !y
  %dw = plan.einsum "batch in, batch out -> in out" (%x, %dy) {layer = "y", phase = "weight gradient"} : (!x, !y) -> !w
  %dx = plan.einsum "batch out, in out -> batch in" (%dy, %w) {layer = "y", phase = "input gradient"} : (!y, !w) -> !x
  %b = plan.pointwise "tanh" (%dx) {layer = "below", phase = "input gradient"} : (!x) -> !x
  %step = plan.step {layer = "optimizer", phase = "update"} : !plan.tensor<f64>
  %rate = plan.pointwise "identity" (%step) {layer = "optimizer", phase = "update"} : (!plan.tensor<f64>) -> !s
  %d = plan.pointwise "mul" (%dw, %rate) {layer = "y", parameter = "w", phase = "update"} : (!w, !s) -> !w
  %n = plan.pointwise "sub" (%w, %d) {layer = "y", parameter = "w", phase = "update"} : (!w, !w) -> !w
  plan.write %n, @w {layer = "y", phase = "update"} : !w
  return %y, %b : !y, !x
}

// -----

!w = !plan.tensor<in: 4, f32, #plan.layout<in = [rows]>>
!g = !plan.tensor<in: 4, f32, #plan.layout<>>

// A gather may read the weight until its result is used: the update comes behind that.
// CHECK-LABEL: func.func @train
// CHECK: plan.collective
// CHECK: plan.pointwise "cos"
// CHECK: plan.pointwise "sin"
// CHECK: plan.pointwise "sub"{{.*}}parameter = "w"
// CHECK: plan.write
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  plan.variable @w : !w = #plan.init<constant, 0.0, 0.0> {trained, layer = "y"}
  func.func @train(%x: !w, %z: !g) -> (!w, !g, !g) {
    %w = plan.read @w {layer = "y"} : !w
    %y = plan.pointwise "mul" (%x, %w) {layer = "y", phase = "forward"} : (!w, !w) -> !w
    %d = plan.pointwise "exp" (%y) {layer = "y", phase = "weight gradient"} : (!w) -> !w
    %all = plan.collective "all_gather" %w over ["rows"] {layer = "below", phase = "input gradient"} : !w -> !g
    %o = plan.pointwise "cos" (%z) {layer = "y", phase = "input gradient"} : (!g) -> !g
    %b = plan.pointwise "sin" (%all) {layer = "below", phase = "input gradient"} : (!g) -> !g
    %n = plan.pointwise "sub" (%w, %d) {layer = "y", parameter = "w", phase = "update"} : (!w, !w) -> !w
    plan.write %n, @w {layer = "y", phase = "update"} : !w
    return %y, %o, %b : !w, !g, !g
  }
}

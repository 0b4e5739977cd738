// RUN: plan-opt %s --order-steps --advance-updates | FileCheck %s

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

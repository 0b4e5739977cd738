// Group b keeps what enters and leaves it; what is inside is computed again, before the backward pass needs it.
// RUN: plan-opt --recompute-activations %s | FileCheck %s

!x = !plan.tensor<batch: 4, in: 4, f32>

module attributes {plan.recompute = {b.first = "b", b.second = "b"}} {
// CHECK-LABEL: func.func @train
func.func @train(%x: !x) -> (!x, !x) {
  // CHECK: %[[A:.*]] = plan.pointwise "tanh"(%{{.*}}) {layer = "a", phase = "forward"}
  %a = plan.pointwise "tanh"(%x) {layer = "a", phase = "forward"} : (!x) -> !x
  %b1 = plan.pointwise "exp"(%a) {layer = "b.first", phase = "forward"} : (!x) -> !x
  %b2 = plan.pointwise "sin"(%b1) {layer = "b.second", phase = "forward"} : (!x) -> !x
  // CHECK: %[[B:.*]] = plan.pointwise "cos"(%{{.*}}) {layer = "b.second", phase = "forward"}
  %b3 = plan.pointwise "cos"(%b2) {layer = "b.second", phase = "forward"} : (!x) -> !x
  // CHECK: plan.pointwise "abs"(%[[B]]) {layer = "c", phase = "forward"}
  %c = plan.pointwise "abs"(%b3) {layer = "c", phase = "forward"} : (!x) -> !x
  // CHECK: %[[G1:.*]] = plan.pointwise "mul"(%{{.*}}, %[[B]]) {layer = "c", phase = "input gradient"}
  %g1 = plan.pointwise "mul"(%c, %b3) {layer = "c", phase = "input gradient"} : (!x, !x) -> !x
  // CHECK-NEXT: %[[B1:.*]] = plan.pointwise "exp"(%[[A]]) {layer = "b.first", phase = "recompute"}
  // CHECK-NEXT: %[[B2:.*]] = plan.pointwise "sin"(%[[B1]]) {layer = "b.second", phase = "recompute"}
  // CHECK-NEXT: %[[G2:.*]] = plan.pointwise "mul"(%[[G1]], %[[B2]]) {layer = "b.second", phase = "input gradient"}
  %g2 = plan.pointwise "mul"(%g1, %b2) {layer = "b.second", phase = "input gradient"} : (!x, !x) -> !x
  // CHECK-NEXT: plan.pointwise "mul"(%[[G2]], %[[B1]]) {layer = "b.first", phase = "input gradient"}
  %g3 = plan.pointwise "mul"(%g2, %b1) {layer = "b.first", phase = "input gradient"} : (!x, !x) -> !x
  return %c, %g3 : !x, !x
}
}

// RUN: plan-opt %s --fuse-loops --insert-progress | FileCheck %s

// Behind kernels that run while something is under way, but not before a wait, which makes progress itself.
!p = !plan.tensor<n: 4, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 4, f32, #plan.layout<>>

module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  // CHECK-LABEL: func.func @train
  // CHECK: "exp"
  // CHECK-NOT: plan.progress
  // CHECK: plan.start
  // CHECK: "sin"
  // CHECK: plan.progress
  // CHECK: "cos"
  // CHECK-NOT: plan.progress
  // CHECK: plan.wait
  // CHECK: "tanh"
  // CHECK-NOT: plan.progress
  func.func @train(%x: !r, %g: !p) -> (!r, !r, !r, !r) {
    %a = plan.pointwise "exp" (%x) {layer = "a", phase = "forward"} : (!r) -> !r
    %s = plan.start 0 "all_reduce" (%g) over ["rows"] {tensors = ["g"]} : (!p) -> !r
    %b = plan.pointwise "sin" (%a) {layer = "loss", phase = "forward"} : (!r) -> !r
    %c = plan.pointwise "cos" (%b) {layer = "c", phase = "forward"} : (!r) -> !r
    %w = plan.wait 0 (%s) : (!r) -> !r
    %d = plan.pointwise "tanh" (%w) {layer = "d", phase = "forward"} : (!r) -> !r
    return %a, %b, %c, %d : !r, !r, !r, !r
  }
}

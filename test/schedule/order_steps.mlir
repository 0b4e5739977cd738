// RUN: plan-opt %s --lower-contractions --order-steps | FileCheck %s

// Sources come first, updates last. Of the two gradients of layer y the input's, which is communicated, goes before the
// weight's, so that the latter is computed meanwhile.
!x = !plan.tensor<batch: 4, in: 4, f32, #plan.layout<>>
!w = !plan.tensor<in: 4, out: 4, f32, #plan.layout<out = [cols]>>
!y = !plan.tensor<batch: 4, out: 4, f32, #plan.layout<out = [cols]>>
!dx = !plan.tensor<batch: 4, in: 4, f32, #plan.layout<partial sum = [cols]>>

// CHECK-LABEL: func.func @train
// CHECK: plan.read @w
// CHECK: plan.read @v
// CHECK: plan.gemm {{.*}}phase = "forward"
// CHECK: plan.gemm {{.*}}phase = "input gradient"
// CHECK: plan.gemm {{.*}}phase = "weight gradient"
// CHECK: plan.collective
// CHECK: plan.pointwise "tanh"{{.*}}layer = "x"
// CHECK: plan.pointwise "sub"
// CHECK: plan.write
module attributes {plan.mesh = #plan.mesh<cols: 2>} {
  plan.variable @w : !w = #plan.init<constant, 0.0, 0.0> {trained, layer = "y"}
  plan.variable @v : !w = #plan.init<constant, 0.0, 0.0> {layer = "y"}
  func.func @train(%x: !x, %dy: !y) -> !x {
    %w = plan.read @w {layer = "y"} : !w
    %dw = plan.einsum "batch in, batch out -> in out" (%x, %dy) {layer = "y", phase = "weight gradient"} : (!x, !y) -> !w
    %v = plan.read @v {layer = "y"} : !w
    %nv = plan.pointwise "add" (%v, %dw) {layer = "y", phase = "update"} : (!w, !w) -> !w
    %nw = plan.pointwise "sub" (%w, %nv) {layer = "y", phase = "update"} : (!w, !w) -> !w
    plan.write %nw, @w : !w
    plan.write %nv, @v : !w
    %dx = plan.einsum "batch out, in out -> batch in" (%dy, %w) {layer = "y", phase = "input gradient"} : (!y, !w) -> !dx
    %sum = plan.collective "all_reduce" %dx over ["cols"] {layer = "y", phase = "input gradient"} : !dx -> !x
    %t = plan.pointwise "tanh" (%sum) {layer = "x", phase = "input gradient"} : (!x) -> !x
    %y = plan.einsum "batch in, in out -> batch out" (%x, %w) {layer = "y", phase = "forward"} : (!x, !w) -> !y
    %r = plan.collective "all_gather" %y over ["cols"] {layer = "y", phase = "forward"} : !y -> !plan.tensor<batch: 4, out: 4, f32, #plan.layout<>>
    return %t : !x
  }
}

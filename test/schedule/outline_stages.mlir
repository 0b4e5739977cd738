// RUN: plan-opt %s --assign-buffers --outline-stages | FileCheck %s

// Three stage functions and the table of their calls. A collective may start in one and be waited for in the next; every
// function reads variables itself.
!p = !plan.tensor<n: 16, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 16, f32, #plan.layout<>>

// CHECK-LABEL: func.func @forward
// CHECK: plan.read @w
// CHECK: plan.loops
// CHECK: %[[F:.*]] = plan.start 0
// CHECK: return %{{.*}}, %[[F]]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: plan.offset
// CHECK: plan.wait 0
// CHECK: plan.loops
// CHECK: plan.start 1
// CHECK-LABEL: func.func @update
// CHECK: plan.read @w
// CHECK: plan.wait 1
// CHECK: plan.write
// CHECK-LABEL: func.func @train
// CHECK: %[[A:.*]]:2 = call @forward(%arg0) {microbatch = 0 : i64, {{.*}}stage = 0 : i64}
// CHECK: %[[B:.*]]:2 = call @backward(%[[A]]#1, %[[A]]#0)
// CHECK: call @update(%[[B]]#1)
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  plan.variable @w : !r = #plan.init<constant, 0.0, 0.0> {trained}
  func.func @train(%x: !p) -> !r {
    %w = plan.read @w : !r
    %a = plan.loops outer 1 {
      %n = plan.pointwise "mul" (%x, %w) {phase = "forward"} : (!p, !r) -> !p
      plan.yield %n : !p
    } {phase = "forward"} : !p
    %s0 = plan.start 0 "all_reduce" (%a) over ["rows"] {tensors = ["a"], phase = "forward"} : (!p) -> !r
    %w0 = plan.wait 0 (%s0) {phase = "forward"} : (!r) -> !r
    %g = plan.loops outer 1 {
      %n = plan.pointwise "mul" (%a, %w0) {phase = "weight gradient"} : (!p, !r) -> !p
      plan.yield %n : !p
    } {phase = "weight gradient"} : !p
    %s1 = plan.start 1 "all_reduce" (%g) over ["rows"] {tensors = ["g"], phase = "weight gradient"} : (!p) -> !r
    %w1 = plan.wait 1 (%s1) {phase = "weight gradient"} : (!r) -> !r
    %u = plan.loops outer 1 {
      %n = plan.pointwise "sub" (%w, %w1) {phase = "update"} : (!r, !r) -> !r
      plan.yield %n : !r
    } {phase = "update"} : !r
    plan.write %u, @w {phase = "update"} : !r
    return %w0 : !r
  }
}

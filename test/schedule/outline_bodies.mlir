// RUN: plan-opt %s --assign-buffers --outline-bodies | FileCheck %s

// Three bodies and the program that runs them. A collective may start in one and be waited for in the next; every body
// reads variables itself.
!p = !plan.tensor<n: 16, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 16, f32, #plan.layout<>>

// CHECK: actions = {{\[\[}}"0:0 run forward", "0:0 run backward", "0:0 run update"]]
// CHECK-SAME: function = @forward, gives = array<i64: [[A:[0-9]+]], [[S:[0-9]+]]>, kind = "forward", loads = array<i64: [[X:[0-9]+]]>, role = 0 : i64, stage = 0 : i64, takes = array<i64: [[X]]>
// CHECK-SAME: function = @backward, gives = array<i64: [[W:[0-9]+]], [[G:[0-9]+]]>, kind = "backward", loads = array<i64>, role = 0 : i64, stage = 0 : i64, takes = array<i64: [[S]], [[A]]>
// CHECK-SAME: function = @update, gives = array<i64>, kind = "update", loads = array<i64>, role = 0 : i64, stage = 0 : i64, takes = array<i64: [[G]]>
// CHECK-SAME: loss = [[W]] : i64
// CHECK-SAME: micro_batches = array<i64: 0, 16>
// CHECK-LABEL: func.func private @forward
// CHECK-SAME: plan.input = "x", plan.offset
// CHECK: plan.read @w
// CHECK: plan.loops
// CHECK: %[[F:.*]] = plan.start 0
// CHECK: return %{{.*}}, %[[F]]
// CHECK-LABEL: func.func private @backward
// CHECK-SAME: plan.offset
// CHECK: plan.wait 0
// CHECK: plan.loops
// CHECK: plan.start 1
// CHECK-LABEL: func.func private @update
// CHECK: plan.read @w
// CHECK: plan.wait 1
// CHECK: plan.write
// CHECK-NOT: func.func
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  plan.variable @w : !r = #plan.init<constant, 0.0, 0.0> {trained}
  func.func @train(%x: !p {plan.input = "x"}) -> !r {
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

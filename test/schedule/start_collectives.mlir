// RUN: plan-opt %s --start-collectives --split-input-file | FileCheck %s

// Starts stand behind the operands' producers, waits before the first users; members of a bucket share a call, which
// starts when the last of them is there. Numbers run through @train, then through @evaluate. A slice stays where it is.
!p = !plan.tensor<n: 4, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 4, f32, #plan.layout<>>
!s = !plan.tensor<n: 4, f32, #plan.layout<n = [rows]>>

module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  // CHECK-LABEL: func.func @train
  // CHECK: %[[A:.*]] = plan.pointwise "exp"
  // CHECK: %[[B:.*]] = plan.pointwise "tanh"
  // CHECK: %[[START:.*]]:2 = plan.start 0 "all_reduce"(%[[A]], %[[B]]) over ["rows"]
  // CHECK-SAME: layer = "a, b"
  // CHECK-SAME: tensors = ["gradient of a", "gradient of b"]
  // CHECK: %[[C:.*]] = plan.pointwise "sin"
  // CHECK: %[[WAIT:.*]]:2 = plan.wait 0(%[[START]]#0, %[[START]]#1)
  // CHECK: %[[D:.*]] = plan.pointwise "add"(%[[WAIT]]#0, %[[WAIT]]#1)
  // CHECK: plan.pointwise "cos"
  // CHECK: %[[SLICE:.*]] = plan.start 1 "slice"(%[[D]])
  // CHECK: plan.wait 1(%[[SLICE]])
  // CHECK: plan.pointwise "mul"
  func.func @train(%x: !p, %z: !r) -> (!s, !r) {
    %a = plan.pointwise "exp" (%x) {layer = "a", phase = "weight gradient"} : (!p) -> !p
    %b = plan.pointwise "tanh" (%x) {layer = "b", phase = "weight gradient"} : (!p) -> !p
    %c = plan.pointwise "sin" (%z) {layer = "c", phase = "forward"} : (!r) -> !r
    %ar = plan.collective "all_reduce" %a over ["rows"] {layer = "a", phase = "weight gradient", bucket = 0, tensor = "gradient of a"} : !p -> !r
    %br = plan.collective "all_reduce" %b over ["rows"] {layer = "b", phase = "weight gradient", bucket = 0, tensor = "gradient of b"} : !p -> !r
    %d = plan.pointwise "add" (%ar, %br) {layer = "d", phase = "forward"} : (!r, !r) -> !r
    %e = plan.pointwise "cos" (%c) {layer = "c", phase = "forward"} : (!r) -> !r
    %ds = plan.collective "slice" %d over ["rows"] {layer = "d", phase = "forward"} : !r -> !s
    %f = plan.pointwise "mul" (%ds, %ds) {layer = "d", phase = "forward"} : (!s, !s) -> !s
    return %f, %e : !s, !r
  }

  // CHECK-LABEL: func.func @evaluate
  // CHECK-NEXT: plan.start 2 "all_reduce"(%arg0)
  // CHECK-NEXT: plan.wait 2
  func.func @evaluate(%x: !p) -> !r attributes {plan.purpose = "evaluation"} {
    %r = plan.collective "all_reduce" %x over ["rows"] {layer = "x", phase = "forward"} : !p -> !r
    return %r : !r
  }
}

// -----

!x = !plan.tensor<batch: 4, a: 3, f32, #plan.layout<>>
!shares = !plan.tensor<a: 3, f32, #plan.layout<stored by [p]>>
!w = !plan.tensor<a: 3, f32, #plan.layout<>>

// What is stored in shares is gathered while the layer before runs.
// CHECK-LABEL: func.func @train
// CHECK: "tanh"{{.*}}layer = "one"
// CHECK: plan.start 0 "all_gather"
// CHECK: "tanh"{{.*}}layer = "two"
// CHECK: plan.wait 0
// CHECK: "mul"{{.*}}layer = "three"
module attributes {plan.mesh = #plan.mesh<p: 2>} {
  plan.variable @w : !shares = #plan.init<constant, 1.0, 0.0> {trained}
  func.func @train(%x: !x) -> !x {
    %s = plan.read @w : !shares
    %0 = plan.pointwise "tanh" (%x) {layer = "one", phase = "forward"} : (!x) -> !x
    %1 = plan.pointwise "tanh" (%0) {layer = "two", phase = "forward"} : (!x) -> !x
    %w = plan.collective "all_gather" %s over ["p"] {layer = "three", phase = "forward"} : !shares -> !w
    %2 = plan.pointwise "mul" (%1, %w) {layer = "three", phase = "forward"} : (!x, !w) -> !x
    return %2 : !x
  }
}

// -----

!p = !plan.tensor<n: 5, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 5, f32, #plan.layout<>>

// By the algorithm of the first member.
// CHECK-LABEL: func.func @train
// CHECK: plan.start 0 "all_reduce"(%arg0, %arg1) over ["rows"] {algorithm = "ring", layer = "a, b"
// CHECK-SAME: shape = array<i64: 2>
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  func.func @train(%x: !p, %y: !p) -> (!r, !r) {
    %a = plan.collective "all_reduce" %x over ["rows"] {layer = "a", phase = "weight gradient", bucket = 0, algorithm = "ring", shape = array<i64: 2>} : !p -> !r
    %b = plan.collective "all_reduce" %y over ["rows"] {layer = "b", phase = "weight gradient", bucket = 0, algorithm = "ring", shape = array<i64: 2>} : !p -> !r
    return %a, %b : !r, !r
  }
}

// RUN: plan-opt %s --fuse-loops --split-input-file | FileCheck %s

!x = !plan.tensor<batch: 4, hidden: 3, f32>
!b = !plan.tensor<hidden: 3, f32>

// Bias, activation and the sum of the rows share a loop; only what leaves it is a result.
// CHECK-LABEL: func.func @train
// CHECK: %[[R:.*]]:2 = plan.loops outer 2 {
// CHECK-NEXT: plan.pointwise "add"
// CHECK-NEXT: %[[H:.*]] = plan.pointwise "tanh"
// CHECK-NEXT: %[[S:.*]] = plan.reduce "sum"(%[[H]])
// CHECK-NEXT: plan.yield %[[H]], %[[S]]
// CHECK-NOT: plan.loops
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @train(%x: !x, %b: !b) -> (!x, !b) {
  %a = plan.pointwise "add" (%x, %b) {layer = "h", phase = "forward"} : (!x, !b) -> !x
  %h = plan.pointwise "tanh" (%a) {layer = "h", phase = "forward"} : (!x) -> !x
  %s = plan.reduce "sum" (%h) {layer = "h", phase = "forward"} : (!x) -> !b
  return %h, %s : !x, !b
}

// -----

!x = !plan.tensor<batch: 4, class: 3, f32>
!r = !plan.tensor<batch: 4, f32>

// A softmax is one nest over the rows. The exponentials are needed in a later sweep: they are kept, though only the
// quotient leaves.
// CHECK-LABEL: func.func @train
// CHECK: %[[R:.*]]:2 = plan.loops outer 1 {
// CHECK: plan.reduce "max"
// CHECK: %[[E:.*]] = plan.pointwise "exp"
// CHECK: %[[P:.*]] = plan.pointwise "div"
// CHECK: plan.yield %[[E]], %[[P]]
// CHECK: return %[[R]]#1
func.func @train(%x: !x) -> !x {
  %m = plan.reduce "max" (%x) {layer = "p", phase = "forward"} : (!x) -> !r
  %d = plan.pointwise "sub" (%x, %m) {layer = "p", phase = "forward"} : (!x, !r) -> !x
  %e = plan.pointwise "exp" (%d) {layer = "p", phase = "forward"} : (!x) -> !x
  %z = plan.reduce "sum" (%e) {layer = "p", phase = "forward"} : (!x) -> !r
  %p = plan.pointwise "div" (%e, %z) {layer = "p", phase = "forward"} : (!x, !r) -> !x
  return %p : !x
}

// -----

!x = !plan.tensor<batch: 4, hidden: 3, f32>
!c = !plan.tensor<hidden: 3, f32>

// A sum over the rows is complete only after the loop: what needs it comes in the next.
// CHECK-LABEL: func.func @train
// CHECK: %[[S:.*]] = plan.loops outer 2 {
// CHECK-NEXT: plan.reduce "sum"
// CHECK: plan.loops outer 2 {
// CHECK-NEXT: plan.pointwise "sub"(%arg0, %[[S]])
func.func @train(%x: !x) -> !x {
  %s = plan.reduce "sum" (%x) {layer = "h", phase = "forward"} : (!x) -> !c
  %d = plan.pointwise "sub" (%x, %s) {layer = "h", phase = "forward"} : (!x, !c) -> !x
  return %d : !x
}

// -----

!x = !plan.tensor<batch: 4, hidden: 3, f32>
!w = !plan.tensor<hidden: 3, out: 3, f32>
!y = !plan.tensor<batch: 4, out: 3, f32>

// The derivative of relu waits for the gradient that it is multiplied with: nobody needs it before.
// CHECK-LABEL: func.func @train
// CHECK: %[[G:.*]] = plan.gemm
// CHECK: plan.loops outer 2 {
// CHECK-NEXT: plan.constant 0.0
// CHECK-NEXT: plan.pointwise "greater"
// CHECK-NEXT: plan.pointwise "select"({{.*}}, %[[G]],
// CHECK-NOT: plan.loops
func.func @train(%h: !x, %dy: !y, %w: !w) -> !x {
  %zero = plan.constant 0.0 : !plan.tensor<f32>
  %c = plan.pointwise "greater" (%h, %zero) {layer = "h", phase = "input gradient"} : (!x, !plan.tensor<f32>) -> !x
  %g = plan.gemm "batch out, hidden out -> batch hidden" (%dy, %w) {layer = "y", phase = "input gradient"} : (!y, !w) -> !x
  %d = plan.pointwise "select" (%c, %g, %zero) {layer = "h", phase = "input gradient"} : (!x, !x, !plan.tensor<f32>) -> !x
  return %d : !x
}

// -----

// A constant that leaves the function is stored by a loop.
// CHECK-LABEL: func.func @train
// CHECK: %[[R:.*]] = plan.loops outer 0 {
// CHECK-NEXT: plan.constant 2.0
// CHECK-NEXT: plan.pointwise "identity"
// CHECK: return %[[R]]
func.func @train() -> !plan.tensor<f32> {
  %c = plan.constant 2.0 : !plan.tensor<f32>
  return %c : !plan.tensor<f32>
}

// -----

!x = !plan.tensor<head: 2, position: 4, key: 4, f32>
!c = !plan.tensor<position: 4, key: 4, i32>

// A causal mask is written where it is used, forward and backward, though it has fewer dimensions; nothing keeps it.
// CHECK-LABEL: func.func @train
// CHECK: plan.loops outer 3 {
// CHECK: plan.iota
// CHECK: plan.pointwise "less_equal"
// CHECK: plan.pointwise "select"
// CHECK: plan.loops outer 3 {
// CHECK: plan.iota
// CHECK: plan.pointwise "less_equal"
// CHECK: plan.pointwise "select"
// CHECK-NOT: plan.loops
func.func @train(%x: !x, %g: !x) -> (!x, !x) {
  %zero = plan.constant 0.0 : !plan.tensor<f32>
  %p = plan.iota : !plan.tensor<position: 4, i32>
  %k = plan.iota : !plan.tensor<key: 4, i32>
  %c = plan.pointwise "less_equal" (%k, %p) : (!plan.tensor<key: 4, i32>, !plan.tensor<position: 4, i32>) -> !c
  %y = plan.pointwise "select" (%c, %x, %zero) {layer = "a", phase = "forward"} : (!c, !x, !plan.tensor<f32>) -> !x
  %d = plan.pointwise "select" (%c, %g, %zero) {layer = "a", phase = "input gradient"} : (!c, !x, !plan.tensor<f32>) -> !x
  return %y, %d : !x, !x
}

// RUN: plan-opt %s --lower-contractions --accumulate-products --split-input-file | FileCheck %s

!m = !plan.tensor<a: 2, b: 2, f32>
!t = !plan.tensor<b: 2, c: 2, f32>
!y = !plan.tensor<a: 2, c: 2, f32>

// The later product is added to the earlier one.
// CHECK-LABEL: func.func @train
// CHECK: %[[P:.*]] = plan.gemm "a b, b c -> a c"(%arg0, %arg1)
// CHECK: %[[Q:.*]] = plan.gemm "a b, b c -> a c"(%arg0, %arg2, %[[P]])
// CHECK-NOT: plan.pointwise
// CHECK: return %[[Q]]
func.func @train(%x: !m, %v: !t, %w: !t) -> !y {
  %p = plan.einsum "a b, b c -> a c" (%x, %v) : (!m, !t) -> !y
  %q = plan.einsum "a b, b c -> a c" (%x, %w) : (!m, !t) -> !y
  %s = plan.pointwise "add" (%p, %q) : (!y, !y) -> !y
  return %s : !y
}

// -----

!m = !plan.tensor<a: 2, b: 2, f32>
!t = !plan.tensor<b: 2, c: 2, f32>
!y = !plan.tensor<a: 2, c: 2, f32>

// A value that is used again must not be overwritten.
// CHECK-LABEL: func.func @train
// CHECK: plan.pointwise "add"
func.func @train(%x: !m, %v: !t, %w: !t) -> (!y, !y) {
  %p = plan.einsum "a b, b c -> a c" (%x, %v) : (!m, !t) -> !y
  %q = plan.einsum "a b, b c -> a c" (%x, %w) : (!m, !t) -> !y
  %s = plan.pointwise "add" (%p, %q) : (!y, !y) -> !y
  %d = plan.pointwise "mul" (%p, %q) : (!y, !y) -> !y
  return %s, %d : !y, !y
}

// -----

!m = !plan.tensor<a: 2, b: 2, f32>
!t = !plan.tensor<b: 2, c: 2, f32>
!y = !plan.tensor<a: 2, c: 2, f32>

// A sum over micro-batches.
// CHECK-LABEL: func.func @accumulate
// CHECK: %[[S:.*]] = plan.read @sum
// CHECK: %[[P:.*]] = plan.gemm "a b, b c -> a c"(%arg0, %arg1, %[[S]])
// CHECK-NOT: plan.pointwise
// CHECK: plan.write %[[P]], @sum
plan.variable @sum : !y = #plan.init<constant, 0.0, 0.0> {accumulator}
func.func @accumulate(%x: !m, %v: !t) attributes {plan.accumulates} {
  %p = plan.einsum "a b, b c -> a c" (%x, %v) : (!m, !t) -> !y
  %r = plan.read @sum : !y
  %s = plan.pointwise "add" (%r, %p) : (!y, !y) -> !y
  plan.write %s, @sum : !y
  return
}

// -----

// momentum * velocity + gradient, written back: the product is accumulated into the velocity.
!m = !plan.tensor<a: 2, b: 2, f32>
!t = !plan.tensor<b: 2, c: 2, f32>
!y = !plan.tensor<a: 2, c: 2, f32>
plan.variable @velocity : !y = #plan.init<constant, 0.0, 0.0>
// CHECK-LABEL: func.func @train
// CHECK: %[[V:.*]] = plan.read @velocity
// CHECK-NEXT: %[[N:.*]] = plan.gemm "a b, b c -> a c"(%arg0, %arg1, %[[V]]) {beta = 9.000000e-01 : f64}
// CHECK-NOT: plan.pointwise
// CHECK: plan.write %[[N]], @velocity
func.func @train(%x: !m, %w: !t) -> !y {
  %v = plan.read @velocity : !y
  %n = plan.constant 0.9 : !plan.tensor<f32>
  %g = plan.einsum "a b, b c -> a c" (%x, %w) : (!m, !t) -> !y
  %s = plan.pointwise "mul" (%v, %n) : (!y, !plan.tensor<f32>) -> !y
  %u = plan.pointwise "add" (%s, %g) : (!y, !y) -> !y
  plan.write %u, @velocity : !y
  return %u : !y
}

// -----

// Not where the sum goes elsewhere: the velocity keeps its value.
!m = !plan.tensor<a: 2, b: 2, f32>
!t = !plan.tensor<b: 2, c: 2, f32>
!y = !plan.tensor<a: 2, c: 2, f32>
plan.variable @velocity : !y = #plan.init<constant, 0.0, 0.0>
// CHECK-LABEL: func.func @train
// CHECK: plan.pointwise "add"
func.func @train(%x: !m, %w: !t) -> !y {
  %v = plan.read @velocity : !y
  %n = plan.constant 0.9 : !plan.tensor<f32>
  %g = plan.einsum "a b, b c -> a c" (%x, %w) : (!m, !t) -> !y
  %s = plan.pointwise "mul" (%v, %n) : (!y, !plan.tensor<f32>) -> !y
  %u = plan.pointwise "add" (%s, %g) : (!y, !y) -> !y
  return %u : !y
}

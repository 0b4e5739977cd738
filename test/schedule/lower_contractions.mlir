// RUN: plan-opt %s --lower-contractions --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @train
// CHECK: plan.gemm "batch in, in out -> batch out"(%arg0, %arg1) {layer = "y", phase = "forward"}
// The gradients of a dense layer need no permutation either.
// CHECK: plan.gemm "batch out, in out -> batch in"(%arg2, %arg1)
// CHECK: plan.gemm "batch in, batch out -> in out"(%arg0, %arg2)
// CHECK-NOT: plan.permute
func.func @train(%x: !plan.tensor<batch: 4, in: 3, f32>, %w: !plan.tensor<in: 3, out: 2, f32>, %dy: !plan.tensor<batch: 4, out: 2, f32>)
    -> (!plan.tensor<batch: 4, out: 2, f32>, !plan.tensor<batch: 4, in: 3, f32>, !plan.tensor<in: 3, out: 2, f32>) {
  %y = plan.einsum "batch in, in out -> batch out" (%x, %w) {layer = "y", phase = "forward"}
    : (!plan.tensor<batch: 4, in: 3, f32>, !plan.tensor<in: 3, out: 2, f32>) -> !plan.tensor<batch: 4, out: 2, f32>
  %dx = plan.einsum "batch out, in out -> batch in" (%dy, %w)
    : (!plan.tensor<batch: 4, out: 2, f32>, !plan.tensor<in: 3, out: 2, f32>) -> !plan.tensor<batch: 4, in: 3, f32>
  %dw = plan.einsum "batch in, batch out -> in out" (%x, %dy)
    : (!plan.tensor<batch: 4, in: 3, f32>, !plan.tensor<batch: 4, out: 2, f32>) -> !plan.tensor<in: 3, out: 2, f32>
  return %y, %dx, %dw : !plan.tensor<batch: 4, out: 2, f32>, !plan.tensor<batch: 4, in: 3, f32>, !plan.tensor<in: 3, out: 2, f32>
}

// -----

// A transposed result is the product of the exchanged operands.
// CHECK: plan.gemm "batch in, in out -> out batch"(%arg0, %arg1)
// CHECK-NOT: plan.permute
func.func @train(%x: !plan.tensor<batch: 4, in: 3, f32>, %w: !plan.tensor<in: 3, out: 2, f32>) -> !plan.tensor<out: 2, batch: 4, f32> {
  %y = plan.einsum "batch in, in out -> out batch" (%x, %w)
    : (!plan.tensor<batch: 4, in: 3, f32>, !plan.tensor<in: 3, out: 2, f32>) -> !plan.tensor<out: 2, batch: 4, f32>
  return %y : !plan.tensor<out: 2, batch: 4, f32>
}

// -----

// Attention: heads stand between rows and summed, and may.
// CHECK-NOT: plan.permute
// CHECK: plan.gemm "b q h d, b s h d -> b h q s"(%arg0, %arg1)
// CHECK-NOT: plan.permute
func.func @train(%q: !plan.tensor<batch: 2, sequence: 5, head: 3, key: 4, f32>, %k: !plan.tensor<batch: 2, sequence: 5, head: 3, key: 4, f32>)
    -> !plan.tensor<batch: 2, head: 3, from: 5, to: 5, f32> {
  %y = plan.einsum "b q h d, b s h d -> b h q s" (%q, %k)
    : (!plan.tensor<batch: 2, sequence: 5, head: 3, key: 4, f32>, !plan.tensor<batch: 2, sequence: 5, head: 3, key: 4, f32>)
      -> !plan.tensor<batch: 2, head: 3, from: 5, to: 5, f32>
  return %y : !plan.tensor<batch: 2, head: 3, from: 5, to: 5, f32>
}

// -----

// Heads stand innermost: neither rows nor summed are, so that the operand is permuted, and named by its loops for that.
// CHECK: %[[NAMED:.*]] = plan.view %arg0 : (!plan.tensor<batch: 2, sequence: 5, key: 4, head: 3, f32>) -> !plan.tensor<b: 2, q: 5, d: 4, h: 3, f32>
// CHECK: %[[Q:.*]] = plan.permute %[[NAMED]] : {{.*}} -> !plan.tensor<b: 2, h: 3, q: 5, d: 4, f32>
// CHECK: plan.gemm "b h q d, b h s d -> b h q s"(%[[Q]], %arg1)
func.func @train(%q: !plan.tensor<batch: 2, sequence: 5, key: 4, head: 3, f32>, %k: !plan.tensor<batch: 2, head: 3, sequence: 5, key: 4, f32>)
    -> !plan.tensor<batch: 2, head: 3, from: 5, to: 5, f32> {
  %y = plan.einsum "b q d h, b h s d -> b h q s" (%q, %k)
    : (!plan.tensor<batch: 2, sequence: 5, key: 4, head: 3, f32>, !plan.tensor<batch: 2, head: 3, sequence: 5, key: 4, f32>)
      -> !plan.tensor<batch: 2, head: 3, from: 5, to: 5, f32>
  return %y : !plan.tensor<batch: 2, head: 3, from: 5, to: 5, f32>
}

// -----

// Two summed loops stand apart in the smaller operand: that one is permuted.
// CHECK: plan.permute %arg1
// CHECK: plan.gemm "a b c, b c d -> a d"(%arg0,
func.func @train(%x: !plan.tensor<a: 40, b: 3, c: 2, f32>, %w: !plan.tensor<b: 3, d: 5, c: 2, f32>) -> !plan.tensor<a: 40, d: 5, f32> {
  %y = plan.einsum "a b c, b d c -> a d" (%x, %w)
    : (!plan.tensor<a: 40, b: 3, c: 2, f32>, !plan.tensor<b: 3, d: 5, c: 2, f32>) -> !plan.tensor<a: 40, d: 5, f32>
  return %y : !plan.tensor<a: 40, d: 5, f32>
}

// -----

// Without rows and columns there is no matrix product.
// CHECK: %[[M:.*]] = plan.pointwise "mul"(%arg0, %arg1)
// CHECK: plan.reduce "sum"(%[[M]])
func.func @train(%x: !plan.tensor<a: 4, b: 3, f32>, %y: !plan.tensor<a: 4, b: 3, f32>) -> !plan.tensor<a: 4, f32> {
  %z = plan.einsum "a b, a b -> a" (%x, %y)
    : (!plan.tensor<a: 4, b: 3, f32>, !plan.tensor<a: 4, b: 3, f32>) -> !plan.tensor<a: 4, f32>
  return %z : !plan.tensor<a: 4, f32>
}

// -----

// A loop of one operand alone is summed first.
// CHECK: %[[S:.*]] = plan.reduce "sum"(%arg0) : {{.*}} -> !plan.tensor<a: 4, b: 3, f32>
// CHECK: plan.gemm "a b, b d -> a d"(%[[S]], %arg1)
func.func @train(%x: !plan.tensor<a: 4, b: 3, c: 2, f32>, %w: !plan.tensor<b: 3, d: 2, f32>) -> !plan.tensor<a: 4, d: 2, f32> {
  %y = plan.einsum "a b c, b d -> a d" (%x, %w)
    : (!plan.tensor<a: 4, b: 3, c: 2, f32>, !plan.tensor<b: 3, d: 2, f32>) -> !plan.tensor<a: 4, d: 2, f32>
  return %y : !plan.tensor<a: 4, d: 2, f32>
}

// -----

// One operand: a sum, a permutation, and the result's own roles.
// CHECK: %[[S:.*]] = plan.reduce "sum"(%arg0) : {{.*}} -> !plan.tensor<a: 4, c: 2, f32>
// CHECK: %[[P:.*]] = plan.permute %[[S]] : {{.*}} -> !plan.tensor<c: 2, a: 4, f32>
// CHECK: plan.view %[[P]] : {{.*}} -> !plan.tensor<first: 2, second: 4, f32>
func.func @train(%x: !plan.tensor<a: 4, b: 3, c: 2, f32>) -> !plan.tensor<first: 2, second: 4, f32> {
  %y = plan.einsum "a b c -> c a" (%x) : (!plan.tensor<a: 4, b: 3, c: 2, f32>) -> !plan.tensor<first: 2, second: 4, f32>
  return %y : !plan.tensor<first: 2, second: 4, f32>
}

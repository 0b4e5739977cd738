// RUN: plan-opt %s --assign-buffers --split-input-file | FileCheck %s

!x = !plan.tensor<batch: 5, hidden: 8, f32, #plan.layout<batch = [rows]>>
!w = !plan.tensor<hidden: 8, out: 8, f32, #plan.layout<>>
!y = !plan.tensor<batch: 5, out: 8, f32, #plan.layout<batch = [rows]>>

// Variables, then inputs (the largest block of any rank: 3 x 8 of f32, to the next 64 bytes), then temporaries. The
// activation takes the product's place, the second product one of its own.
// CHECK: plan.arena_bytes = 608
// CHECK: plan.variable @w {{.*}}offset = 0
// CHECK-LABEL: func.func @train
// CHECK-SAME: plan.offset = 256
// CHECK: plan.gemm {{.*}}offsets = array<i64: 384>
// CHECK: plan.loops
// CHECK: } {offsets = array<i64: 384>}
// CHECK: plan.gemm {{.*}}offsets = array<i64: 512>
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  plan.variable @w : !w = #plan.init<constant, 0.0, 0.0> {trained}
  func.func @train(%x: !x) -> !y {
    %w = plan.read @w : !w
    %p = plan.gemm "batch hidden, hidden out -> batch out" (%x, %w) : (!x, !w) -> !y
    %a = plan.loops outer 2 {
      %t = plan.pointwise "tanh" (%p) : (!y) -> !y
      plan.yield %t : !y
    } : !y
    %q = plan.gemm "batch hidden, hidden out -> batch out" (%a, %w) : (!y, !w) -> !y
    return %q : !y
  }
}

// -----

!w = !plan.tensor<n: 16, f32>

// The update writes the variable in place. A value that others still need is not overwritten: then there is a copy.
// CHECK-LABEL: func.func @train
// CHECK: plan.pointwise "sub"
// CHECK: } {offsets = array<i64: 0>}
// CHECK: plan.pointwise "sub"
// CHECK: } {offsets = array<i64: 192>}
plan.variable @a : !w = #plan.init<constant, 0.0, 0.0> {trained}
plan.variable @b : !w = #plan.init<constant, 0.0, 0.0> {trained}
func.func @train(%g: !w) -> !w {
  %a = plan.read @a : !w
  %b = plan.read @b : !w
  %na = plan.loops outer 1 {
    %n = plan.pointwise "sub" (%a, %g) : (!w, !w) -> !w
    plan.yield %n : !w
  } : !w
  plan.write %na, @a : !w
  %nb = plan.loops outer 1 {
    %n = plan.pointwise "sub" (%b, %g) : (!w, !w) -> !w
    plan.yield %n : !w
  } : !w
  plan.write %nb, @b : !w
  %late = plan.loops outer 1 {
    %n = plan.pointwise "exp" (%b) : (!w) -> !w
    plan.yield %n : !w
  } : !w
  return %late : !w
}

// -----

!p = !plan.tensor<n: 16, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 16, f32, #plan.layout<>>

// An all-reduce works in place, but not on a value that is read while it is under way. A fused call packs: it has scratch.
// CHECK-LABEL: func.func @train
// CHECK: offsets = array<i64: 192>
// CHECK: offsets = array<i64: 256>
// CHECK: plan.start 0 {{.*}}offsets = array<i64: 192, 320>, scratch_bytes = {{[1-9]}}
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  func.func @train(%x: !p) -> (!r, !r, !p) {
    %a = plan.loops outer 1 {
      %n = plan.pointwise "neg" (%x) : (!p) -> !p
      plan.yield %n : !p
    } : !p
    %b = plan.loops outer 1 {
      %n = plan.pointwise "neg" (%x) : (!p) -> !p
      plan.yield %n : !p
    } : !p
    %s:2 = plan.start 0 "all_reduce" (%a, %b) over ["rows"] {tensors = ["a", "b"]} : (!p, !p) -> (!r, !r)
    %c = plan.loops outer 1 {
      %n = plan.pointwise "neg" (%b) : (!p) -> !p
      plan.yield %n : !p
    } : !p
    %w:2 = plan.wait 0 (%s#0, %s#1) : (!r, !r) -> (!r, !r)
    return %w#0, %w#1, %c : !r, !r, !p
  }
}

// -----

!p = !plan.tensor<n: 16, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 16, f32, #plan.layout<>>
!s = !plan.tensor<n: 16, f32, #plan.layout<n = [rows]>>

// Nor in place of a value that another collective, which is still in flight, reads.
// CHECK-LABEL: func.func @train
// CHECK: } {offsets = array<i64: 64>}
// CHECK: plan.start 0 {{.*}}offsets = array<i64: 192>
// CHECK: plan.start 1 {{.*}}offsets = array<i64: 128>
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  func.func @train(%x: !p) -> (!s, !r, !r) {
    %a = plan.loops outer 1 {
      %n = plan.pointwise "neg" (%x) : (!p) -> !p
      plan.yield %n : !p
    } : !p
    %s0 = plan.start 0 "reduce_scatter" (%a) over ["rows"] {tensors = ["a"]} : (!p) -> !s
    %s1 = plan.start 1 "all_reduce" (%a) over ["rows"] {tensors = ["a"]} : (!p) -> !r
    %w0 = plan.wait 0 (%s0) : (!s) -> !s
    %w1 = plan.wait 1 (%s1) : (!r) -> !r
    return %w0, %w1, %w1 : !s, !r, !r
  }
}

// -----

!p = !plan.tensor<n: 5, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<n: 5, f32, #plan.layout<>>

// By messages, what a round receives to combine waits beside the vector: here the larger half, 3 elements.
// CHECK-LABEL: func.func @train
// CHECK: plan.start 0 {{.*}}algorithm = "ring"{{.*}}scratch_bytes = 12
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  func.func @train(%x: !p) -> !r {
    %s = plan.start 0 "all_reduce" (%x) over ["rows"] {tensors = ["x"], algorithm = "ring", shape = array<i64: 2>} : (!p) -> !r
    %w = plan.wait 0 (%s) : (!r) -> !r
    return %w : !r
  }
}

// -----

!m = !plan.tensor<a: 4, b: 4, f32>

// Sums over micro-batches are made where they lie, in the last part too, which writes nothing.
// CHECK: plan.variable @sum {{.*}}offset = 0
// CHECK-LABEL: func.func @accumulate
// CHECK: plan.gemm {{.*}}offsets = array<i64: 0>
// CHECK-LABEL: func.func @train
// CHECK: plan.gemm {{.*}}offsets = array<i64: 0>
// CHECK: } {offsets = array<i64: 192>}
plan.variable @sum : !m = #plan.init<constant, 0.0, 0.0> {accumulator}
func.func @accumulate(%x: !m, %y: !m) attributes {plan.accumulates} {
  %r = plan.read @sum : !m
  %s = plan.gemm "a b, b c -> a c" (%x, %y, %r) : (!m, !m, !m) -> !m
  plan.write %s, @sum : !m
  return
}
func.func @train(%x: !m, %y: !m) -> !m {
  %r = plan.read @sum : !m
  %s = plan.gemm "a b, b c -> a c" (%x, %y, %r) : (!m, !m, !m) -> !m
  %t = plan.loops outer 2 {
    %n = plan.pointwise "neg" (%s) : (!m) -> !m
    plan.yield %n : !m
  } : !m
  return %t : !m
}

// -----

!w = !plan.tensor<n: 16, f32>

// The new sum of micro-batches takes the place of the old one, and no temporary of the same loop does.
// CHECK-LABEL: func.func @accumulate
// CHECK: } {offsets = array<i64: 128, 0>}
plan.variable @"sum of gradient of w" : !w = #plan.init<constant, 0.0, 0.0> {accumulator}
func.func @accumulate(%g: !w) -> !w attributes {plan.accumulates} {
  %s = plan.read @"sum of gradient of w" : !w
  %b:2 = plan.loops outer 1 {
    %t = plan.pointwise "mul" (%g, %g) : (!w, !w) -> !w
    %n = plan.pointwise "add" (%s, %g) : (!w, !w) -> !w
    plan.yield %t, %n : !w, !w
  } : !w, !w
  plan.write %b#1, @"sum of gradient of w" : !w
  return %b#0 : !w
}

// -----

!m = !plan.tensor<a: 4, b: 16, f32>
!r = !plan.tensor<a: 4, f32>

// What only the loops themselves read, from sweep to sweep, lends its place to what is written when nobody reads it any
// more: softmax in one place, which the operand must not be, since it is read afterwards.
// CHECK-LABEL: func.func @train
// CHECK: } {offsets = array<i64: 256, 256>}
func.func @train(%x: !m) -> (!m, !m) {
  %e, %p = plan.loops outer 1 {
    %e = plan.pointwise "exp" (%x) : (!m) -> !m
    %s = plan.reduce "sum" (%e) : (!m) -> !r
    %p = plan.pointwise "div" (%e, %s) : (!m, !r) -> !m
    plan.yield %e, %p : !m, !m
  } : !m, !m
  return %p, %x : !m, !m
}

// -----

!m = !plan.tensor<a: 4, b: 16, f32>
!r = !plan.tensor<a: 4, f32>

// One that a later sweep reads again, and one that is read behind the loops, keep theirs.
// CHECK-LABEL: func.func @train
// CHECK: } {offsets = array<i64: 256, 512, 256>}
// CHECK: } {offsets = array<i64: 512, 768>}
func.func @train(%x: !m) -> (!m, !m, !m, !m) {
  %e, %p, %q = plan.loops outer 1 {
    %e = plan.pointwise "exp" (%x) : (!m) -> !m
    %s = plan.reduce "sum" (%e) : (!m) -> !r
    %p = plan.pointwise "div" (%e, %s) : (!m, !r) -> !m
    %t = plan.reduce "sum" (%p) : (!m) -> !r
    %d = plan.pointwise "sub" (%p, %t) : (!m, !r) -> !m
    %q = plan.pointwise "mul" (%e, %d) : (!m, !m) -> !m
    plan.yield %e, %p, %q : !m, !m, !m
  } : !m, !m, !m
  %f, %g = plan.loops outer 1 {
    %f = plan.pointwise "exp" (%x) : (!m) -> !m
    %s = plan.reduce "sum" (%f) : (!m) -> !r
    %g = plan.pointwise "div" (%f, %s) : (!m, !r) -> !m
    plan.yield %f, %g : !m, !m
  } : !m, !m
  return %q, %x, %f, %g : !m, !m, !m, !m
}

// -----

!w = !plan.tensor<n: 16, f32, #plan.layout<>>
!s = !plan.tensor<n: 16, f32, #plan.layout<stored by [rows]>>

// What is gathered for a variable arrives there, unless its old value is still read.
// CHECK: plan.variable @a {{.*}}offset = 0
// CHECK: plan.variable @b {{.*}}offset = 64
// CHECK-LABEL: func.func @train
// CHECK: plan.start 0 {{.*}}offsets = array<i64: 0>
// CHECK: plan.start 1 {{.*}}offsets = array<i64: [[OTHER:[1-9][0-9]{2,}]]>
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  plan.variable @a : !w = #plan.init<constant, 0.0, 0.0> {trained}
  plan.variable @b : !w = #plan.init<constant, 0.0, 0.0> {trained}
  func.func @train(%x: !s, %y: !s) -> !w {
    %b = plan.read @b : !w
    %sa = plan.start 0 "all_gather" (%x) over ["rows"] {tensors = ["a"]} : (!s) -> !w
    %sb = plan.start 1 "all_gather" (%y) over ["rows"] {tensors = ["b"]} : (!s) -> !w
    %wa = plan.wait 0 (%sa) : (!w) -> !w
    %wb = plan.wait 1 (%sb) : (!w) -> !w
    plan.write %wa, @a : !w
    %late = plan.loops outer 1 {
      %n = plan.pointwise "exp" (%b) : (!w) -> !w
      plan.yield %n : !w
    } : !w
    plan.write %wb, @b : !w
    return %late : !w
  }
}

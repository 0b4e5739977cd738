// RUN: plan-opt %s --find-bands --split-input-file | FileCheck %s

!x = !plan.tensor<head: 2, query: 8, feature: 4, f32>
!y = !plan.tensor<head: 2, key: 8, feature: 4, f32>
!s = !plan.tensor<head: 2, query: 8, key: 8, f32>
!r = !plan.tensor<head: 2, query: 8, f32>
!q = !plan.tensor<query: 8, i32>
!k = !plan.tensor<key: 8, i32>
!c = !plan.tensor<query: 8, key: 8, i32>
!n = !plan.tensor<f32>

// Causal attention and its gradients: all six products.
// CHECK-LABEL: func.func @train
// CHECK: plan.gemm "h q f, h k f -> h q k"{{.*}} {band = {greater = "q", lesser = "k", matrix = "result"}}
// CHECK: plan.gemm "h q k, h k f -> h q f"{{.*}} {band = {greater = "q", lesser = "k", matrix = "a"}}
// CHECK: plan.gemm "h a f, h b f -> h a b"{{.*}} {band = {greater = "a", lesser = "b", matrix = "result"}}
// CHECK: plan.gemm "h q f, h q k -> h k f"{{.*}} {band = {greater = "q", lesser = "k", matrix = "b"}}
// CHECK: plan.gemm "h q k, h k f -> h q f"{{.*}} {band = {greater = "q", lesser = "k", matrix = "a"}}
// CHECK: plan.gemm "h q k, h q f -> h k f"{{.*}} {band = {greater = "q", lesser = "k", matrix = "a"}}
func.func @train(%x: !x, %y: !y, %v: !y, %g: !x) -> (!x, !y, !x, !y) {
  %at_q = plan.iota : !q
  %at_k = plan.iota : !k
  %seen = plan.pointwise "less_equal" (%at_k, %at_q) : (!k, !q) -> !c
  %masked = plan.constant -1.0e30 : !n
  %zero = plan.constant 0.0 : !n
  %all = plan.gemm "h q f, h k f -> h q k" (%x, %y) : (!x, !y) -> !s
  %scores = plan.pointwise "select" (%seen, %all, %masked) : (!c, !s, !n) -> !s
  %top = plan.reduce "max" (%scores) : (!s) -> !r
  %less = plan.pointwise "sub" (%scores, %top) : (!s, !r) -> !s
  %e = plan.pointwise "exp" (%less) : (!s) -> !s
  %sum = plan.reduce "sum" (%e) : (!s) -> !r
  %p = plan.pointwise "div" (%e, %sum) : (!s, !r) -> !s
  %o = plan.gemm "h q k, h k f -> h q f" (%p, %v) : (!s, !y) -> !x
  %gp = plan.gemm "h a f, h b f -> h a b" (%g, %v) : (!x, !y) -> !s
  %gv = plan.gemm "h q f, h q k -> h k f" (%g, %p) : (!x, !s) -> !y
  %pg = plan.pointwise "mul" (%gp, %p) : (!s, !s) -> !s
  %row = plan.reduce "sum" (%pg) : (!s) -> !r
  %d = plan.pointwise "sub" (%gp, %row) : (!s, !r) -> !s
  %gl = plan.pointwise "mul" (%d, %p) : (!s, !s) -> !s
  %gs = plan.pointwise "select" (%seen, %gl, %zero) : (!c, !s, !n) -> !s
  %gx = plan.gemm "h q k, h k f -> h q f" (%gs, %y) : (!s, !y) -> !x
  %gy = plan.gemm "h q k, h q f -> h k f" (%gs, %x) : (!s, !x) -> !y
  return %o, %gv, %gx, %gy : !x, !y, !x, !y
}

// -----

!x = !plan.tensor<query: 8, feature: 4, f32>
!y = !plan.tensor<key: 8, feature: 4, f32>
!s = !plan.tensor<query: 8, key: 8, f32>
!r = !plan.tensor<query: 8, f32>
!q = !plan.tensor<query: 8, i32>
!k = !plan.tensor<key: 8, i32>
!c = !plan.tensor<query: 8, key: 8, i32>
!n = !plan.tensor<f32>

// A query that sees nothing before itself: the first one's scores are all masked, and its weights equal. Scores that
// somebody else reads, whose mask is not so low, or that are masked in favour of others, are needed everywhere.
// CHECK-LABEL: func.func @train
// CHECK: plan.gemm {{.*}} {band = {greater = "q", lesser = "k", matrix = "result", strict}}
// CHECK: plan.gemm
// CHECK-NOT: band
// CHECK: return
func.func @train(%x: !x, %y: !y, %v: !y) -> (!x, !s, !x, !s) {
  %at_q = plan.iota : !q
  %at_k = plan.iota : !k
  %before = plan.pointwise "greater" (%at_q, %at_k) : (!q, !k) -> !c
  %masked = plan.constant -1.0e30 : !n
  %low = plan.constant -10.0 : !n
  %all = plan.gemm "q f, k f -> q k" (%x, %y) : (!x, !y) -> !s
  %scores = plan.pointwise "select" (%before, %all, %masked) : (!c, !s, !n) -> !s
  %top = plan.reduce "max" (%scores) : (!s) -> !r
  %less = plan.pointwise "sub" (%scores, %top) : (!s, !r) -> !s
  %e = plan.pointwise "exp" (%less) : (!s) -> !s
  %o = plan.gemm "q k, k f -> q f" (%e, %v) : (!s, !y) -> !x

  %read = plan.gemm "q f, k f -> q k" (%v, %y) : (!y, !y) -> !s
  %some = plan.pointwise "select" (%before, %read, %low) : (!c, !s, !n) -> !s
  %f = plan.pointwise "exp" (%some) : (!s) -> !s
  %u = plan.gemm "q k, k f -> q f" (%f, %v) : (!s, !y) -> !x

  %other = plan.gemm "q f, k f -> q k" (%x, %v) : (!x, !y) -> !s
  %rest = plan.pointwise "select" (%before, %masked, %other) : (!c, !n, !s) -> !s
  return %o, %read, %u, %rest : !x, !s, !x, !s
}

// -----

!x = !plan.tensor<query: 4, feature: 4, f32, #plan.layout<query = [rows]>>
!y = !plan.tensor<key: 8, feature: 4, f32, #plan.layout<key = [cols]>>
!s = !plan.tensor<query: 4, key: 8, f32, #plan.layout<query = [rows], key = [cols]>>
!p = !plan.tensor<query: 4, f32, #plan.layout<query = [rows], partial max = [cols]>>
!r = !plan.tensor<query: 4, f32, #plan.layout<query = [rows]>>
!z = !plan.tensor<query: 4, feature: 4, f32, #plan.layout<query = [rows], partial sum = [cols]>>
!q = !plan.tensor<query: 4, i32, #plan.layout<query = [rows]>>
!k = !plan.tensor<key: 8, i32, #plan.layout<key = [cols]>>
!c = !plan.tensor<query: 4, key: 8, i32, #plan.layout<query = [rows], key = [cols]>>
!n = !plan.tensor<f32, #plan.layout<>>

// Split, with the maximum over all ranks.
// CHECK-LABEL: func.func @train
// CHECK: plan.gemm "q f, k f -> q k"{{.*}} {band = {greater = "q", lesser = "k", matrix = "result"}}
// CHECK: plan.gemm "q k, k f -> q f"{{.*}} {band = {greater = "q", lesser = "k", matrix = "a"}}
module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 2>} {
  func.func @train(%x: !x, %y: !y) -> !z {
    %at_q = plan.iota : !q
    %at_k = plan.iota : !k
    %seen = plan.pointwise "less_equal" (%at_k, %at_q) : (!k, !q) -> !c
    %masked = plan.constant -1.0e30 : !n
    %all = plan.gemm "q f, k f -> q k" (%x, %y) : (!x, !y) -> !s
    %scores = plan.pointwise "select" (%seen, %all, %masked) : (!c, !s, !n) -> !s
    %top = plan.reduce "max" (%scores) : (!s) -> !p
    %started = plan.start 0 "all_reduce" (%top) over ["cols"] {tensors = ["top"]} : (!p) -> !r
    %whole = plan.wait 0 (%started) : (!r) -> !r
    %less = plan.pointwise "sub" (%scores, %whole) : (!s, !r) -> !s
    %e = plan.pointwise "exp" (%less) : (!s) -> !s
    %o = plan.gemm "q k, k f -> q f" (%e, %y) : (!s, !y) -> !z
    return %o : !z
  }
}

// RUN: plan-opt %s --lower-attention --split-input-file | FileCheck %s

!q = !plan.tensor<batch: 2, position: 3, feature: 5, f32>
!k = !plan.tensor<batch: 2, key: 6, feature: 5, f32>
!v = !plan.tensor<batch: 2, key: 6, value: 7, f32>
!y = !plan.tensor<batch: 2, position: 3, value: 7, f32>
!s = !plan.tensor<batch: 2, position: 3, f32>

// One pass gives output and total, another one the three gradients, whatever stands between them.
// CHECK-LABEL: func.func @train
// CHECK: %[[F:.*]]:2 = plan.attention ["output", "total"](%arg0, %arg1, %arg2) over "key" dot "feature" causal "position" window 2 {layer = "a", phase = "forward"}
// CHECK-NEXT: plan.pointwise "mul"(%[[F]]#0, %arg3)
// CHECK-NEXT: %[[D:.*]] = plan.reduce "sum"
// CHECK-NEXT: %[[G:.*]]:3 = plan.attention ["value_gradient", "query_gradient", "key_gradient"](%arg0, %arg1, %arg2, %[[F]]#1, %arg3, %[[D]]) over "key" dot "feature" causal "position" window 2 {layer = "a", phase = "input gradient"}
// CHECK-NEXT: plan.pointwise "neg"(%[[G]]#0)
// CHECK-NEXT: return %[[F]]#0, %[[G]]#1, %[[G]]#2, %{{.*}}
func.func @train(%q: !q, %k: !k, %v: !v, %dy: !y) -> (!y, !q, !k, !v) {
  %y = plan.attention ["output"] (%q, %k, %v) over "key" dot "feature" causal "position" window 2 {layer = "a", phase = "forward"}
    : (!q, !k, !v) -> !y
  %ydy = plan.pointwise "mul" (%y, %dy) : (!y, !y) -> !y
  %total = plan.attention ["total"] (%q, %k, %v) over "key" dot "feature" causal "position" window 2 {layer = "a", phase = "forward"}
    : (!q, !k, !v) -> !s
  %delta = plan.reduce "sum" (%ydy) : (!y) -> !s
  %dv = plan.attention ["value_gradient"] (%q, %k, %v, %total, %dy, %delta) over "key" dot "feature" causal "position" window 2 {layer = "a", phase = "input gradient"}
    : (!q, !k, !v, !s, !y, !s) -> !v
  %minus = plan.pointwise "neg" (%dv) : (!v) -> !v
  %dq = plan.attention ["query_gradient"] (%q, %k, %v, %total, %dy, %delta) over "key" dot "feature" causal "position" window 2 {layer = "a", phase = "input gradient"}
    : (!q, !k, !v, !s, !y, !s) -> !q
  %dk = plan.attention ["key_gradient"] (%q, %k, %v, %total, %dy, %delta) over "key" dot "feature" causal "position" window 2 {layer = "a", phase = "input gradient"}
    : (!q, !k, !v, !s, !y, !s) -> !k
  return %y, %dq, %dk, %minus : !y, !q, !k, !v
}

// -----

!q = !plan.tensor<position: 3, feature: 5, f32>
!k = !plan.tensor<key: 6, feature: 5, f32>
!s = !plan.tensor<position: 3, f32>
!m = !plan.tensor<key: 6, i32>

// Other operands, another window or a mask are another pass.
// CHECK-LABEL: func.func @train
// CHECK: plan.attention ["output"](%arg0, %arg1, %arg1) over "key" dot "feature" causal "position" window 2
// CHECK: plan.attention ["total"](%arg0, %arg1, %arg1) over "key" dot "feature" causal "position" window 3
// CHECK: plan.attention ["total"](%arg0, %arg1, %arg1) over "key" dot "feature" :
// CHECK: plan.attention ["total"](%arg0, %arg1, %arg2) over "key" dot "feature" causal "position" window 2
// CHECK: plan.attention ["total"](%arg0, %arg1, %arg1, %arg3) over "key" dot "feature" causal "position" window 2 {masked}
// CHECK-NOT: plan.permute
func.func @train(%q: !q, %k: !k, %v: !k, %seen: !m) -> (!q, !s, !s, !s, !s) {
  %y = plan.attention ["output"] (%q, %k, %k) over "key" dot "feature" causal "position" window 2 : (!q, !k, !k) -> !q
  %a = plan.attention ["total"] (%q, %k, %k) over "key" dot "feature" causal "position" window 3 : (!q, !k, !k) -> !s
  %b = plan.attention ["total"] (%q, %k, %k) over "key" dot "feature" : (!q, !k, !k) -> !s
  %c = plan.attention ["total"] (%q, %k, %v) over "key" dot "feature" causal "position" window 2 : (!q, !k, !k) -> !s
  %d = plan.attention ["total"] (%q, %k, %k, %seen) over "key" dot "feature" causal "position" window 2 {masked} : (!q, !k, !k, !m) -> !s
  return %y, %a, %b, %c, %d : !q, !s, !s, !s, !s
}

// -----

// The features of queries and keys come last; so do the two dimensions of the values, in one order, and the output is
// permuted back.
// CHECK-LABEL: func.func @train
// CHECK: %[[Q:.*]] = plan.permute %arg0 {{.*}} -> !plan.tensor<batch: 2, position: 3, feature: 5, f32>
// CHECK: %[[K:.*]] = plan.permute %arg1 {{.*}} -> !plan.tensor<batch: 2, key: 6, feature: 5, f32>
// CHECK: %[[V:.*]] = plan.permute %arg2 {{.*}} -> !plan.tensor<batch: 2, key: 6, value: 7, part: 4, f32>
// CHECK: %[[Y:.*]] = plan.attention ["output"](%[[Q]], %[[K]], %[[V]]) {{.*}} -> !plan.tensor<position: 3, batch: 2, value: 7, part: 4, f32>
// CHECK: %[[B:.*]] = plan.permute %[[Y]] {{.*}} -> !plan.tensor<part: 4, position: 3, value: 7, batch: 2, f32>
// CHECK: return %[[B]]
func.func @train(%q: !plan.tensor<feature: 5, batch: 2, position: 3, f32>, %k: !plan.tensor<batch: 2, feature: 5, key: 6, f32>,
                 %v: !plan.tensor<batch: 2, value: 7, key: 6, part: 4, f32>) -> !plan.tensor<part: 4, position: 3, value: 7, batch: 2, f32> {
  %y = plan.attention ["output"] (%q, %k, %v) over "key" dot "feature"
    : (!plan.tensor<feature: 5, batch: 2, position: 3, f32>, !plan.tensor<batch: 2, feature: 5, key: 6, f32>, !plan.tensor<batch: 2, value: 7, key: 6, part: 4, f32>)
      -> !plan.tensor<part: 4, position: 3, value: 7, batch: 2, f32>
  return %y : !plan.tensor<part: 4, position: 3, value: 7, batch: 2, f32>
}

// -----

!q = !plan.tensor<feature: 5, position: 3, f32>
!k = !plan.tensor<key: 6, feature: 5, f32>
!v = !plan.tensor<value: 7, key: 6, f32>
!y = !plan.tensor<value: 7, position: 3, f32>
!s = !plan.tensor<position: 3, f32>

// Of the gradients too: that of the output like the values, the results back into the order of their operands.
// CHECK-LABEL: func.func @train
// CHECK: %[[Q:.*]] = plan.permute %arg0 {{.*}} -> !plan.tensor<position: 3, feature: 5, f32>
// CHECK: %[[V:.*]] = plan.permute %arg2 {{.*}} -> !plan.tensor<key: 6, value: 7, f32>
// CHECK: %[[DY:.*]] = plan.permute %arg4 {{.*}} -> !plan.tensor<position: 3, value: 7, f32>
// CHECK: %[[G:.*]]:3 = plan.attention ["query_gradient", "key_gradient", "value_gradient"](%[[Q]], %arg1, %[[V]], %arg3, %[[DY]], %arg5) {{.*}} -> (!plan.tensor<position: 3, feature: 5, f32>, !plan.tensor<key: 6, feature: 5, f32>, !plan.tensor<key: 6, value: 7, f32>)
// CHECK-DAG: %[[DQ:.*]] = plan.permute %[[G]]#0 {{.*}} -> !plan.tensor<feature: 5, position: 3, f32>
// CHECK-DAG: %[[DV:.*]] = plan.permute %[[G]]#2 {{.*}} -> !plan.tensor<value: 7, key: 6, f32>
// CHECK: return %[[DQ]], %[[G]]#1, %[[DV]]
func.func @train(%q: !q, %k: !k, %v: !v, %total: !s, %dy: !y, %delta: !s) -> (!q, !k, !v) {
  %dq = plan.attention ["query_gradient"] (%q, %k, %v, %total, %dy, %delta) over "key" dot "feature" : (!q, !k, !v, !s, !y, !s) -> !q
  %dk = plan.attention ["key_gradient"] (%q, %k, %v, %total, %dy, %delta) over "key" dot "feature" : (!q, !k, !v, !s, !y, !s) -> !k
  %dv = plan.attention ["value_gradient"] (%q, %k, %v, %total, %dy, %delta) over "key" dot "feature" : (!q, !k, !v, !s, !y, !s) -> !v
  return %dq, %dk, %dv : !q, !k, !v
}

// -----

!q = !plan.tensor<position: 3, feature: 5, f32>
!k = !plan.tensor<key: 6, feature: 5, f32>

// What two layers compute alike is computed once.
// CHECK-LABEL: func.func @train
// CHECK: %[[Y:.*]] = plan.attention ["output"](%arg0, %arg1, %arg1) over "key" dot "feature" {layer = "a"}
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @train(%q: !q, %k: !k) -> (!q, !q) {
  %a = plan.attention ["output"] (%q, %k, %k) over "key" dot "feature" {layer = "a"} : (!q, !k, !k) -> !q
  %b = plan.attention ["output"] (%q, %k, %k) over "key" dot "feature" {layer = "b"} : (!q, !k, !k) -> !q
  return %a, %b : !q, !q
}

// -----

// A gradient comes in the order of its operand, delta in that of the totals.
// CHECK-LABEL: func.func @train
// CHECK: %[[DELTA:.*]] = plan.permute %arg4
// CHECK: %[[DQ:.*]] = plan.attention ["query_gradient"](%arg0, %arg1, %arg1, %arg2, %arg3, %[[DELTA]])
// CHECK-NEXT: %[[BACK:.*]] = plan.permute %[[DQ]]
// CHECK-NEXT: return %[[BACK]]
!q = !plan.tensor<batch: 2, position: 3, feature: 5, f32>
!r = !plan.tensor<position: 3, batch: 2, feature: 5, f32>
!k = !plan.tensor<batch: 2, key: 6, feature: 5, f32>
!s = !plan.tensor<batch: 2, position: 3, f32>
!t = !plan.tensor<position: 3, batch: 2, f32>
func.func @train(%q: !q, %k: !k, %total: !s, %dy: !q, %delta: !t) -> !r {
  %dq = plan.attention ["query_gradient"] (%q, %k, %k, %total, %dy, %delta) over "key" dot "feature" : (!q, !k, !k, !s, !q, !t) -> !r
  return %dq : !r
}

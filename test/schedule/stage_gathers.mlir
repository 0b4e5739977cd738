// RUN: plan-opt %s --stage-gathers --split-input-file | FileCheck %s

!x = !plan.tensor<n: 4, k: 8, f32, #plan.layout<n = [rows]>>
!whole = !plan.tensor<n: 4, k: 8, f32, #plan.layout<>>
!w = !plan.tensor<k: 8, m: 2, f32, #plan.layout<>>
!y = !plan.tensor<n: 4, m: 2, f32, #plan.layout<>>
!p = !plan.tensor<m: 2, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<m: 2, f32, #plan.layout<>>

// The wait belongs to the body of the product, the only reader of the gather.
// CHECK-LABEL: func.func @train
// CHECK: plan.start 0 {{.*}}staged
// CHECK: plan.wait 0{{.*}}staged
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  func.func @train(%v: !whole, %x: !x, %w: !w, %g: !p) -> (!y, !y, !r) {
    %a = plan.gemm "n k, k m -> n m" (%v, %w) {layer = "a", phase = "forward"} : (!whole, !w) -> !y
    %d = plan.gemm "n k, k m -> n m" (%v, %w) {layer = "a", phase = "input gradient"} : (!whole, !w) -> !y
    %s = plan.start 0 "all_gather" (%x) over ["rows"] {layer = "b", phase = "input gradient", tensors = ["x"]} : (!x) -> !whole
    %t = plan.start 1 "all_reduce" (%g) over ["rows"] {layer = "c", phase = "input gradient", tensors = ["g"]} : (!p) -> !r
    %u = plan.wait 1 (%t) {layer = "c", phase = "input gradient"} : (!r) -> !r
    %z = plan.wait 0 (%s) {layer = "b", phase = "input gradient"} : (!whole) -> !whole
    %b = plan.gemm "n k, k m -> n m" (%z, %w) {layer = "b", phase = "input gradient"} : (!whole, !w) -> !y
    return %a, %b, %u : !y, !y, !r
  }
}

// -----

!x = !plan.tensor<n: 4, k: 8, f32, #plan.layout<n = [rows]>>
!whole = !plan.tensor<n: 4, k: 8, f32, #plan.layout<>>
!w = !plan.tensor<k: 8, m: 2, f32, #plan.layout<>>
!y = !plan.tensor<n: 4, m: 2, f32, #plan.layout<>>
!p = !plan.tensor<m: 2, f32, #plan.layout<partial sum = [rows]>>
!r = !plan.tensor<m: 2, f32, #plan.layout<>>

// The wait is the end of the forward body, because something else starts before the first product of the backward pass:
// what is gathered passes from body to body as a whole.
// CHECK-LABEL: func.func @train
// CHECK-NOT: staged
module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  func.func @train(%v: !whole, %x: !x, %w: !w, %g: !p) -> (!y, !y, !r) {
    %s = plan.start 0 "all_gather" (%x) over ["rows"] {layer = "b", phase = "forward", tensors = ["x"]} : (!x) -> !whole
    %a = plan.gemm "n k, k m -> n m" (%v, %w) {layer = "a", phase = "forward"} : (!whole, !w) -> !y
    %z = plan.wait 0 (%s) {layer = "b", phase = "input gradient"} : (!whole) -> !whole
    %t = plan.start 1 "all_reduce" (%g) over ["rows"] {layer = "c", phase = "input gradient", tensors = ["g"]} : (!p) -> !r
    %b = plan.gemm "n k, k m -> n m" (%z, %w) {layer = "b", phase = "input gradient"} : (!whole, !w) -> !y
    %u = plan.wait 1 (%t) {layer = "c", phase = "input gradient"} : (!r) -> !r
    return %a, %b, %u : !y, !y, !r
  }
}

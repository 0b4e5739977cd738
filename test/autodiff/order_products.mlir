// a (x w) is taken as (a x) w where the sparse products then have fewer columns, with the gradient; others stay.
// RUN: plan-opt --order-products %s | FileCheck %s

!x = !plan.tensor<paper: 5, word: 3, f32>
!w = !plan.tensor<word: 3, hidden: 2, f32>
!h = !plan.tensor<author: 4, hidden: 2, f32>
!v = !plan.tensor<hidden: 2, class: 7, f32>
!y = !plan.tensor<author: 4, class: 7, f32>

plan.variable @w : !w = <constant, 0.0, 0.0> {trained, layer = "p"}
plan.variable @v : !v = <constant, 0.0, 0.0> {trained, layer = "q"}
plan.variable @u : !plan.tensor<class: 7, hidden: 2, f32> = <constant, 0.0, 0.0> {trained, layer = "r"}

// A rectangular matrix: the rows of the dense product become those of the sparse one. Layers stay.
// CHECK-LABEL: func.func @loss
// CHECK:      %[[AX:.*]] = plan.spmm "a" "author paper, paper word -> author word"(%arg0) nonzeros 6 mean {layer = "h", phase = "forward"} : (!plan.tensor<paper: 5, word: 3, f32>) -> !plan.tensor<author: 4, word: 3, f32>
// CHECK-NEXT: %[[H:.*]] = plan.einsum "author word, word hidden -> author hidden"(%[[AX]], %{{.*}}) {layer = "p", phase = "forward"}
// More columns behind than before, and the weights first.
// CHECK:      %[[BH:.*]] = plan.spmm "b" "author author', author' hidden -> author hidden"(%[[H]]) nonzeros 9 {layer = "y", phase = "forward"}
// CHECK-NEXT: %[[Y:.*]] = plan.einsum "hidden' class, author hidden' -> author class"(%{{.*}}, %[[BH]]) {layer = "q", phase = "forward"}
// Fewer columns behind.
// CHECK:      %[[YU:.*]] = plan.einsum "author class', class' hidden -> author hidden"(%[[Y]], %{{.*}})
// CHECK-NEXT: plan.spmm "b" "author author', author' hidden -> author hidden"(%[[YU]])
func.func @loss(%x: !x {plan.input = "x"}) -> (!y, !h) {
  %w = plan.read @w {layer = "p", phase = "forward"} : !w
  %p = plan.einsum "paper word, word hidden -> paper hidden" (%x, %w) {layer = "p", phase = "forward"} : (!x, !w) -> !plan.tensor<paper: 5, hidden: 2, f32>
  %h = plan.spmm "a" "author paper, paper hidden -> author hidden" (%p) nonzeros 6 mean {layer = "h", phase = "forward"} : (!plan.tensor<paper: 5, hidden: 2, f32>) -> !h
  %v = plan.read @v {layer = "q", phase = "forward"} : !v
  %q = plan.einsum "hidden' class, author hidden' -> author class" (%v, %h) {layer = "q", phase = "forward"} : (!v, !h) -> !y
  %y = plan.spmm "b" "author author', author' class -> author class" (%q) nonzeros 9 {layer = "y", phase = "forward"} : (!y) -> !y
  %u = plan.read @u {layer = "r", phase = "forward"} : !plan.tensor<class: 7, hidden: 2, f32>
  %r = plan.einsum "author class', class' hidden -> author hidden" (%y, %u) {layer = "r", phase = "forward"} : (!y, !plan.tensor<class: 7, hidden: 2, f32>) -> !h
  %z = plan.spmm "b" "author author', author' hidden -> author hidden" (%r) nonzeros 9 {layer = "z", phase = "forward"} : (!h) -> !h
  return %y, %z : !y, !h
}

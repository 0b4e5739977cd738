// The loss of a batch of vertices with sampled neighbours: two products one after the other are two hops; the sparse product
// comes before the dense one, and that of an input is an input; what is needed of the vertices themselves is at index 0 of
// a hop. @loss stays.
// RUN: plan-opt --sample-neighbours %s | FileCheck %s

!x = !plan.tensor<vertex: 9, word: 3, f32>
!h = !plan.tensor<vertex: 9, hidden: 2, f32>
!w = !plan.tensor<word: 3, hidden: 2, f32>
!label = !plan.tensor<vertex: 9, i32>

plan.variable @w : !w = <constant, 0.0, 0.0> {trained, layer = "h"}

// CHECK-LABEL: func.func @sampled_loss
// CHECK-SAME: (%[[LABEL:.*]]: !plan.tensor<vertex: 4, i32> {plan.input = "label at 0 hops"}, %[[AX:.*]]: !plan.tensor<vertex: 4, "neighbour.1": 3, word: 3, f32> {plan.input = "mean a * x at 1 hop"}, %[[SUM:.*]]: !plan.tensor<vertex: 4, "neighbour.1": 2, f32> {plan.input = "a at hop 1"})
// CHECK-SAME: plan.label = 0
// CHECK:      %[[H:.*]] = plan.einsum "vertex neighbour.1 word, word hidden -> vertex neighbour.1 hidden"(%[[AX]], %{{.*}}) {layer = "h.project", phase = "forward"}
// CHECK:      %[[N1:.*]] = plan.slice %[[H]] over "neighbour.1" from 1
// CHECK-NEXT: %[[AH:.*]] = plan.einsum "vertex neighbour.1 hidden, vertex neighbour.1 -> vertex hidden"(%[[N1]], %[[SUM]]) {layer = "y", phase = "forward"}
// CHECK:      %[[SELF:.*]] = plan.slice %[[H]] over "neighbour.1" from 0
// CHECK-NEXT: %[[OWN:.*]] = plan.reduce "sum"(%[[SELF]])
// CHECK-NEXT: %[[Y:.*]] = plan.pointwise "add"(%[[AH]], %[[OWN]])
// CHECK-NEXT: plan.cross_entropy %[[Y]], %[[LABEL]] over "hidden"
// CHECK-LABEL: func.func @loss
// CHECK:      plan.spmm "a"
func.func @loss(%x: !x {plan.input = "x"}, %label: !label {plan.input = "label"}) -> (!plan.tensor<f32>, !h)
    attributes {plan.all_samples, plan.batch_vertices = 4, plan.fanout = array<i64: 2, 5>, plan.label = 1, plan.class = "hidden"} {
  %w = plan.read @w {layer = "h", phase = "forward"} : !w
  %p = plan.einsum "vertex word, word hidden -> vertex hidden" (%x, %w) {layer = "h.project", phase = "forward"} : (!x, !w) -> !h
  %h = plan.spmm "a" "vertex vertex', vertex' hidden -> vertex hidden" (%p) nonzeros 5 mean {layer = "h", phase = "forward"} : (!h) -> !h
  %s = plan.spmm "a" "vertex vertex', vertex' hidden -> vertex hidden" (%h) nonzeros 5 {layer = "y", phase = "forward"} : (!h) -> !h
  %y = plan.pointwise "add" (%s, %h) {layer = "y", phase = "forward"} : (!h, !h) -> !h
  %loss = plan.cross_entropy %y, %label over "hidden" {layer = "loss", phase = "loss"} : (!h, !label) -> !plan.tensor<f32>
  return %loss, %y : !plan.tensor<f32>, !h
}

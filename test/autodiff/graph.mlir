// A step on a graph: products of inputs alone are inputs, only the vertices to train on count, and the backward pass
// multiplies by the transposed matrix. Neither the inputs nor the matrix have gradients.
// RUN: plan-opt --hoist-input-products --decompose-composites --derive-training-step --simplify %s | FileCheck %s

!x = !plan.tensor<vertex: 4, word: 3, f32>
!h = !plan.tensor<vertex: 4, hidden: 2, f32>
!label = !plan.tensor<vertex: 4, i32>

plan.variable @w : !plan.tensor<word: 3, hidden: 2, f32> = <constant, 0.0, 0.0> {trained, layer = "h"}

// CHECK-LABEL: func.func @train
// CHECK-SAME:    (%[[LABEL:.*]]: !plan.tensor<vertex: 4, i32> {plan.input = "label"}, %[[SUMS:.*]]: !plan.tensor<vertex: 4, word: 3, f32> {plan.input = "mean a * x"}, %[[VALID:.*]]: !plan.tensor<vertex: 4, f32> {plan.input = "valid", plan.valid})
// CHECK:      plan.einsum "vertex word, word hidden -> vertex hidden"(%[[SUMS]], %{{.*}})
// CHECK-NEXT: plan.spmm "a" "vertex vertex', vertex' hidden -> vertex hidden"(%{{.*}}) nonzeros 5 {
// CHECK:      plan.pointwise "mul"(%{{.*}}, %[[VALID]])
// CHECK-NEXT: plan.reduce "sum"
// CHECK:      plan.spmm "a" "vertex vertex', vertex hidden -> vertex' hidden"(%{{.*}}) nonzeros 5 {layer = "h", phase = "input gradient"}
// CHECK-NEXT: plan.einsum "vertex hidden, vertex word -> word hidden"(%{{.*}}, %[[SUMS]]) {layer = "h", phase = "weight gradient"}
// CHECK-NOT:  plan.spmm
// CHECK-LABEL: func.func @evaluate
// CHECK-LABEL: func.func @predict
// CHECK-SAME:    (%{{.*}}: !plan.tensor<vertex: 4, word: 3, f32> {plan.input = "mean a * x"}) -> !plan.tensor<vertex: 4, hidden: 2, f32> attributes {plan.purpose = "prediction"}
func.func @loss(%x: !x {plan.input = "x"}, %label: !label {plan.input = "label"}) -> (!plan.tensor<f32>, !h)
    attributes {plan.all_samples, plan.label = 1, plan.class = "hidden", plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @w {layer = "h", phase = "forward"} : !plan.tensor<word: 3, hidden: 2, f32>
  %s = plan.spmm "a" "vertex vertex', vertex' word -> vertex word" (%x) nonzeros 5 mean {layer = "h", phase = "forward"} : (!x) -> !x
  %h = plan.einsum "vertex word, word hidden -> vertex hidden" (%s, %w) {layer = "h", phase = "forward"} : (!x, !plan.tensor<word: 3, hidden: 2, f32>) -> !h
  %y = plan.spmm "a" "vertex vertex', vertex' hidden -> vertex hidden" (%h) nonzeros 5 {layer = "h", phase = "forward"} : (!h) -> !h
  %loss = plan.cross_entropy %y, %label over "hidden" {layer = "loss", phase = "loss"} : (!h, !label) -> !plan.tensor<f32>
  return %loss, %y : !plan.tensor<f32>, !h
}

// A product with a square matrix becomes the sum of those with its halves. The loops of the second one have the names of
// each other, and so in its gradient: a split of `vertex` cuts the rows of one and the columns of the other. A matrix
// without halves stays whole, and so does a product that is not square.
// RUN: plan-opt --halve-products --decompose-composites --derive-training-step --simplify %s | FileCheck %s

!x = !plan.tensor<vertex: 4, word: 3, f32>
!t = !plan.tensor<topic: 2, word: 3, f32>
!label = !plan.tensor<vertex: 4, i32>

// CHECK-LABEL: func.func @train
// CHECK:      %[[FETCHED:.*]] = plan.spmm "a" "vertex vertex', vertex' word -> vertex word"(%{{.*}}) nonzeros 5 mean number 2 half_of 8 {layer = "h", phase = "forward"}
// CHECK-NEXT: %[[SENT:.*]] = plan.spmm "a" "vertex' vertex, vertex word -> vertex' word"(%{{.*}}) nonzeros 3 mean number 3 half_of 8 sent {layer = "h", phase = "forward"}
// CHECK-NEXT: plan.pointwise "add"(%[[FETCHED]], %[[SENT]]) {layer = "h", phase = "forward"}
// CHECK:      plan.spmm "b" "vertex vertex', vertex' word -> vertex word"(%{{.*}}) nonzeros 6 number 4 {layer = "i", phase = "forward"}
// CHECK:      plan.spmm "a" "topic vertex, vertex word -> topic word"(%{{.*}}) nonzeros 6 number 5 {layer = "j", phase = "forward"}
// CHECK:      plan.spmm "b" "vertex' vertex, vertex' word -> vertex word"(%{{.*}}) nonzeros 6 number 4 {layer = "i", phase = "input gradient"}
// CHECK:      plan.spmm "a" "vertex' vertex, vertex' word -> vertex word"(%{{.*}}) nonzeros 3 mean number 3 half_of 8 sent {layer = "h", phase = "weight gradient"}
// CHECK:      plan.spmm "a" "vertex vertex', vertex word -> vertex' word"(%{{.*}}) nonzeros 5 mean number 2 half_of 8 {layer = "h", phase = "weight gradient"}
// CHECK-LABEL: func.func @evaluate
module attributes {plan.halves = {a = {parts = 8 : i64, fetched = 2 : i64, fetched_nonzeros = 5 : i64, sent = 3 : i64, sent_nonzeros = 3 : i64}}} {
plan.variable @w : !x = <constant, 0.0, 0.0> {trained, layer = "h"}
func.func @loss(%label: !label {plan.input = "label"}) -> (!plan.tensor<f32>, !x)
    attributes {plan.all_samples, plan.label = 0, plan.class = "word", plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @w {layer = "h", phase = "forward"} : !x
  %h = plan.spmm "a" "vertex vertex', vertex' word -> vertex word" (%w) nonzeros 8 mean number 1 {layer = "h", phase = "forward"} : (!x) -> !x
  %i = plan.spmm "b" "vertex vertex', vertex' word -> vertex word" (%h) nonzeros 6 number 4 {layer = "i", phase = "forward"} : (!x) -> !x
  %j = plan.spmm "a" "topic vertex, vertex word -> topic word" (%i) nonzeros 6 number 5 {layer = "j", phase = "forward"} : (!x) -> !t
  %m = plan.reduce "sum"(%j) {layer = "j", phase = "forward"} : (!t) -> !plan.tensor<word: 3, f32>
  %y = plan.pointwise "add" (%i, %m) {layer = "j", phase = "forward"} : (!x, !plan.tensor<word: 3, f32>) -> !x
  %loss = plan.cross_entropy %y, %label over "word" {layer = "loss", phase = "loss"} : (!x, !label) -> !plan.tensor<f32>
  return %loss, %y : !plan.tensor<f32>, !x
}
}

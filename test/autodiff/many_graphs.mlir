// Graphs are the samples (T10): the weights in the loss are theirs, a product of the vertices' inputs is an input though
// these are no samples, and the first argument stays that of the samples.
// RUN: plan-opt --hoist-input-products --decompose-composites --derive-training-step --simplify --split-input-file %s | FileCheck %s

!x = !plan.tensor<vertex: 4, word: 3, f32>
!y = !plan.tensor<graph: 2, word: 3, f32>

plan.variable @w : !plan.tensor<word: 3, f32> = <constant, 0.0, 0.0> {trained, layer = "h"}

// CHECK-LABEL: func.func @train
// CHECK-SAME:    (%{{.*}}: !plan.tensor<graph: 2, word: 3, f32> {plan.input = "wanted"}, %[[SUMS:.*]]: !plan.tensor<vertex: 4, word: 3, f32> {plan.input = "a * x"}, %[[VALID:.*]]: !plan.tensor<graph: 2, f32> {plan.input = "valid", plan.valid})
// CHECK:      plan.spmm "g" "graph vertex, vertex word -> graph word"
// CHECK:      plan.pointwise "mul"(%{{.*}}, %[[VALID]])
// CHECK:      plan.spmm "g" "graph vertex, graph word -> vertex word"(%{{.*}}) nonzeros 4 {layer = "h", phase = "input gradient"}
func.func @loss(%wanted: !y {plan.input = "wanted"}, %x: !x {plan.input = "x"}) -> (!plan.tensor<f32>, !y)
    attributes {plan.all_samples, plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @w {layer = "h", phase = "forward"} : !plan.tensor<word: 3, f32>
  %s = plan.spmm "a" "vertex vertex', vertex' word -> vertex word" (%x) nonzeros 5 {layer = "h", phase = "forward"} : (!x) -> !x
  %h = plan.pointwise "mul" (%s, %w) {layer = "h", phase = "forward"} : (!x, !plan.tensor<word: 3, f32>) -> !x
  %y = plan.spmm "g" "graph vertex, vertex word -> graph word" (%h) nonzeros 4 {layer = "h", phase = "forward"} : (!x) -> !y
  %loss = plan.mean_square_error %y, %wanted {layer = "loss", phase = "loss"} : (!y, !y) -> !plan.tensor<f32>
  return %loss, %y : !plan.tensor<f32>, !y
}

// -----

!x = !plan.tensor<vertex: 4, word: 3, f32>
!y = !plan.tensor<graph: 2, word: 3, f32>

plan.variable @w : !plan.tensor<word: 3, f32> = <constant, 0.0, 0.0> {trained, layer = "h"}

// An input of samples that only its product would need stays where no other of samples follows.
// CHECK-LABEL: func.func @train
// CHECK-SAME:    (%{{.*}}: !plan.tensor<graph: 2, word: 3, f32> {plan.input = "y"}, %{{.*}}: !plan.tensor<vertex: 4, word: 3, f32> {plan.input = "x"}, %{{.*}}: !plan.tensor<graph: 2, word: 3, f32> {plan.input = "b * y"}, %{{.*}}: !plan.tensor<graph: 2, f32> {plan.input = "valid", plan.valid})
func.func @loss(%y: !y {plan.input = "y"}, %x: !x {plan.input = "x"}) -> (!plan.tensor<f32>, !y)
    attributes {plan.all_samples, plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @w {layer = "h", phase = "forward"} : !plan.tensor<word: 3, f32>
  %h = plan.pointwise "mul" (%x, %w) {layer = "h", phase = "forward"} : (!x, !plan.tensor<word: 3, f32>) -> !x
  %p = plan.spmm "g" "graph vertex, vertex word -> graph word" (%h) nonzeros 4 {layer = "h", phase = "forward"} : (!x) -> !y
  %t = plan.spmm "b" "graph graph', graph' word -> graph word" (%y) nonzeros 2 {layer = "h", phase = "forward"} : (!y) -> !y
  %loss = plan.mean_square_error %p, %t {layer = "loss", phase = "loss"} : (!y, !y) -> !plan.tensor<f32>
  return %loss, %p : !plan.tensor<f32>, !y
}

// -----

!y = !plan.tensor<graph: 2, word: 3, f32>

plan.variable @w : !plan.tensor<word: 3, f32> = <constant, 0.0, 0.0> {trained, layer = "h"}

// A mean over the samples in the loss counts those that train.
// CHECK-LABEL: func.func @train
// CHECK-SAME:    %[[VALID:[a-z0-9]*]]: !plan.tensor<graph: 2, f32> {plan.input = "valid", plan.valid})
// CHECK:      plan.pointwise "mul"(%{{.*}}, %[[VALID]])
func.func @loss(%y: !y {plan.input = "y"}) -> (!plan.tensor<f32>, !y)
    attributes {plan.all_samples, plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @w {layer = "h", phase = "forward"} : !plan.tensor<word: 3, f32>
  %h = plan.pointwise "mul" (%y, %w) {layer = "h", phase = "forward"} : (!y, !plan.tensor<word: 3, f32>) -> !y
  %s = plan.pointwise "abs" (%h) {layer = "loss", phase = "loss"} : (!y) -> !y
  %loss = plan.mean %s {layer = "loss", phase = "loss"} : (!y) -> !plan.tensor<f32>
  return %loss, %h : !plan.tensor<f32>, !y
}

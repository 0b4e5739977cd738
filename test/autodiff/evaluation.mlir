// Several labels a sample: the loss of a sample is its mean, a sample counts by the share that is right.
// RUN: plan-opt --decompose-composites --derive-training-step --simplify --split-input-file %s | FileCheck %s

!logits = !plan.tensor<batch: 4, position: 2, class: 3, f32>
!label = !plan.tensor<batch: 4, position: 2, i32>

plan.variable @b : !plan.tensor<class: 3, f32> = <constant, 0.0, 0.0> {trained, layer = "l"}

func.func @loss(%x: !logits {plan.input = "x"}, %label: !label {plan.input = "label"}) -> (!plan.tensor<f32>, !logits)
    attributes {plan.label = 1, plan.class = "class", plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %b = plan.read @b : !plan.tensor<class: 3, f32>
  %y = plan.pointwise "add"(%x, %b) : (!logits, !plan.tensor<class: 3, f32>) -> !logits
  %loss = plan.cross_entropy %y, %label over "class" : (!logits, !label) -> !plan.tensor<f32>
  return %loss, %y : !plan.tensor<f32>, !logits
}

// CHECK-LABEL: func.func @train
// CHECK:      plan.constant 1.250000e-01
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME:    !plan.tensor<batch: 4, f32> {plan.input = "valid", plan.valid}
// CHECK:      %[[COUNTED:.*]] = plan.pointwise "mul"(%{{.*}}, %arg2) {{.*}} -> !plan.tensor<batch: 4, position: 2, f32>
// CHECK-NEXT: %[[SUM:.*]] = plan.reduce "sum"(%[[COUNTED]]) {{.*}} -> !plan.tensor<f32>
// CHECK-NEXT: %[[HALF:.*]] = plan.constant 5.000000e-01
// CHECK-NEXT: %[[LOSS:.*]] = plan.pointwise "mul"(%[[SUM]], %[[HALF]])
// CHECK:      %[[CORRECT:.*]] = plan.pointwise "mul"(%{{.*}}, %[[HALF]])
// CHECK-NEXT: return %[[LOSS]], %[[CORRECT]]

// -----

!y = !plan.tensor<batch: 2, word: 3, f32>
!m = !plan.tensor<word: 3, f32>

plan.variable @w : !m = <constant, 0.0, 0.0> {trained, layer = "h"}

// A loss that takes a mean over other samples for each is no sum over samples: padding would count.
// CHECK-LABEL: func.func @train
// CHECK-NOT:  func.func @evaluate
// CHECK:      func.func @predict
func.func @loss(%y: !y {plan.input = "y"}) -> (!plan.tensor<f32>, !y)
    attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @w {layer = "h", phase = "forward"} : !m
  %h = plan.pointwise "mul" (%y, %w) {layer = "h", phase = "forward"} : (!y, !m) -> !y
  %mean = plan.mean %h {layer = "loss", phase = "loss"} : (!y) -> !m
  %d = plan.pointwise "sub" (%h, %mean) {layer = "loss", phase = "loss"} : (!y, !m) -> !y
  %s = plan.pointwise "square" (%d) {layer = "loss", phase = "loss"} : (!y) -> !y
  %loss = plan.mean %s {layer = "loss", phase = "loss"} : (!y) -> !plan.tensor<f32>
  return %loss, %h : !plan.tensor<f32>, !y
}

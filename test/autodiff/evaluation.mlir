// Several labels a sample: the loss of a sample is its mean, a sample counts by the share that is right.
// RUN: plan-opt --decompose-composites --derive-training-step --simplify %s | FileCheck %s

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

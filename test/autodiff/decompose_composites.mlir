// RUN: plan-opt --decompose-composites %s | FileCheck %s

// The maximum is subtracted behind a stop_gradient; layer and phase are the composite's.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME:    %[[X:.*]]: !plan.tensor<batch: 4, class: 3, f32>
func.func @softmax(%x: !plan.tensor<batch: 4, class: 3, f32>) -> !plan.tensor<batch: 4, class: 3, f32> {
  // CHECK:      %[[TOP:.*]] = plan.reduce "max"(%[[X]]) {layer = "out", phase = "forward"} : (!plan.tensor<batch: 4, class: 3, f32>) -> !plan.tensor<batch: 4, f32>
  // CHECK-NEXT: %[[FIXED:.*]] = plan.pointwise "stop_gradient"(%[[TOP]]) {layer = "out", phase = "forward"}
  // CHECK-NEXT: %[[SHIFTED:.*]] = plan.pointwise "sub"(%[[X]], %[[FIXED]])
  // CHECK-NEXT: %[[EXP:.*]] = plan.pointwise "exp"(%[[SHIFTED]])
  // CHECK-NEXT: %[[SUM:.*]] = plan.reduce "sum"(%[[EXP]])
  // CHECK-NEXT: %[[Y:.*]] = plan.pointwise "div"(%[[EXP]], %[[SUM]])
  // CHECK-NEXT: return %[[Y]]
  %0 = plan.softmax %x over "class" {layer = "out", phase = "forward"} : (!plan.tensor<batch: 4, class: 3, f32>) -> !plan.tensor<batch: 4, class: 3, f32>
  return %0 : !plan.tensor<batch: 4, class: 3, f32>
}

// CHECK-LABEL: func.func @log_softmax
func.func @log_softmax(%x: !plan.tensor<batch: 4, class: 3, f32>) -> !plan.tensor<batch: 4, class: 3, f32> {
  // CHECK:      %[[SHIFTED:.*]] = plan.pointwise "sub"
  // CHECK-NEXT: plan.pointwise "exp"(%[[SHIFTED]])
  // CHECK-NEXT: %[[SUM:.*]] = plan.reduce "sum"
  // CHECK-NEXT: %[[LOG:.*]] = plan.pointwise "log"(%[[SUM]]) : (!plan.tensor<batch: 4, f32>) -> !plan.tensor<batch: 4, f32>
  // CHECK-NEXT: plan.pointwise "sub"(%[[SHIFTED]], %[[LOG]])
  %0 = plan.softmax %x over "class" log : (!plan.tensor<batch: 4, class: 3, f32>) -> !plan.tensor<batch: 4, class: 3, f32>
  return %0 : !plan.tensor<batch: 4, class: 3, f32>
}

// Per sample a maximum, a sum and the label's logit; then the mean over the global batch.
// CHECK-LABEL: func.func @cross_entropy
// CHECK-SAME:    %[[X:.*]]: !plan.tensor<batch: 4, class: 3, f32>, %[[LABEL:.*]]: !plan.tensor<batch: 4, i32>
func.func @cross_entropy(%x: !plan.tensor<batch: 4, class: 3, f32>, %label: !plan.tensor<batch: 4, i32>) -> !plan.tensor<f32> {
  // CHECK:      plan.reduce "max"(%[[X]])
  // CHECK:      %[[SHIFTED:.*]] = plan.pointwise "sub"(%[[X]],
  // CHECK-NEXT: %[[EXP:.*]] = plan.pointwise "exp"(%[[SHIFTED]])
  // CHECK-NEXT: %[[SUM:.*]] = plan.reduce "sum"(%[[EXP]])
  // CHECK-NEXT: %[[CLASSES:.*]] = plan.iota : <class: 3, f32>
  // CHECK-NEXT: %[[IS:.*]] = plan.pointwise "equal"(%[[LABEL]], %[[CLASSES]]) : (!plan.tensor<batch: 4, i32>, !plan.tensor<class: 3, f32>) -> !plan.tensor<batch: 4, class: 3, f32>
  // CHECK-NEXT: %[[PRODUCT:.*]] = plan.pointwise "mul"(%[[IS]], %[[SHIFTED]])
  // CHECK-NEXT: %[[PICKED:.*]] = plan.reduce "sum"(%[[PRODUCT]]) : (!plan.tensor<batch: 4, class: 3, f32>) -> !plan.tensor<batch: 4, f32>
  // CHECK-NEXT: %[[LOG:.*]] = plan.pointwise "log"(%[[SUM]])
  // CHECK-NEXT: %[[LOSS:.*]] = plan.pointwise "sub"(%[[LOG]], %[[PICKED]]) {plan.sample_loss}
  // CHECK-NEXT: %[[TOTAL:.*]] = plan.reduce "sum"(%[[LOSS]]) : (!plan.tensor<batch: 4, f32>) -> !plan.tensor<f32>
  // CHECK-NEXT: %[[SHARE:.*]] = plan.constant 2.500000e-01
  // CHECK-NEXT: plan.pointwise "mul"(%[[TOTAL]], %[[SHARE]])
  %0 = plan.cross_entropy %x, %label over "class" : (!plan.tensor<batch: 4, class: 3, f32>, !plan.tensor<batch: 4, i32>) -> !plan.tensor<f32>
  return %0 : !plan.tensor<f32>
}

// CHECK-LABEL: func.func @mean_square_error
func.func @mean_square_error(%x: !plan.tensor<a: 4, b: 2, f32>, %y: !plan.tensor<b: 2, a: 4, f32>) -> !plan.tensor<f32> {
  // CHECK:      %[[D:.*]] = plan.pointwise "sub"(%{{.*}}, %{{.*}}) : (!plan.tensor<a: 4, b: 2, f32>, !plan.tensor<b: 2, a: 4, f32>) -> !plan.tensor<a: 4, b: 2, f32>
  // CHECK-NEXT: %[[S:.*]] = plan.pointwise "square"(%[[D]]) {plan.sample_loss}
  // CHECK-NEXT: plan.reduce "sum"(%[[S]])
  // CHECK-NEXT: plan.constant 1.250000e-01
  // CHECK-NEXT: plan.pointwise "mul"
  %0 = plan.mean_square_error %x, %y : (!plan.tensor<a: 4, b: 2, f32>, !plan.tensor<b: 2, a: 4, f32>) -> !plan.tensor<f32>
  return %0 : !plan.tensor<f32>
}

// CHECK-LABEL: func.func @mean
func.func @mean(%x: !plan.tensor<a: 4, b: 2, f32>) -> !plan.tensor<b: 2, f32> {
  // CHECK:      plan.reduce "sum"({{.*}}) : (!plan.tensor<a: 4, b: 2, f32>) -> !plan.tensor<b: 2, f32>
  // CHECK-NEXT: plan.constant 2.500000e-01
  // CHECK-NEXT: plan.pointwise "mul"
  %0 = plan.mean %x : (!plan.tensor<a: 4, b: 2, f32>) -> !plan.tensor<b: 2, f32>
  return %0 : !plan.tensor<b: 2, f32>
}

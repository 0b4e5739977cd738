// A batch of 5 in 3 micro-batches: two of 2 samples, one of 1. Means keep the whole batch's factor; a term of the
// parameters alone counts a third in each; only @train updates.
// RUN: plan-opt --decompose-composites --derive-training-step --simplify %s | FileCheck %s

!x = !plan.tensor<batch: 5, in: 4, f32>
!t = !plan.tensor<batch: 5, out: 3, f32>
!w = !plan.tensor<in: 4, out: 3, f32>
!s = !plan.tensor<f32>

module attributes {plan.microbatches = 3 : i64} {
plan.variable @h.w : !w = <uniform, -0.1, 0.1> {trained, layer = "h"}

func.func @loss(%x: !x {plan.input = "x"}, %t: !t {plan.input = "t"}) -> (!s, !t)
    attributes {plan.purpose = "loss", plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @h.w {layer = "h", phase = "forward"} : !w
  %y = plan.einsum "batch in, in out -> batch out"(%x, %w) {layer = "h", phase = "forward"} : (!x, !w) -> !t
  %e = plan.mean_square_error %y, %t {layer = "loss", phase = "loss"} : (!t, !t) -> !s
  %q = plan.pointwise "square"(%w) {layer = "loss", phase = "loss"} : (!w) -> !w
  %r = plan.reduce "sum"(%q) {layer = "loss", phase = "loss"} : (!w) -> !s
  %loss = plan.pointwise "add"(%e, %r) {layer = "loss", phase = "loss"} : (!s, !s) -> !s
  return %loss, %y : !s, !t
}
}

// CHECK-LABEL: func.func @accumulate_rest(
// CHECK-SAME:    !plan.tensor<batch: 2, in: 4, f32> {plan.input = "x"}
// CHECK-SAME:    plan.accumulates
// CHECK:         plan.constant 0.0666666{{.*}} {layer = "loss", phase = "loss"}
// CHECK:         plan.constant 0.33333333333333331 {layer = "loss", phase = "loss"}
// CHECK-DAG:     plan.accumulate %{{.*}} to "loss" {layer = "loss", phase = "loss"} : (!plan.tensor<f32>)
// CHECK-DAG:     plan.accumulate %{{.*}} to "gradient of h.w" {layer = "h", phase = "weight gradient"}
// CHECK-NOT:     plan.write
// CHECK:         return

// CHECK-NOT:   func.func @accumulate(

// CHECK-LABEL: func.func @train(
// CHECK-SAME:    !plan.tensor<batch: 1, in: 4, f32> {plan.input = "x"}
// CHECK-NOT:     plan.accumulates
// CHECK:         plan.constant 0.0666666
// CHECK:         %[[LOSS:.*]] = plan.accumulate %{{.*}} to "loss"
// CHECK:         plan.accumulate %{{.*}} to "gradient of h.w"
// CHECK:         plan.write
// CHECK:         return %[[LOSS]]

// A prediction takes no more samples at once than the largest part.
// CHECK-LABEL: func.func @predict(
// CHECK-SAME:    !plan.tensor<batch: 2, in: 4, f32>

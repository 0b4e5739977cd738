// Batch normalisation in training: the mean, then the mean of the centred squares; the running statistics are written
// once, by operations that lie where the scale does. Elsewhere the running statistics are read and nothing is written.
// RUN: plan-opt --decompose-composites --derive-training-step --simplify %s | FileCheck %s

!x = !plan.tensor<batch: 5, channel: 3, f32>
!c = !plan.tensor<channel: 3, f32>
!s = !plan.tensor<f32>

plan.variable @n.scale : !c = <constant, 1.0, 0.0> {trained, layer = "n"}
plan.variable @n.b : !c = <constant, 0.0, 0.0> {trained, layer = "n"}
plan.variable @n.mean : !c = <constant, 0.0, 0.0> {statistic, layer = "n"}
plan.variable @n.variance : !c = <constant, 1.0, 0.0> {statistic, layer = "n"}

func.func @loss(%x: !x {plan.input = "x"}, %t: !x {plan.input = "t"}) -> (!s, !x)
    attributes {plan.purpose = "loss", plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %scale = plan.read @n.scale {layer = "n", phase = "forward"} : !c
  %b = plan.read @n.b {layer = "n", phase = "forward"} : !c
  %mean = plan.read @n.mean {layer = "n", phase = "forward"} : !c
  %variance = plan.read @n.variance {layer = "n", phase = "forward"} : !c
  %y = plan.batch_norm %x, %scale, %b running %mean, %variance epsilon 1.0e-05 momentum 2.0e-01 {layer = "n", phase = "forward"} : (!x, !c, !c, !c, !c) -> !x
  %loss = plan.mean_square_error %y, %t {layer = "loss", phase = "loss"} : (!x, !x) -> !s
  return %loss, %y : !s, !x
}

// CHECK-LABEL: func.func @train(
// CHECK:         %[[SUM:.*]] = plan.reduce "sum"(%arg0) {layer = "n", phase = "forward"}
// CHECK:         %[[FIFTH:.*]] = plan.constant 2.000000e-01
// CHECK:         %[[MEAN:.*]] = plan.pointwise "mul"(%[[SUM]], %[[FIFTH]])
// CHECK:         %[[CENTRED:.*]] = plan.pointwise "sub"(%arg0, %[[MEAN]])
// CHECK:         %[[SQUARES:.*]] = plan.pointwise "square"(%[[CENTRED]])
// CHECK:         plan.reduce "sum"(%[[SQUARES]])
// CHECK:         %[[NEXT:.*]] = plan.pointwise "add"({{.*}}) {layer = "n", parameter = "n.scale", phase = "forward"}
// CHECK-NEXT:    plan.write %[[NEXT]], @n.mean {layer = "n", phase = "forward"}
// CHECK:         plan.constant 2.500000e-01 {layer = "n", phase = "forward"}
// CHECK:         plan.write %{{.*}}, @n.variance {layer = "n", phase = "forward"}
// CHECK-NOT:     plan.write {{.*}}@n.{{mean|variance}}
// CHECK:         plan.write %{{.*}}, @n.scale {layer = "n", phase = "update"}
// CHECK:         plan.write %{{.*}}, @n.b {layer = "n", phase = "update"}

// CHECK-LABEL: func.func @predict(
// CHECK-DAG:     plan.read @n.mean
// CHECK-DAG:     %[[VARIANCE:.*]] = plan.read @n.variance
// CHECK:         plan.pointwise "add"(%[[VARIANCE]],
// CHECK-NOT:     plan.reduce
// CHECK-NOT:     plan.write
// CHECK:         return

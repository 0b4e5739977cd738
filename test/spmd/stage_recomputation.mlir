// A group of layers that is computed again lies on two stages: each computes its own part again, from what it received.
// RUN: plan-opt --split-stages %s | FileCheck %s

!batch = !plan.tensor<batch: 2, wide: 6, f32>
!number = !plan.tensor<f32>

module attributes {plan.mesh = #plan.mesh<stage: 2>,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "gpipe", stages = 2 : i64,
                                    layers = {b.grow = 0 : i64, b.shrink = 1 : i64, loss = 1 : i64}}} {
  // CHECK-LABEL: func.func @stage_0(
  // CHECK-SAME: plan.sends = array<i64: 0>
  // CHECK: plan.pointwise "exp"{{.*}}phase = "forward"
  // CHECK: plan.pointwise "exp"{{.*}}phase = "recompute"
  // CHECK-LABEL: func.func @stage_1(
  // CHECK-SAME: %[[GROW:[^:]*]]: !plan.tensor<batch: 2, wide: 6, f32> {plan.received = 0 : i64, plan.tensor = "b.grow"}) ->
  // CHECK: plan.pointwise "tanh"(%[[GROW]]) {{.*}}phase = "forward"
  // CHECK: plan.pointwise "tanh"(%[[GROW]]) {{.*}}phase = "recompute"
  func.func @train(%x: !batch {plan.input = "x"}) -> !number attributes {plan.purpose = "training"} {
    %grow = plan.pointwise "exp" (%x) {layer = "b.grow", phase = "forward"} : (!batch) -> !batch
    %shrink = plan.pointwise "tanh" (%grow) {layer = "b.shrink", phase = "forward"} : (!batch) -> !batch
    %loss = plan.reduce "sum" (%shrink) {layer = "loss", phase = "loss"} : (!batch) -> !number
    %grow2 = plan.pointwise "exp" (%x) {layer = "b.grow", phase = "recompute"} : (!batch) -> !batch
    %shrink2 = plan.pointwise "tanh" (%grow2) {layer = "b.shrink", phase = "recompute"} : (!batch) -> !batch
    %d = plan.pointwise "square" (%shrink2) {layer = "b.shrink", phase = "input gradient"} : (!batch) -> !batch
    %e = plan.pointwise "mul" (%d, %grow2) {layer = "b.grow", phase = "input gradient"} : (!batch, !batch) -> !batch
    %s = plan.reduce "sum" (%e) {layer = "b.grow", phase = "weight gradient"} : (!batch) -> !number
    return %loss : !number
  }
}

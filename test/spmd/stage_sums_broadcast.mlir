// A term of a gradient that lacks a dimension of one element: by itself on its stage, it gets it.
// RUN: plan-opt --split-stages %s | FileCheck %s

!row = !plan.tensor<wide: 6, f32>
!weight = !plan.tensor<pixel: 1, wide: 6, f32>
!number = !plan.tensor<f32>

module attributes {plan.batch = 4 : i64, plan.mesh = #plan.mesh<stage: 2>, plan.microbatches = 2 : i64,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "gpipe", stages = 2 : i64,
                                    layers = {h = 0 : i64, y = 1 : i64}}} {
  plan.variable @w : !weight = #plan.init<uniform, -1.0, 1.0> {layer = "h", trained}

  // CHECK-LABEL: func.func @stage_0(
  // CHECK: %[[TERM:.*]] = plan.reduce "sum"{{.*}} -> !plan.tensor<wide: 6, f32>
  // CHECK: %[[WHOLE:.*]] = plan.pointwise "identity"(%[[TERM]]) {{.*}} -> !plan.tensor<pixel: 1, wide: 6, f32>
  // CHECK: plan.accumulate %[[WHOLE]] to "gradient of w"
  // CHECK-LABEL: func.func @stage_1(
  // CHECK-NOT: "identity"
  func.func @train(%x: !weight {plan.input = "x"}) -> !number attributes {plan.purpose = "training"} {
    %w = plan.read @w {layer = "h", phase = "forward"} : !weight
    %h = plan.pointwise "mul" (%x, %w) {layer = "h", phase = "forward"} : (!weight, !weight) -> !weight
    %y = plan.pointwise "mul" (%h, %w) {layer = "y", phase = "forward"} : (!weight, !weight) -> !weight
    %loss = plan.reduce "sum" (%y) {layer = "y", phase = "loss"} : (!weight) -> !number
    %g1 = plan.pointwise "mul" (%y, %h) {layer = "y", phase = "weight gradient"} : (!weight, !weight) -> !weight
    %d = plan.pointwise "mul" (%y, %w) {layer = "y", phase = "input gradient"} : (!weight, !weight) -> !weight
    %g0 = plan.reduce "sum" (%d) {layer = "h", phase = "weight gradient"} : (!weight) -> !row
    %g = plan.pointwise "add" (%g1, %g0) {layer = "h", phase = "weight gradient"} : (!weight, !row) -> !weight
    %total = plan.accumulate %loss to "loss" {layer = "y", phase = "loss"} : (!number) -> !number
    %t = plan.accumulate %g to "gradient of w" {layer = "h", phase = "weight gradient"} : (!weight) -> !weight
    %new = plan.pointwise "sub" (%w, %t) {layer = "h", parameter = "w", phase = "update"} : (!weight, !weight) -> !weight
    plan.write %new, @w {layer = "h", phase = "update"} : !weight
    return %total : !number
  }
}

// A weight that two stages use: a copy for each, the sum of its gradient exchanged once a step, and one norm of all
// gradients.
// RUN: plan-opt --split-stages %s | FileCheck %s

!batch = !plan.tensor<batch: 2, wide: 6, f32>
!weight = !plan.tensor<wide: 6, f32>
!number = !plan.tensor<f32>

module attributes {plan.batch = 4 : i64, plan.mesh = #plan.mesh<stage: 2>, plan.microbatches = 2 : i64,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "one_f_one_b", stages = 2 : i64,
                                    layers = {h = 0 : i64, y = 1 : i64, loss = 1 : i64}}} {
  // CHECK: plan.variable @w {{.*}}rank_role = 0 : i64, stage = 0
  // CHECK: plan.variable @"w on stage 1" {{.*}}copy_of = "w"{{.*}}rank_role = 1 : i64, stage = 1
  // CHECK: plan.variable @b {{.*}}rank_role = 1 : i64, stage = 1
  plan.variable @w : !weight = #plan.init<uniform, -1.0, 1.0> {layer = "h", trained}
  plan.variable @b : !weight = #plan.init<uniform, -1.0, 1.0> {layer = "y", trained}

  // Each stage sums its own terms over the micro-batches. Their sum is made once a step (level 1: after an exchange), on
  // both stages in the same order.
  // CHECK-LABEL: func.func @stage_0(
  // CHECK-SAME: %[[G1:[^:]*]]: !plan.tensor<wide: 6, f32> {plan.received = 3 : i64, plan.tensor = "gradient of w"}
  // CHECK-SAME: %[[NB:[^:]*]]: !plan.tensor<f32> {plan.received = 5 : i64, plan.tensor = "norm of b"})
  // CHECK: %[[G0:.*]] = plan.accumulate {{.*}} to "gradient of w"
  // CHECK: %[[G:.*]] = plan.pointwise "add"(%[[G0]], %[[G1]]) {{.*}}level = 1 : i64, parameter = "w"
  // The first stage of the two makes the norm.
  // CHECK: %[[NW:.*]] = plan.reduce "sum"(%[[G]]) {{.*}}level = 1
  // CHECK: plan.pointwise "add"(%[[NW]], %[[NB]]) {{.*}}level = 1
  // CHECK: plan.write {{.*}}, @w
  // CHECK: return {{.*}}, %[[G0]], %[[NW]] :

  // CHECK-LABEL: func.func @stage_1(
  // CHECK-SAME: %[[G0:[^:]*]]: !plan.tensor<wide: 6, f32> {plan.received = 2 : i64, plan.tensor = "gradient of w"}
  // CHECK-SAME: %[[NW:[^:]*]]: !plan.tensor<f32> {plan.received = 4 : i64, plan.tensor = "norm of w"})
  // CHECK: %[[G1:.*]] = plan.accumulate {{.*}} to "gradient of w on stage 1"
  // CHECK: %[[G:.*]] = plan.pointwise "add"(%[[G0]], %[[G1]]) {{.*}}level = 1 : i64, parameter = "w on stage 1"
  // CHECK-NOT: plan.reduce "sum"(%[[G]])
  // CHECK: %[[NB:.*]] = plan.reduce "sum"{{.*}} {layer = "y", parameter = "b", phase = "update"}
  // CHECK: %[[NORM:.*]] = plan.pointwise "add"(%[[NW]], %[[NB]]) {{.*}}level = 2
  // CHECK: plan.pointwise "mul"(%[[G]], %[[NORM]]) {{.*}}level = 2
  // CHECK: plan.write {{.*}}, @"w on stage 1"
  // CHECK: return {{.*}}, %[[G1]], %[[NB]] :
  func.func @train(%x: !batch {plan.input = "x"}, %target: !batch {plan.input = "target"}) -> !number attributes {plan.purpose = "training"} {
    %w = plan.read @w {layer = "h", phase = "forward"} : !weight
    %b = plan.read @b {layer = "y", phase = "forward"} : !weight
    %h = plan.pointwise "mul" (%x, %w) {layer = "h", phase = "forward"} : (!batch, !weight) -> !batch
    %z = plan.pointwise "mul" (%h, %w) {layer = "y", phase = "forward"} : (!batch, !weight) -> !batch
    %y = plan.pointwise "add" (%z, %b) {layer = "y", phase = "forward"} : (!batch, !weight) -> !batch
    %e = plan.pointwise "sub" (%y, %target) {layer = "loss", phase = "loss"} : (!batch, !batch) -> !batch
    %s = plan.reduce "sum" (%e) {layer = "loss", phase = "loss"} : (!batch) -> !number
    %gb = plan.reduce "sum" (%e) {layer = "y", phase = "weight gradient"} : (!batch) -> !weight
    %dh = plan.pointwise "mul" (%e, %w) {layer = "y", phase = "input gradient"} : (!batch, !weight) -> !batch
    %p = plan.pointwise "mul" (%e, %h) {layer = "y", phase = "weight gradient"} : (!batch, !batch) -> !batch
    %g1 = plan.reduce "sum" (%p) {layer = "y", phase = "weight gradient"} : (!batch) -> !weight
    %q = plan.pointwise "mul" (%dh, %x) {layer = "h", phase = "weight gradient"} : (!batch, !batch) -> !batch
    %g0 = plan.reduce "sum" (%q) {layer = "h", phase = "weight gradient"} : (!batch) -> !weight
    %g = plan.pointwise "add" (%g1, %g0) {layer = "h", phase = "weight gradient"} : (!weight, !weight) -> !weight
    %loss = plan.accumulate %s to "loss" {layer = "loss", phase = "loss"} : (!number) -> !number
    %tb = plan.accumulate %gb to "gradient of b" {layer = "y", phase = "weight gradient"} : (!weight) -> !weight
    %tw = plan.accumulate %g to "gradient of w" {layer = "h", phase = "weight gradient"} : (!weight) -> !weight
    %rw = plan.reduce "sum" (%tw) {layer = "h", parameter = "w", phase = "update"} : (!weight) -> !number
    %rb = plan.reduce "sum" (%tb) {layer = "y", parameter = "b", phase = "update"} : (!weight) -> !number
    %norm = plan.pointwise "add" (%rw, %rb) {layer = "optimizer", phase = "update"} : (!number, !number) -> !number
    %uw = plan.pointwise "mul" (%tw, %norm) {layer = "h", parameter = "w", phase = "update"} : (!weight, !number) -> !weight
    %ub = plan.pointwise "mul" (%tb, %norm) {layer = "y", parameter = "b", phase = "update"} : (!weight, !number) -> !weight
    %nw = plan.pointwise "sub" (%w, %uw) {layer = "h", parameter = "w", phase = "update"} : (!weight, !weight) -> !weight
    %nb = plan.pointwise "sub" (%b, %ub) {layer = "y", parameter = "b", phase = "update"} : (!weight, !weight) -> !weight
    plan.write %nw, @w {layer = "h", phase = "update"} : !weight
    plan.write %nb, @b {layer = "y", phase = "update"} : !weight
    return %loss : !number
  }
}

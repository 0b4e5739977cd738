// Two layers on two stages: the functions of each stage, what they send each other, and where variables lie.
// RUN: plan-opt --split-stages %s | FileCheck %s

!batch = !plan.tensor<batch: 2, wide: 6, f32>
!weight = !plan.tensor<wide: 6, f32>
!number = !plan.tensor<f32>

module attributes {plan.batch = 4 : i64, plan.mesh = #plan.mesh<stage: 2, rows: 2>, plan.microbatches = 2 : i64,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "one_f_one_b", stages = 2 : i64,
                                    layers = {h = 0 : i64, y = 1 : i64, loss = 1 : i64}}} {
  // CHECK: plan.variable @h.w {{.*}}rank_role = 0 : i64, stage = 0
  // CHECK: plan.variable @y.w {{.*}}rank_role = 1 : i64, stage = 1
  plan.variable @h.w : !weight = #plan.init<uniform, -1.0, 1.0> {layer = "h", trained}
  plan.variable @y.w : !weight = #plan.init<uniform, -1.0, 1.0> {layer = "y", trained}

  // The first stage has two micro-batches in flight. What it receives and sends has numbers: h is 0, its gradient 1.
  // CHECK-LABEL: func.func @stage_0(
  // CHECK-SAME: %[[X:[^:]*]]: !plan.tensor<batch: 2, wide: 6, f32> {plan.input = "x"}, %[[DH:[^:]*]]: !plan.tensor<batch: 2, wide: 6, f32> {plan.received = 1 : i64, plan.tensor = "gradient of h"})
  // CHECK-SAME: plan.role = 0 : i64, plan.samples = 2 : i64, plan.sends = array<i64: 0>, plan.slots = 2 : i64, plan.stage = 0
  // CHECK: %[[W:.*]] = plan.read @h.w
  // CHECK-NEXT: %[[H:.*]] = plan.pointwise "mul"(%[[X]], %[[W]])
  // CHECK-NEXT: %[[P:.*]] = plan.pointwise "mul"(%[[DH]], %[[X]])
  // CHECK-NEXT: %[[G:.*]] = plan.reduce "sum"(%[[P]])
  // CHECK-NEXT: %[[T:.*]] = plan.accumulate %[[G]] to "gradient of h.w"
  // CHECK-NEXT: %[[N:.*]] = plan.pointwise "sub"(%[[W]], %[[T]])
  // CHECK-NEXT: plan.write %[[N]], @h.w
  // CHECK-NEXT: return %[[H]]

  // The second one has the loss, which is its own result; what it sends comes after it.
  // CHECK-LABEL: func.func @stage_1(
  // CHECK-SAME: %[[H:[^:]*]]: !plan.tensor<batch: 2, wide: 6, f32> {plan.received = 0 : i64, plan.tensor = "h"}, %[[TARGET:[^:]*]]: {{.*}} {plan.input = "target"})
  // CHECK-SAME: plan.role = 1 : i64, plan.samples = 2 : i64, plan.sends = array<i64: 1>, plan.stage = 1
  // CHECK-NOT: @h.w
  // CHECK: %[[DH:.*]] = plan.pointwise "mul"{{.*}}phase = "input gradient"
  // CHECK: %[[LOSS:.*]] = plan.accumulate {{.*}} to "loss"
  // CHECK: plan.write {{.*}}, @y.w
  // CHECK-NEXT: return %[[LOSS]], %[[DH]]
  func.func @train(%x: !batch {plan.input = "x"}, %target: !batch {plan.input = "target"}) -> !number attributes {plan.purpose = "training"} {
    %hw = plan.read @h.w {layer = "h", phase = "forward"} : !weight
    %h = plan.pointwise "mul" (%x, %hw) {layer = "h", phase = "forward"} : (!batch, !weight) -> !batch
    %yw = plan.read @y.w {layer = "y", phase = "forward"} : !weight
    %y = plan.pointwise "mul" (%h, %yw) {layer = "y", phase = "forward"} : (!batch, !weight) -> !batch
    %e = plan.pointwise "sub" (%y, %target) {layer = "loss", phase = "loss"} : (!batch, !batch) -> !batch
    %s = plan.reduce "sum" (%e) {layer = "loss", phase = "loss"} : (!batch) -> !number
    %dh = plan.pointwise "mul" (%e, %yw) {layer = "y", phase = "input gradient"} : (!batch, !weight) -> !batch
    %p = plan.pointwise "mul" (%e, %h) {layer = "y", phase = "weight gradient"} : (!batch, !batch) -> !batch
    %gy = plan.reduce "sum" (%p) {layer = "y", phase = "weight gradient"} : (!batch) -> !weight
    %q = plan.pointwise "mul" (%dh, %x) {layer = "h", phase = "weight gradient"} : (!batch, !batch) -> !batch
    %gh = plan.reduce "sum" (%q) {layer = "h", phase = "weight gradient"} : (!batch) -> !weight
    %loss = plan.accumulate %s to "loss" {layer = "loss", phase = "loss"} : (!number) -> !number
    %ty = plan.accumulate %gy to "gradient of y.w" {layer = "y", phase = "weight gradient"} : (!weight) -> !weight
    %th = plan.accumulate %gh to "gradient of h.w" {layer = "h", phase = "weight gradient"} : (!weight) -> !weight
    %ny = plan.pointwise "sub" (%yw, %ty) {layer = "y", parameter = "y.w", phase = "update"} : (!weight, !weight) -> !weight
    %nh = plan.pointwise "sub" (%hw, %th) {layer = "h", parameter = "h.w", phase = "update"} : (!weight, !weight) -> !weight
    plan.write %ny, @y.w {layer = "y", phase = "update"} : !weight
    plan.write %nh, @h.w {layer = "h", phase = "update"} : !weight
    return %loss : !number
  }
  // Numbers count from 0 again in each kind of function.
  // CHECK-LABEL: func.func @stage_0_predict(
  // CHECK-SAME: plan.sends = array<i64: 0>, plan.stage = 0
  // CHECK-LABEL: func.func @stage_1_predict(
  // CHECK-SAME: {plan.received = 0 : i64, plan.tensor = "h"}) -> !plan.tensor<batch: 2, wide: 6, f32>
  // CHECK-SAME: {plan.purpose = "prediction", plan.role = 1 : i64, plan.samples = 2 : i64, plan.stage = 1 : i64}
  func.func @predict(%x: !batch {plan.input = "x"}) -> !batch attributes {plan.purpose = "prediction"} {
    %hw = plan.read @h.w {layer = "h", phase = "forward"} : !weight
    %h = plan.pointwise "mul" (%x, %hw) {layer = "h", phase = "forward"} : (!batch, !weight) -> !batch
    %yw = plan.read @y.w {layer = "y", phase = "forward"} : !weight
    %y = plan.pointwise "mul" (%h, %yw) {layer = "y", phase = "forward"} : (!batch, !weight) -> !batch
    return %y : !batch
  }
}

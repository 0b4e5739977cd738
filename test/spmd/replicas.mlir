// Two layers on two stages, of which a schedule has two replicas: micro-batches 0 and 2 go from rank 0 to rank 1, 1 and 3 the
// other way. Stages of replica 1 have numbers of their own.
// RUN: plan-opt --split-stages %s | FileCheck %s

!batch = !plan.tensor<batch: 2, wide: 6, f32>
!weight = !plan.tensor<wide: 6, f32>
!number = !plan.tensor<f32>

module attributes {plan.batch = 8 : i64, plan.mesh = #plan.mesh<stage: 2, rows: 2>, plan.microbatches = 4 : i64,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "chimera", stages = 2 : i64,
                                    layers = {h = 0 : i64, y = 1 : i64, loss = 1 : i64}}} {
  // CHECK: plan.variable @h.w {{.*}}rank_role = 0 : i64, stage = 0
  // CHECK: plan.variable @"h.w on stage 0 of replica 1" {{.*}}copy_of = "h.w"{{.*}}rank_role = 1 : i64, stage = 2
  // CHECK: plan.variable @y.w {{.*}}rank_role = 1 : i64, stage = 1
  // CHECK: plan.variable @"y.w on stage 1 of replica 1" {{.*}}copy_of = "y.w"{{.*}}rank_role = 0 : i64, stage = 3
  plan.variable @h.w : !weight = #plan.init<uniform, -1.0, 1.0> {layer = "h", trained}
  plan.variable @y.w : !weight = #plan.init<uniform, -1.0, 1.0> {layer = "y", trained}

  // A micro-batch that accumulates uses the weights and the sums of its own replica.
  // CHECK-LABEL: func.func @stage_0_replica_1_accumulate(
  // CHECK-SAME: {plan.input = "x"}, {{.*}} {plan.received
  // CHECK: plan.read @"h.w on stage 0 of replica 1"
  // CHECK: plan.accumulate {{.*}} to "gradient of h.w on stage 0 of replica 1"
  // CHECK-LABEL: func.func @stage_1_replica_1_accumulate(
  // CHECK: plan.accumulate {{.*}} to "loss of replica 1"
  func.func @accumulate(%x: !batch {plan.input = "x"}, %target: !batch {plan.input = "target"}) attributes {plan.accumulates, plan.purpose = "training"} {
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
    return
  }

  // The last ones exchange their sums. Both replicas add them in one order.
  // CHECK-LABEL: func.func @stage_0(
  // CHECK-SAME: %[[OTHER:[^:]*]]: !plan.tensor<wide: 6, f32> {plan.received = {{[0-9]*}} : i64, plan.tensor = "gradient of h.w"}
  // CHECK: %[[OWN:.*]] = plan.accumulate {{.*}} to "gradient of h.w"
  // CHECK: plan.pointwise "add"(%[[OWN]], %[[OTHER]]) {{.*}}level = 1 : i64, parameter = "h.w", phase = "update"
  // CHECK: plan.write {{.*}}, @h.w
  // CHECK-LABEL: func.func @stage_1(
  // CHECK: plan.pointwise "add"{{.*}}layer = "loss", level = 1
  // CHECK-LABEL: func.func @stage_0_replica_1(
  // CHECK-SAME: %[[OTHER:[^:]*]]: !plan.tensor<wide: 6, f32> {plan.received = {{[0-9]*}} : i64, plan.tensor = "gradient of h.w"}
  // CHECK-SAME: plan.role = 1 : i64
  // CHECK: %[[OWN:.*]] = plan.accumulate {{.*}} to "gradient of h.w on stage 0 of replica 1"
  // CHECK: plan.pointwise "add"(%[[OTHER]], %[[OWN]])
  // CHECK: plan.write {{.*}}, @"h.w on stage 0 of replica 1"
  // CHECK-LABEL: func.func @stage_1_replica_1(
  // CHECK-NOT: layer = "loss", level
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
}

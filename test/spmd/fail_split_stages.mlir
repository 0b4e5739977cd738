// A layer of an earlier stage needs what a later one computes.
// RUN: not plan-opt --split-stages %s 2>&1 | FileCheck %s

!batch = !plan.tensor<batch: 2, wide: 6, f32>

// CHECK: error: layer 'y' is needed by 'h', which lies on an earlier stage
module attributes {plan.mesh = #plan.mesh<stage: 2>,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "gpipe", stages = 2 : i64,
                                    layers = {h = 0 : i64, y = 1 : i64}}} {
  func.func @predict(%x: !batch {plan.input = "x"}) -> !batch attributes {plan.purpose = "prediction"} {
    %y = plan.pointwise "exp" (%x) {layer = "y", phase = "forward"} : (!batch) -> !batch
    %h = plan.pointwise "tanh" (%y) {layer = "h", phase = "forward"} : (!batch) -> !batch
    return %h : !batch
  }
}

// One layer y[batch, out] = sum over in of x w, loss = sum of y, w <- w - rate dw, on 2 x 2 ranks.
// RUN: plan-opt --materialize-layouts %s | FileCheck %s

module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 2>,
                   plan.strategies = {fc = #plan.strategy<batch -> rows, in -> cols>, loss = #plan.strategy<batch -> rows>}} {
  // The weight lives where the product wants it: cut along in, replicas along rows.
  // CHECK: plan.variable @w : !plan.tensor<in: 6, out: 5, f32, #plan.layout<in = [cols]>>
  plan.variable @w : !plan.tensor<in: 6, out: 5, f32> = #plan.init<uniform, -1.0, 1.0> {layer = "fc", trained}

  // An input that is wanted in two layouts is two arguments.
  // CHECK: func.func @train(%[[X:.*]]: !plan.tensor<batch: 4, in: 6, f32, #plan.layout<batch = [rows], in = [cols]>> {plan.input = "x"}, %[[M:.*]]: !plan.tensor<batch: 4, f32, #plan.layout<batch = [rows]>> {plan.input = "m"}
  func.func @train(%x: !plan.tensor<batch: 4, in: 6, f32> {plan.input = "x"},
                   %m: !plan.tensor<batch: 4, f32> {plan.input = "m"}) -> !plan.tensor<f32> {
    %half = plan.constant 5.000000e-01 : !plan.tensor<f32>
    %w = plan.read @w {layer = "fc", phase = "forward"} : !plan.tensor<in: 6, out: 5, f32>
    // The sum over `in` is split: a partial sum over cols, reduced before it is multiplied.
    // CHECK: %[[Y:.*]] = plan.einsum "batch in, in out -> batch out"(%[[X]], %{{.*}}) {{.*}}strategy = #plan.strategy<batch -> rows, in -> cols>{{.*}} -> !plan.tensor<batch: 4, out: 5, f32, #plan.layout<batch = [rows], partial sum = [cols]>>
    %y = plan.einsum "batch in, in out -> batch out" (%x, %w) {layer = "fc", phase = "forward"} : (!plan.tensor<batch: 4, in: 6, f32>, !plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<batch: 4, out: 5, f32>
    // CHECK: plan.collective "all_reduce" %[[Y]] over ["cols"] {layer = "fc", phase = "forward", tensor = "fc"}
    %z = plan.pointwise "mul" (%y, %m) {layer = "loss", phase = "loss"} : (!plan.tensor<batch: 4, out: 5, f32>, !plan.tensor<batch: 4, f32>) -> !plan.tensor<batch: 4, out: 5, f32>
    // Scaling lets the partial loss pass; the result is wanted whole.
    %s = plan.reduce "sum" (%z) {layer = "loss", phase = "loss"} : (!plan.tensor<batch: 4, out: 5, f32>) -> !plan.tensor<f32>
    // CHECK: %[[L:.*]] = plan.pointwise "mul"({{.*}} -> !plan.tensor<f32, #plan.layout<partial sum = [rows]>>
    %l = plan.pointwise "mul" (%s, %half) {layer = "loss", phase = "loss"} : (!plan.tensor<f32>, !plan.tensor<f32>) -> !plan.tensor<f32>
    // The gradient of the weight lacks batch: partial along rows, reduced to where the weight lives.
    // CHECK: %[[G:.*]] = plan.einsum "batch in, batch out -> in out"({{.*}} -> !plan.tensor<in: 6, out: 5, f32, #plan.layout<in = [cols], partial sum = [rows]>>
    // CHECK: plan.collective "all_reduce" %[[G]] over ["rows"] {layer = "fc", phase = "weight gradient", tensor = "gradient of w"}
    %g = plan.einsum "batch in, batch out -> in out" (%x, %z) {layer = "fc", phase = "weight gradient"} : (!plan.tensor<batch: 4, in: 6, f32>, !plan.tensor<batch: 4, out: 5, f32>) -> !plan.tensor<in: 6, out: 5, f32>
    // CHECK: plan.pointwise "sub"{{.*}} -> !plan.tensor<in: 6, out: 5, f32, #plan.layout<in = [cols]>>
    %step = plan.pointwise "mul" (%g, %half) {layer = "fc", parameter = "w", phase = "update"} : (!plan.tensor<in: 6, out: 5, f32>, !plan.tensor<f32>) -> !plan.tensor<in: 6, out: 5, f32>
    %new = plan.pointwise "sub" (%w, %step) {layer = "fc", parameter = "w", phase = "update"} : (!plan.tensor<in: 6, out: 5, f32>, !plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<in: 6, out: 5, f32>
    // CHECK: plan.write {{.*}} : <in: 6, out: 5, f32, #plan.layout<in = [cols]>>
    plan.write %new, @w {layer = "fc", phase = "update"} : !plan.tensor<in: 6, out: 5, f32>
    // CHECK: %[[WHOLE:.*]] = plan.collective "all_reduce" %[[L]] over ["rows"]
    // CHECK: return %[[WHOLE]] : !plan.tensor<f32, #plan.layout<>>
    return %l : !plan.tensor<f32>
  }

  // Prediction takes the weight from where training keeps it; results stay where they are computed, but are not partial.
  // CHECK: func.func @predict
  // CHECK: plan.read @w {{.*}} #plan.layout<in = [cols]>>
  // CHECK: plan.collective "reduce_scatter"
  func.func @predict(%x: !plan.tensor<batch: 4, in: 6, f32> {plan.input = "x"}) -> !plan.tensor<batch: 4, out: 5, f32> attributes {plan.purpose = "prediction"} {
    %w = plan.read @w {layer = "fc", phase = "forward"} : !plan.tensor<in: 6, out: 5, f32>
    %y = plan.einsum "batch in, in out -> batch out" (%x, %w) {layer = "fc", phase = "forward"} : (!plan.tensor<batch: 4, in: 6, f32>, !plan.tensor<in: 6, out: 5, f32>) -> !plan.tensor<batch: 4, out: 5, f32>
    return %y : !plan.tensor<batch: 4, out: 5, f32>
  }
}

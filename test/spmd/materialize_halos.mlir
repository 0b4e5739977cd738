// Two layers of 3x3 windows at stride 2 on 2 ranks that share the height: what a rank lacks is exchanged.
// RUN: plan-opt --materialize-layouts %s | FileCheck %s

!x = !plan.tensor<batch: 2, height: 8, a: 3, f32>
!v = !plan.tensor<kernel: 3, a: 3, b: 4, f32>
!y = !plan.tensor<batch: 2, height: 8, b: 4, f32>
!w = !plan.tensor<kernel: 3, b: 4, c: 5, f32>
!z = !plan.tensor<batch: 2, height: 4, c: 5, f32>

module attributes {plan.mesh = #plan.mesh<rows: 2>,
                   plan.strategies = {conv1 = #plan.strategy<height -> rows>, conv2 = #plan.strategy<height -> rows>}} {
  // Weights are whole: their gradients are summed over rows.
  // CHECK: plan.variable @v : !plan.tensor<kernel: 3, a: 3, b: 4, f32, #plan.layout<>>
  plan.variable @v : !v = #plan.init<uniform, -1.0, 1.0> {layer = "conv1", trained}
  plan.variable @w : !w = #plan.init<uniform, -1.0, 1.0> {layer = "conv2", trained}

  // Inputs are read with their halos.
  // CHECK: func.func @train(%[[X:.*]]: !plan.tensor<batch: 2, height: 8, a: 3, f32, #plan.layout<height = [rows] in 8 windows of 3 stride 1 dilation 1 padding 1>> {plan.input = "x"}, %[[G:.*]]: !plan.tensor<batch: 2, height: 4, c: 5, f32, #plan.layout<height = [rows]>> {plan.input = "g"}, %[[G_HALO:.*]]: !plan.tensor<batch: 2, height: 4, c: 5, f32, #plan.layout<height = [rows] in 8 transposed windows of 3 stride 2 dilation 1 padding 1>> {plan.input = "g"})
  func.func @train(%x: !x {plan.input = "x"}, %g: !z {plan.input = "g"}) {
    %v = plan.read @v {layer = "conv1", phase = "forward"} : !v
    %w = plan.read @w {layer = "conv2", phase = "forward"} : !w
    // CHECK: %[[Y:.*]] = plan.conv "forward" {{.*}}(%[[X]], %{{.*}}) {{.*}}strategy = #plan.strategy<height -> rows>{{.*}} -> !plan.tensor<batch: 2, height: 8, b: 4, f32, #plan.layout<height = [rows]>>
    %y = plan.conv "forward" "batch height a, kernel a b -> batch height b"(%x, %v) windows ["height"] kernels ["kernel"] strides [1] dilations [1] paddings [1, 1] {layer = "conv1", phase = "forward"} : (!x, !v) -> !y
    // The second rank lacks row 3, the first one nothing.
    // CHECK: %[[HALO:.*]] = plan.collective "exchange" %[[Y]] over ["rows"] {layer = "conv2", phase = "weight gradient", tensor = "conv1"} : {{.*}} -> <batch: 2, height: 8, b: 4, f32, #plan.layout<height = [rows] in 4 windows of 3 stride 2 dilation 1 padding 1>>
    // CHECK: %[[DW:.*]] = plan.conv "weight_gradient" {{.*}}(%[[HALO]], %[[G]]) {{.*}} -> !plan.tensor<kernel: 3, b: 4, c: 5, f32, #plan.layout<partial sum = [rows]>>
    %dw = plan.conv "weight_gradient" "batch height b, batch height c -> kernel b c"(%y, %g) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] {layer = "conv2", phase = "weight gradient"} : (!y, !z) -> !w
    // CHECK: %[[DY:.*]] = plan.conv "input_gradient" {{.*}}(%[[G_HALO]], %{{.*}}) {{.*}} -> !plan.tensor<batch: 2, height: 8, b: 4, f32, #plan.layout<height = [rows]>>
    %dy = plan.conv "input_gradient" "batch height c, kernel b c -> batch height b"(%g, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] {layer = "conv2", phase = "input gradient"} : (!z, !w) -> !y
    // CHECK: plan.conv "weight_gradient" {{.*}}(%[[X]], %[[DY]])
    %dv = plan.conv "weight_gradient" "batch height a, batch height b -> kernel a b"(%x, %dy) windows ["height"] kernels ["kernel"] strides [1] dilations [1] paddings [1, 1] {layer = "conv1", phase = "weight gradient"} : (!x, !y) -> !v
    %new_w = plan.pointwise "sub"(%w, %dw) {layer = "conv2", parameter = "w", phase = "update"} : (!w, !w) -> !w
    plan.write %new_w, @w {layer = "conv2", phase = "update"} : !w
    %new_v = plan.pointwise "sub"(%v, %dv) {layer = "conv1", parameter = "v", phase = "update"} : (!v, !v) -> !v
    plan.write %new_v, @v {layer = "conv1", phase = "update"} : !v
    return
  }
}

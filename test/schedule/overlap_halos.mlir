// RUN: plan-opt %s --overlap-halos --split-input-file | FileCheck %s

// Own rows first, then what the halo gives: rows before and rows behind, of x for the convolution and its weight
// gradient, of dy for its input gradient. No value with both own rows and halo is left.
!x = !plan.tensor<b: 4, h: 64, w: 64, i: 32, f32, #plan.layout<h = [rows]>>
!xh = !plan.tensor<b: 4, h: 64, w: 64, i: 32, f32, #plan.layout<h = [rows] in 64 windows of 3 stride 1 dilation 1 padding 1>>
!y = !plan.tensor<b: 4, h: 64, w: 64, o: 32, f32, #plan.layout<h = [rows]>>
!yh = !plan.tensor<b: 4, h: 64, w: 64, o: 32, f32, #plan.layout<h = [rows] in 64 transposed windows of 3 stride 1 dilation 1 padding 1>>
!k = !plan.tensor<kh: 3, kw: 3, i: 32, o: 32, f32, #plan.layout<>>
!p = !plan.tensor<kh: 3, kw: 3, i: 32, o: 32, f32, #plan.layout<partial sum = [rows]>>

module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  // CHECK-LABEL: func.func @train(%arg0: {{.*}}, %arg1: {{.*}}, %arg2: {{.*}})
  // CHECK-NEXT: %[[BEFORE:.*]] = plan.collective "exchange" %arg0 over ["rows"]
  // CHECK-SAME: tensor = "x h before"
  // CHECK-SAME: h = [rows] before 64 windows of 3 stride 1 dilation 1 padding 1
  // CHECK-NEXT: %[[BEHIND:.*]] = plan.collective "exchange" %arg0 over ["rows"]
  // CHECK-SAME: tensor = "x h behind"
  // CHECK-SAME: h = [rows] behind 64 windows
  // CHECK-NEXT: %[[Y:.*]] = plan.conv "forward" "{{[^"]*}}"(%arg0, %arg1) windows
  // CHECK-NEXT: %[[Z:.*]] = plan.conv "forward" "{{[^"]*}}"(%[[BEFORE]], %arg1, %[[Y]]) windows
  // CHECK-SAME: layer = "c", phase = "forward"
  // CHECK-NEXT: %[[FORWARD:.*]] = plan.conv "forward" "{{[^"]*}}"(%[[BEHIND]], %arg1, %[[Z]]) windows
  // CHECK-NEXT: %[[DY1:.*]] = plan.collective "exchange" %arg2
  // CHECK-SAME: h = [rows] before 64 transposed windows
  // CHECK-NEXT: %[[DY2:.*]] = plan.collective "exchange" %arg2
  // CHECK-NEXT: %[[DX0:.*]] = plan.conv "input_gradient" "{{[^"]*}}"(%arg2, %arg1) windows
  // CHECK-NEXT: %[[DX1:.*]] = plan.conv "input_gradient" "{{[^"]*}}"(%[[DY1]], %arg1, %[[DX0]]) windows
  // CHECK-NEXT: %[[DX:.*]] = plan.conv "input_gradient" "{{[^"]*}}"(%[[DY2]], %arg1, %[[DX1]]) windows
  // CHECK-NEXT: %[[DW0:.*]] = plan.conv "weight_gradient" "{{[^"]*}}"(%arg0, %arg2) windows
  // CHECK-NEXT: %[[DW1:.*]] = plan.conv "weight_gradient" "{{[^"]*}}"(%[[BEFORE]], %arg2, %[[DW0]]) windows
  // CHECK-NEXT: %[[DW:.*]] = plan.conv "weight_gradient" "{{[^"]*}}"(%[[BEHIND]], %arg2, %[[DW1]]) windows
  // CHECK-NEXT: return %[[FORWARD]], %[[DX]], %[[DW]]
  func.func @train(%x: !x, %k: !k, %dy: !y) -> (!y, !x, !p) {
    %xh = plan.collective "exchange" %x over ["rows"] {layer = "c", phase = "forward", tensor = "x"} : !x -> !xh
    %y = plan.conv "forward" "b h w i, kh kw i o -> b h w o" (%xh, %k) windows ["h", "w"] kernels ["kh", "kw"]
      strides [1, 1] dilations [1, 1] paddings [1, 1, 1, 1] {layer = "c", phase = "forward"} : (!xh, !k) -> !y
    %yh = plan.collective "exchange" %dy over ["rows"] {layer = "c", phase = "input gradient"} : !y -> !yh
    %dx = plan.conv "input_gradient" "b h w o, kh kw i o -> b h w i" (%yh, %k) windows ["h", "w"] kernels ["kh", "kw"]
      strides [1, 1] dilations [1, 1] paddings [1, 1, 1, 1] {layer = "c", phase = "input gradient"} : (!yh, !k) -> !x
    %dw = plan.conv "weight_gradient" "b h w i, b h w o -> kh kw i o" (%xh, %dy) windows ["h", "w"] kernels ["kh", "kw"]
      strides [1, 1] dilations [1, 1] paddings [1, 1, 1, 1] {layer = "c", phase = "weight gradient"} : (!xh, !y) -> !p
    return %y, %dx, %dw : !y, !x, !p
  }
}

// -----

// Two dimensions: corners travel with the rows above and below; columns beside the own rows only. Of an even window no
// row before is touched.
!x = !plan.tensor<b: 4, h: 64, w: 64, i: 32, f32, #plan.layout<h = [rows], w = [cols]>>
!xh = !plan.tensor<b: 4, h: 64, w: 64, i: 32, f32, #plan.layout<h = [rows] in 64 windows of 3 stride 1 dilation 1 padding 1,
  w = [cols] in 63 windows of 2 stride 1 dilation 1 padding 0>>
!y = !plan.tensor<b: 4, h: 64, w: 63, o: 32, f32, #plan.layout<h = [rows], w = [cols]>>
!k = !plan.tensor<kh: 3, kw: 2, i: 32, o: 32, f32, #plan.layout<>>

module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 2>} {
  // CHECK-LABEL: func.func @train
  // CHECK-NEXT: %[[A:.*]] = plan.collective "exchange" {{.*}} -> {{.*}}h = [rows] before 64 windows {{.*}}, w = [cols] in 63 windows
  // CHECK-NEXT: %[[B:.*]] = plan.collective "exchange" {{.*}} -> {{.*}}h = [rows] behind 64 windows {{.*}}, w = [cols] in 63 windows
  // CHECK-NEXT: %[[C:.*]] = plan.collective "exchange" {{.*}} -> {{.*}}h = [rows] within 64 windows {{.*}}, w = [cols] behind 63 windows
  // CHECK-NEXT: plan.conv "forward" "{{[^"]*}}"(%arg0, %arg1) windows
  // CHECK-NEXT: plan.conv "forward" "{{[^"]*}}"(%[[A]], %arg1, %{{.*}}) windows
  // CHECK-NEXT: plan.conv "forward" "{{[^"]*}}"(%[[B]], %arg1, %{{.*}}) windows
  // CHECK-NEXT: plan.conv "forward" "{{[^"]*}}"(%[[C]], %arg1, %{{.*}}) windows
  // CHECK-NEXT: return
  func.func @train(%x: !x, %k: !k) -> !y {
    %xh = plan.collective "exchange" %x over ["rows", "cols"] : !x -> !xh
    %y = plan.conv "forward" "b h w i, kh kw i o -> b h w o" (%xh, %k) windows ["h", "w"] kernels ["kh", "kw"]
      strides [1, 1] dilations [1, 1] paddings [1, 1, 0, 0] : (!xh, !k) -> !y
    return %y : !y
  }
}

// -----

// Not where the halo is most of the rows, where something else reads it too, or where a weight gradient outweighs the
// activations.
!x = !plan.tensor<b: 4, h: 64, i: 128, f32, #plan.layout<h = [rows]>>
!xh = !plan.tensor<b: 4, h: 64, i: 128, f32, #plan.layout<h = [rows] in 64 windows of 61 stride 1 dilation 1 padding 30>>
!y = !plan.tensor<b: 4, h: 64, o: 64, f32, #plan.layout<h = [rows]>>
!k = !plan.tensor<kh: 61, i: 128, o: 64, f32, #plan.layout<>>
!xs = !plan.tensor<b: 4, h: 6400, i: 128, f32, #plan.layout<h = [rows]>>
!xsh = !plan.tensor<b: 4, h: 6400, i: 128, f32, #plan.layout<h = [rows] in 6400 windows of 3 stride 1 dilation 1 padding 1>>
!ys = !plan.tensor<b: 4, h: 6400, o: 64, f32, #plan.layout<h = [rows]>>
!ks = !plan.tensor<kh: 3, i: 128, o: 64, f32, #plan.layout<>>
!xt = !plan.tensor<h: 640, i: 512, f32, #plan.layout<h = [rows]>>
!xth = !plan.tensor<h: 640, i: 512, f32, #plan.layout<h = [rows] in 640 windows of 3 stride 1 dilation 1 padding 1>>
!yt = !plan.tensor<h: 640, o: 512, f32, #plan.layout<h = [rows]>>
!pt = !plan.tensor<kh: 3, i: 512, o: 512, f32, #plan.layout<partial sum = [rows]>>

module attributes {plan.mesh = #plan.mesh<rows: 2>} {
  // CHECK-LABEL: func.func @train
  // CHECK-COUNT-3: plan.collective "exchange"
  // CHECK-NOT: before
  // CHECK-NOT: plan.collective
  func.func @train(%x: !x, %k: !k, %xs: !xs, %ks: !ks, %xt: !xt, %yt: !yt) -> (!y, !ys, !xsh, !pt) {
    %xh = plan.collective "exchange" %x over ["rows"] : !x -> !xh
    %xsh = plan.collective "exchange" %xs over ["rows"] : !xs -> !xsh
    %xth = plan.collective "exchange" %xt over ["rows"] : !xt -> !xth
    %y = plan.conv "forward" "b h i, kh i o -> b h o" (%xh, %k) windows ["h"] kernels ["kh"] strides [1] dilations [1]
      paddings [30, 30] : (!xh, !k) -> !y
    %ys = plan.conv "forward" "b h i, kh i o -> b h o" (%xsh, %ks) windows ["h"] kernels ["kh"] strides [1] dilations [1]
      paddings [1, 1] : (!xsh, !ks) -> !ys
    %pt = plan.conv "weight_gradient" "h i, h o -> kh i o" (%xth, %yt) windows ["h"] kernels ["kh"] strides [1]
      dilations [1] paddings [1, 1] : (!xth, !yt) -> !pt
    return %y, %ys, %xsh, %pt : !y, !ys, !xsh, !pt
  }
}

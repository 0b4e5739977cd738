// RUN: plan-opt %s --lower-convolutions --split-input-file | FileCheck %s

!x = !plan.tensor<batch: 4, height: 8, in: 3, f32>
!w = !plan.tensor<kernel: 3, in: 3, out: 5, f32>
!y = !plan.tensor<batch: 4, height: 8, out: 5, f32>

// Two convolutions of one geometry share the packed weights; the input gradient has a format of its own.
// CHECK-LABEL: func.func @train
// CHECK: %[[P:.*]] = plan.pack %arg1 {layer = "a", phase = "forward"}
// CHECK: plan.conv "forward" "{{.*}}"(%arg0, %[[P]]) {{.*}}format = "packed"
// CHECK-NOT: plan.pack
// CHECK: plan.conv "forward" "{{.*}}"(%arg2, %[[P]]) {{.*}}format = "packed"
// CHECK: %[[Q:.*]] = plan.pack %arg1
// CHECK: plan.conv "input_gradient" "{{.*}}"(%arg3, %[[Q]]) {{.*}}format = "packed"
// CHECK: %[[G:.*]] = plan.conv "weight_gradient" "{{.*}}"(%arg0, %arg3) {{.*}}format = "packed"
// CHECK: plan.unpack %[[G]]
// CHECK-NOT: plan.permute
func.func @train(%x: !x, %w: !w, %z: !x, %g: !y) -> (!y, !y, !x, !w) {
  %a = plan.conv "forward" "b h i, k i o -> b h o" (%x, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    {layer = "a", phase = "forward"} : (!x, !w) -> !y
  %b = plan.conv "forward" "b h i, k i o -> b h o" (%z, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    {layer = "b", phase = "forward"} : (!x, !w) -> !y
  %c = plan.conv "input_gradient" "b h o, k i o -> b h i" (%g, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    {layer = "a", phase = "input gradient"} : (!y, !w) -> !x
  %d = plan.conv "weight_gradient" "b h i, b h o -> k i o" (%x, %g) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    {layer = "a", phase = "weight gradient"} : (!x, !y) -> !w
  return %a, %b, %c, %d : !y, !y, !x, !w
}

// -----

// Another padding may have another format. In f64 nothing is packed.
!x = !plan.tensor<height: 8, in: 3, f32>
!w = !plan.tensor<kernel: 3, in: 3, out: 5, f32>
!v = !plan.tensor<height: 8, in: 3, f64>
!u = !plan.tensor<kernel: 3, in: 3, out: 5, f64>
// CHECK-LABEL: func.func @train
// CHECK: %[[P:.*]] = plan.pack %arg1
// CHECK: (%arg0, %[[P]])
// CHECK: %[[Q:.*]] = plan.pack %arg1
// CHECK: (%arg0, %[[Q]])
// CHECK: plan.conv "forward" "{{.*}}"(%arg2, %arg3)
// CHECK-NOT: format
func.func @train(%x: !x, %w: !w, %v: !v, %u: !u)
    -> (!plan.tensor<height: 8, out: 5, f32>, !plan.tensor<height: 6, out: 5, f32>, !plan.tensor<height: 8, out: 5, f64>) {
  %a = plan.conv "forward" "h i, k i o -> h o" (%x, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!x, !w) -> !plan.tensor<height: 8, out: 5, f32>
  %b = plan.conv "forward" "h i, k i o -> h o" (%x, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [0, 0]
    : (!x, !w) -> !plan.tensor<height: 6, out: 5, f32>
  %c = plan.conv "forward" "h i, k i o -> h o" (%v, %u) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!v, !u) -> !plan.tensor<height: 8, out: 5, f64>
  return %a, %b, %c : !plan.tensor<height: 8, out: 5, f32>, !plan.tensor<height: 6, out: 5, f32>, !plan.tensor<height: 8, out: 5, f64>
}

// -----

// Channels first: operands are permuted to the kernel's order, the result back; groups stand before the channels.
// CHECK-LABEL: func.func @train
// CHECK: %[[X:.*]] = plan.permute {{.*}} -> !plan.tensor<b: 2, h: 8, g: 4, i: 3, f64>
// CHECK: %[[W:.*]] = plan.permute {{.*}} -> !plan.tensor<k: 3, g: 4, i: 3, o: 5, f64>
// CHECK: %[[Y:.*]] = plan.conv "forward" "b h g i, k g i o -> b h g o"(%[[X]], %[[W]]) {{.*}} -> !plan.tensor<b: 2, h: 6, g: 4, o: 5, f64>
// CHECK: plan.permute %[[Y]] {{.*}} -> !plan.tensor<b: 2, g: 4, o: 5, h: 6, f64>
func.func @train(%x: !plan.tensor<batch: 2, group: 4, in: 3, height: 8, f64>, %w: !plan.tensor<group: 4, out: 5, in: 3, kernel: 3, f64>)
    -> !plan.tensor<batch: 2, group: 4, out: 5, height: 6, f64> {
  %y = plan.conv "forward" "b g i h, g o i k -> b g o h" (%x, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [0, 0]
    : (!plan.tensor<batch: 2, group: 4, in: 3, height: 8, f64>, !plan.tensor<group: 4, out: 5, in: 3, kernel: 3, f64>)
      -> !plan.tensor<batch: 2, group: 4, out: 5, height: 6, f64>
  return %y : !plan.tensor<batch: 2, group: 4, out: 5, height: 6, f64>
}

// -----

// Gradients lack dimensions: the weights are summed over what dy has not; dy is stretched along what only x has.
!x = !plan.tensor<batch: 4, height: 8, in: 3, f64>
!w = !plan.tensor<kernel: 3, in: 3, out: 5, f64>
// CHECK-LABEL: func.func @train
// CHECK: %[[W:.*]] = plan.reduce "sum"(%{{.*}}) : (!plan.tensor<k: 3, i: 3, o: 5, f64>) -> !plan.tensor<k: 3, i: 3, f64>
// CHECK: plan.conv "input_gradient" "b h, k i -> b h i"(%arg2, %[[W]])
// CHECK: %[[G:.*]] = plan.pointwise "identity"(%{{.*}}) : (!plan.tensor<h: 8, o: 5, f64>) -> !plan.tensor<b: 4, h: 8, o: 5, f64>
// CHECK: plan.conv "weight_gradient" "b h i, b h o -> k i o"(%arg0, %[[G]])
func.func @train(%x: !x, %w: !w, %g: !plan.tensor<batch: 4, height: 8, f64>, %h: !plan.tensor<height: 8, out: 5, f64>) -> (!x, !w) {
  %a = plan.conv "input_gradient" "b h, k i o -> b h i" (%g, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!plan.tensor<batch: 4, height: 8, f64>, !w) -> !x
  %b = plan.conv "weight_gradient" "b h i, h o -> k i o" (%x, %h) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!x, !plan.tensor<height: 8, out: 5, f64>) -> !w
  return %a, %b : !x, !w
}

// -----

// A maximum and its number are one operation, whichever stands first; a maximum alone stays.
!x = !plan.tensor<batch: 2, height: 8, channel: 3, f32>
!y = !plan.tensor<batch: 2, height: 4, channel: 3, f32>
!i = !plan.tensor<batch: 2, height: 4, channel: 3, i32>
// CHECK-LABEL: func.func @train
// CHECK: %[[Y:.*]], %[[I:.*]] = plan.max_pool(%arg0) windows ["height"] kernels [2] strides [2] dilations [1] paddings [0, 0]
// CHECK-NOT: "argmax"
// CHECK: %[[Z:.*]] = plan.pool "max"(%arg1)
// CHECK: return %[[I]], %[[Y]], %[[Z]]
func.func @train(%x: !x, %z: !x) -> (!i, !y, !y) {
  %i = plan.pool "argmax" (%x) windows ["height"] kernels [2] strides [2] dilations [1] paddings [0, 0] : (!x) -> !i
  %y = plan.pool "max" (%x) windows ["height"] kernels [2] strides [2] dilations [1] paddings [0, 0] : (!x) -> !y
  %m = plan.pool "max" (%z) windows ["height"] kernels [2] strides [2] dilations [1] paddings [0, 0] : (!x) -> !y
  return %i, %y, %m : !i, !y, !y
}

// -----

// Windows stand side by side, in the order in which the elements of a window are numbered.
// CHECK-LABEL: func.func @train
// CHECK: %[[X:.*]] = plan.permute {{.*}} -> !plan.tensor<batch: 2, width: 4, height: 8, channel: 3, f32>
// CHECK: plan.pool "sum"(%[[X]]) windows ["width", "height"] {{.*}} -> !plan.tensor<batch: 2, width: 4, height: 4, channel: 3, f32>
// CHECK: plan.permute {{.*}} -> !plan.tensor<batch: 2, height: 4, channel: 3, width: 4, f32>
func.func @train(%x: !plan.tensor<batch: 2, height: 8, channel: 3, width: 4, f32>) -> !plan.tensor<batch: 2, height: 4, channel: 3, width: 4, f32> {
  %y = plan.pool "sum" (%x) windows ["width", "height"] kernels [1, 2] strides [1, 2] dilations [1, 1] paddings [0, 0, 0, 0]
    : (!plan.tensor<batch: 2, height: 8, channel: 3, width: 4, f32>) -> !plan.tensor<batch: 2, height: 4, channel: 3, width: 4, f32>
  return %y : !plan.tensor<batch: 2, height: 4, channel: 3, width: 4, f32>
}

// -----

// Many channels and windows of 3 x 3 that move by one: Winograd's algorithm, whose weights are transformed.
!x = !plan.tensor<batch: 16, height: 16, width: 15, in: 64, f32>
!w = !plan.tensor<kernel: 3, across: 3, in: 64, out: 80, f32>
!y = !plan.tensor<batch: 16, height: 16, width: 15, out: 80, f32>
// CHECK-LABEL: func.func @train
// CHECK: %[[P:.*]] = plan.pack %arg1
// CHECK: plan.conv "forward" "{{.*}}"(%arg0, %[[P]]) {{.*}}format = "winograd"
// CHECK: %[[Q:.*]] = plan.pack %arg1
// CHECK: plan.conv "input_gradient" "{{.*}}"(%arg2, %[[Q]]) {{.*}}format = "winograd"
// CHECK: %[[G:.*]] = plan.conv "weight_gradient" "{{.*}}"(%arg0, %arg2) {{.*}}format = "winograd"
// CHECK: plan.unpack %[[G]]
func.func @train(%x: !x, %w: !w, %g: !y) -> (!y, !x, !w) {
  %a = plan.conv "forward" "b h v i, k l i o -> b h v o" (%x, %w) windows ["h", "v"] kernels ["k", "l"] strides [1, 1] dilations [1, 1] paddings [1, 1, 1, 1]
    : (!x, !w) -> !y
  %b = plan.conv "input_gradient" "b h v o, k l i o -> b h v i" (%g, %w) windows ["h", "v"] kernels ["k", "l"] strides [1, 1] dilations [1, 1] paddings [1, 1, 1, 1]
    : (!y, !w) -> !x
  %c = plan.conv "weight_gradient" "b h v i, b h v o -> k l i o" (%x, %g) windows ["h", "v"] kernels ["k", "l"] strides [1, 1] dilations [1, 1] paddings [1, 1, 1, 1]
    : (!x, !y) -> !w
  return %a, %b, %c : !y, !x, !w
}

// -----

// What a halo adds is computed on plain weights, and added to a plain weight gradient.
!x = !plan.tensor<h: 8, i: 3, f32>
!w = !plan.tensor<k: 3, i: 3, o: 5, f32>
!y = !plan.tensor<h: 8, o: 5, f32>
// CHECK-LABEL: func.func @train
// CHECK: %[[P:.*]] = plan.pack %arg2
// CHECK-NEXT: %[[A:.*]] = plan.conv "forward" "{{[^"]*}}"(%arg0, %[[P]]) {{.*}}format
// CHECK-NEXT: plan.conv "forward" "{{[^"]*}}"(%arg1, %arg2, %[[A]])
// CHECK-NOT: format
// CHECK-SAME: !plan.tensor
// CHECK-NEXT: %[[G:.*]] = plan.conv "weight_gradient" "{{[^"]*}}"(%arg0, %arg3) {{.*}}format
// CHECK-NEXT: %[[U:.*]] = plan.unpack %[[G]]
// CHECK-NEXT: %[[H:.*]] = plan.conv "weight_gradient" "{{[^"]*}}"(%arg1, %arg3, %[[U]])
// CHECK-NEXT: return %{{.*}}, %[[H]]
func.func @train(%x: !x, %halo: !x, %w: !w, %dy: !y) -> (!y, !w) {
  %a = plan.conv "forward" "h i, k i o -> h o" (%x, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!x, !w) -> !y
  %b = plan.conv "forward" "h i, k i o -> h o" (%halo, %w, %a) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!x, !w, !y) -> !y
  %c = plan.conv "weight_gradient" "h i, h o -> k i o" (%x, %dy) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!x, !y) -> !w
  %d = plan.conv "weight_gradient" "h i, h o -> k i o" (%halo, %dy, %c) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [1, 1]
    : (!x, !y, !w) -> !w
  return %b, %d : !y, !w
}
